"""What the attention page alone needs."""
