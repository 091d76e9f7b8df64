"""Code for the decoding page alone."""
