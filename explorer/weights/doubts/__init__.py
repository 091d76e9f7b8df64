"""Whether a translation can be relied on: by its source, words, numbers and probabilities."""
