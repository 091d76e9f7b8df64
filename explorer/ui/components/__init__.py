"""Custom page elements, each with a script in assets/components."""
