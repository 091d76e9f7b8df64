"""The steps of one attention, with their numbers as matrices and in words."""
