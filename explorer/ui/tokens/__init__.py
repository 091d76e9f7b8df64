"""Code for the tokens page alone."""
