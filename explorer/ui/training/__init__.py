"""What the training page alone needs."""
