"""What only the lab needs: two runs side by side."""
