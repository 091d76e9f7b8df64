"""The files that a person takes away from a page: pictures, numbers, and their code."""
