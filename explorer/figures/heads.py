"""Every head of every layer, as one picture of cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from explorer.drawing.drawing import Cells, Drawing
from explorer.drawing.grid import HIDDEN, Grid
from explorer.drawing.theme import INK
from explorer.figures.attention import GAP, Heads, query_and_key
from explorer.languages import tr

HEAD: Final = 40  # pixels of one head at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The layers of one kind of attention."""

    title: str
    short: str  # the title beside a layer and a head
    kind: str
    layers: Sequence[Heads]
    top: float = 1.0  # the weight with the strongest colour
    focus: tuple[int, int] | None = None  # the layer and head that are framed


def every_head(stacks: Sequence[Stack]) -> Drawing:
    """The stacks side by side: layers from top to bottom, heads from left to right."""
    parts: list[list[Cells]] = []  # by stack, layer after layer
    deepest = max(len(stack.layers) for stack in stacks)
    tallest = max(len(stack.layers[0].query_labels) for stack in stacks)
    n_heads, x = len(stacks[0].layers[0].weights), 0.0
    for stack in stacks:
        width = len(stack.layers[0].key_labels)
        step_x, step_y = width * (1 + GAP), tallest * (1 + GAP)
        cells = []
        for at in range(len(stack.layers) * n_heads):
            layer, head = divmod(at, n_heads)
            place = {"layer": layer + 1, "head": head + 1}
            name = tr("{attention}, layer {layer}, head {head}", attention=stack.short, **place)
            cells.append(
                stack.layers[layer].cells(
                    head,
                    stack.kind,
                    stack.top,
                    hover=[name, *query_and_key()],
                    x=round(x + head * step_x, 2),
                    y=round(layer * step_y, 2),
                    gap=0,
                    name=name,
                )
            )
        parts.append(cells)
        x += n_heads * step_x + 0.8 * width
    row = max(HEAD, 2 * tallest) * max(1, 3 - len(stacks))  # below one stack alone there is room
    height, pitch = 50 + deepest * row, max(HEAD / tallest, 2)
    cells = list(chain(*parts))
    picture = Grid(
        cells, HIDDEN, HIDDEN, height=height, over=44, pitch=pitch, pad=(16 / pitch, 0.3)
    )
    for stack, cells in zip(stacks, parts, strict=True):
        _write_names(picture, stack, cells, n_heads)
    return picture


def _write_names(picture: Grid, stack: Stack, cells: Sequence[Cells], n_heads: int) -> None:
    """The title of a stack, the numbers of its heads and layers, and the frame of one head."""
    above: dict[str, Any] = {"is_share": True, "stands": "above"}
    hue = INK.hue(stack.kind)
    left = cells[0].edges[0]
    title = f"<b>{stack.title}</b>"
    picture.annotate(title, left, 0, color=hue, across=0.0, shift=(0, 18), **above)
    for at, part in enumerate(cells):
        layer, head = divmod(at, n_heads)
        edges = part.edges
        if not layer:
            picture.annotate(str(head + 1), part.middle, 0, size=11, color=INK.muted, **above)
        if not head:
            middle = (edges[2] + edges[3]) / 2
            about: dict[str, Any] = {"across": 1.0, "shift": (-6, 0), "color": INK.muted}
            picture.annotate(str(layer + 1), edges[0], middle, size=11, **about)
        if (layer, head) == stack.focus:
            across, down = (edges[0] + 0.5, edges[1] - 0.5), (edges[2] + 0.5, edges[3] - 0.5)
            picture.frame(across, down)
