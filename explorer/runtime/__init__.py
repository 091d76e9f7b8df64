"""From a request to a model and its trace: memory, caches, turns."""
