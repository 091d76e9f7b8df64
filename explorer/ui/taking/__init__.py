"""What a person takes away from a page: its pictures, its numbers, and code that draws them."""
