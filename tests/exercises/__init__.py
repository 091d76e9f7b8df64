"""Questions about a run, and answers worked out by hand."""
