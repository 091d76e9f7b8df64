"""What is read off a trace."""
