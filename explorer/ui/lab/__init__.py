"""Two runs side by side, for the lab."""
