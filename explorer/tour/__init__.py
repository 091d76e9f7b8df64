"""The tour: its stops, and what they say about the reader's own sentence."""
