"""Mistakes that tutorials make and learners copy: each computed on the weights of a right model."""
