"""The sources of models."""
