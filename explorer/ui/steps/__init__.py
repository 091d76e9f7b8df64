"""What the step-by-step page alone needs."""
