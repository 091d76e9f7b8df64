"""Arrays to bytes: tables, arrays, pictures and code that a person takes away."""
