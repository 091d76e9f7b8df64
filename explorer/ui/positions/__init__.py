"""What the positions page alone needs."""
