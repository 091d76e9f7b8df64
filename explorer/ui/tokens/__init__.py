"""What the tokens page alone needs."""
