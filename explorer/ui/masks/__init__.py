"""What the masks page alone needs."""
