"""The texts that the scripts of the pictures use, sent once for the whole page."""

from explorer.languages import tr
from explorer.ui.components.component import component

_component = component("page_texts", "<span hidden></span>")


def page_texts() -> None:
    """Send the texts, before the pictures that need them."""
    _component(key="page_texts", data=_texts())


def _texts() -> dict[str, str]:
    return {
        "cells": tr("Cells of the picture. Use the arrow keys to move from cell to cell."),
        "pickable": tr(
            "Cells of the picture. Use the arrow keys to move from cell to cell, and Enter to "
            "choose one."
        ),
        # Translators: spoken for an empty cell of a picture.
        "blank": tr("blank"),
        "failed": tr("The picture could not be drawn: {error}. Reload the page."),
        "enlarge": tr("Enlarge (E)"),
    }
