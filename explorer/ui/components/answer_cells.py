"""A grid of cells to mark; once the answer is checked, each cell shows its mark."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from explorer.drawing.theme import coloured
from explorer.exercises.question import Cell, Grid
from explorer.figures.exercises import SIGNS, Mark, mark_color
from explorer.languages import tr
from explorer.ui.components.component import component, theme_here
from explorer.ui.frame.session import session
from explorer.views.predict import GRADED

_component = component(
    "answer_cells",
    '<div class="answer-cells"><div class="scroll"><table role="grid"><thead></thead>'
    '<tbody></tbody></table></div><p class="more" hidden></p><p class="key"></p></div>',
)


def answer_cells(
    name: str,
    grid: Grid,
    *,
    key: str,
    pressed: Iterable[Cell],
    on_press: Callable[[frozenset[Cell]], None],
    keep: str = "",
) -> None:
    """Draw the grid; `on_press` is called with all marked cells before the next run.

    Under the name `keep`, the window keeps them over a reload.
    """

    def picked(found: Any) -> None:
        on_press(frozenset((int(row), int(column)) for row, column in found))

    data = {
        "pressed": sorted(pressed),
        "open": True,
        "key": tr(
            "Click a cell to mark it, or go there with the arrow keys and press the space bar."
        ),
        "tap": tr("Tap a cell to mark it."),
        "session": session().name if keep else "",
        "keep": keep,
    }
    _component(key=key, data=_sent(name, grid) | data, on={"picked": picked})


def checked_cells(
    name: str,
    grid: Grid,
    marks: Mapping[Cell, Mark],
    *,
    key: str,
) -> None:
    """Draw the grid with marks that can no longer be changed."""
    used = [worth for worth in GRADED if worth in marks.values()]
    meanings = {worth: tr(GRADED[worth]) for worth in GRADED}
    data = {
        "marks": [
            [*cell, worth, SIGNS[worth], meanings[worth]] for cell, worth in sorted(marks.items())
        ],
        "key": " · ".join(f"{SIGNS[worth]} {meanings[worth]}" for worth in used),
        "colors": {worth: coloured(mark_color(worth), theme_here()) for worth in used},
    }
    _component(key=key, data=_sent(name, grid) | data)


def _sent(name: str, grid: Grid) -> dict[str, Any]:
    return {
        "name": name,
        "rows": list(grid.rows),
        "columns": list(grid.columns),
        "pressed": [],
        "marks": [],
        "open": False,
        "more": tr("There are more cells beside these: scroll."),
        "colors": {},
        # Translators: of a cell that can be marked by a click.
        "states": {"on": tr("marked"), "off": tr("not marked")},
    }
