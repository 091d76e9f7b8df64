"""What the page of questions needs."""
