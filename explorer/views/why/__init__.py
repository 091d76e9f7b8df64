"""What the page Why? shows: the causes of one written word, question by question."""
