"""What the scripts of all pictures write, sent once: not with every picture."""

from explorer.languages import ENGLISH, spoken, tr
from explorer.ui.components.component import as_json, component

_component = component("page_texts", "<span hidden></span>")


def page_texts() -> None:
    """Send the texts, before the pictures that need them."""
    _component(key="page_texts", data=as_json(_texts()))


def _texts() -> dict[str, object]:
    texts: dict[str, object] = {
        "cells": tr("Cells of the picture. The arrow keys walk from cell to cell."),
        "pickable": tr(
            "Cells of the picture. The arrow keys walk from cell to cell, Enter chooses one."
        ),
        # Translators: spoken for an empty cell of a picture.
        "blank": tr("blank"),
        "failed": tr("The picture could not be drawn: {error}. Reload the page."),
        "missing": tr("plotly.js could not be loaded"),
        "save": tr("Download plot as a PNG"),
        "whole": tr("Reset axes"),
    }
    if spoken() == ENGLISH:  # plotly's own
        return texts
    menu = {
        "Download plot as a PNG": texts["save"],
        # Translators: the tool that enlarges a part of a picture.
        "Zoom": tr("Zoom"),
        "Reset axes": texts["whole"],
        "Double-click to zoom back out": tr("Double-click to zoom back out"),
        "Taking snapshot - this may take a few seconds": tr(
            "Taking snapshot - this may take a few seconds"
        ),
        "Snapshot succeeded": tr("Snapshot succeeded"),
    }
    return texts | {"language": spoken(), "menu": menu}
