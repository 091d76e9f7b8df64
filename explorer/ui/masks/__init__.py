"""Code for the masks page alone."""
