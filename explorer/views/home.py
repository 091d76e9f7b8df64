"""The pictures of the home page, for files: the answer as it is written, and the map."""

import math
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from explorer.analysis.lines import Lines
from explorer.analysis.writing import Writing
from explorer.figures.describe import share_in_words
from explorer.figures.model_map import Tile, model_map
from explorer.figures.writing import Words
from explorer.figures.writing import writing as draw_writing
from explorer.languages import between, isolated, side_by_side, tr
from explorer.names import AttentionKind
from explorer.views.picture import Picture


def answer_picture(writing: Writing, stacks: Mapping[AttentionKind, Lines]) -> Picture:
    """What was read and written, and the largest look of each step across."""
    sides = {
        kind: Words(
            words=found.words,
            n_layers=found.n_layers,
            places=found.places,
            weights=found.weights,
        )
        for kind, found in stacks.items()
    }
    looks = [
        (step.row, key, float(step.looks[key]))
        for step in writing.steps
        for key in [int(step.looks.argmax())]
    ]
    return Picture(
        key="writing_stage",
        title=tr("The answer as it is written"),
        drawing=draw_writing(sides.get("encoder"), sides.get("decoder"), looks),
        alt=between("; ").join(
            f"{isolated(step.writes)}: {isolated(writing.keys[key])} {share_in_words(weight)}"
            for step, (_, key, weight) in zip(writing.steps, looks, strict=True)
        ),
    )


def map_picture(lanes: Sequence[Mapping[str, Any]]) -> Picture:
    """The lanes of the map, each part with its numbers."""
    drawn = [(lane["title"], lane["kind"], list(_tiles(lane["parts"]))) for lane in lanes]
    return Picture(
        key="model_map",
        title=tr("Map of the model"),
        drawing=model_map(drawn),
        alt=side_by_side(f"{tile.name} {tile.shape}" for *_, tiles in drawn for tile in tiles),
    )


def _tiles(parts: Sequence[Mapping[str, Any]]) -> Iterator[Tile]:
    for part in parts:
        yield from _tiles(part.get("blocks", ()))
        for picture in part.get("pictures", ()):
            yield Tile(
                name=part["name"],
                shape=part["shape"],
                kind=picture["scale"],
                values=_side_by_side(_numbers(picture)),
            )


def _numbers(picture: Mapping[str, Any]) -> np.ndarray:
    """The numbers behind the bytes of small pictures: see `ui.components.block_pictures`."""
    shape = picture["count"], picture["rows"], picture["columns"]
    cells = np.frombuffer(b64decode(picture["cells"]), np.uint8).reshape(shape).astype(float)
    if picture["scale"] == "signed":
        return (cells - 128) / 127
    return np.where(cells, (cells - 1) / 254, np.nan)


def _side_by_side(cells: np.ndarray) -> np.ndarray:
    """Small pictures in rows, with a row and a column of nothing between them."""
    count, rows, columns = cells.shape
    across = math.ceil(math.sqrt(count))
    down = math.ceil(count / across)
    whole = np.full((down * (rows + 1) - 1, across * (columns + 1) - 1), np.nan)
    for at, one in enumerate(cells):
        y, x = at // across * (rows + 1), at % across * (columns + 1)
        whole[y : y + rows, x : x + columns] = one
    return whole
