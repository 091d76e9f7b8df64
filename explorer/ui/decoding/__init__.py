"""What the decoding page alone needs."""
