"""What the model on show makes of the typed sentences: its answer, and how far to rely on it."""
