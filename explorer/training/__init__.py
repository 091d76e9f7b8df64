"""Training a model, step by step, in a process of its own; in `translator`, the shipped one."""
