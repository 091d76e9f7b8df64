"""What people see of a room, and how their pages follow it."""
