"""What can be learnt here, each task with its right answers."""
