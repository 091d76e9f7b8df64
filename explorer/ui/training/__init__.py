"""Code for the training page alone."""
