"""Whether a translation can be relied on: by its source, its numbers and its probabilities."""
