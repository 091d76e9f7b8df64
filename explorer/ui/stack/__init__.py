"""Code for the stack page alone."""
