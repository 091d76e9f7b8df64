"""A room: everybody sees what the teacher sees, and answers at the same time."""

from explorer.ui.frame.draw import show
from explorer.ui.room.page import show_page

show(show_page)
