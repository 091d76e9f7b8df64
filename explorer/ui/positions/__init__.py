"""Code for the positions page alone."""
