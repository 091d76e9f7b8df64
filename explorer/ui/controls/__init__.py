"""The controls around the pages."""
