"""The controls of a room on each page, and the pages that follow it."""
