"""Pure functions from a trace to arrays."""
