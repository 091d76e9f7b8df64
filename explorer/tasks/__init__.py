"""The tasks that can be learnt here, each with its right answers."""
