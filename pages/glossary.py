"""What do the words mean? All words of the field."""

from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.ui.components.word_list import word_list
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading


def show_page(_: Settings) -> None:
    """The whole page."""
    heading(
        tr("What do the words mean?"),
        tr(
            "Every word that is underlined with dots explains itself: point at it, tap it, or go "
            "there with Tab. Sections are those of the paper."
        ),
    )
    word_list()


show(show_page)
