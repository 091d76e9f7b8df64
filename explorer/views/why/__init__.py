"""The pictures of the page Why?: the causes of one written word, question by question."""
