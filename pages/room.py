"""A room: everybody sees what the teacher sees, answers at the same time, and trains together."""

from explorer.ui.frame import show
from explorer.ui.room.page import show_page

show(show_page)
