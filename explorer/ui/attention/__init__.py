"""Code for the attention page alone."""
