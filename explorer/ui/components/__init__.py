"""Elements of the page, each with a script in assets/components."""
