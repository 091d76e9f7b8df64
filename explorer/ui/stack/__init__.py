"""What the stack page alone needs."""
