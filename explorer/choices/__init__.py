"""What a visitor may choose: declared once, read from addresses, and what the choices describe."""
