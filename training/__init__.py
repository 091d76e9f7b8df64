"""How the translator was trained, and how it is judged."""
