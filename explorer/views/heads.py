"""Every head of every attention: as bytes for a script, and as a picture for files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

from explorer.analysis.attention import ATTENTION_NAMES, KIND_NAMES, SHORT_NAMES, Attention
from explorer.drawing.labels import disambiguated, elide
from explorer.drawing.theme import Theme
from explorer.figures.heads import Stack, every_head
from explorer.languages import arrow, decimal_and_group, mark, tr, tr_n
from explorer.names import AttentionKind
from explorer.runtime.engine import Run
from explorer.views.looks import heads_of
from explorer.views.picture import Call, Click, Picture

# Beside the name of an attention: what it does.
ABOUT: Final[Mapping[AttentionKind, str]] = {
    "encoder": mark("reads"),
    "decoder": mark("its own words"),
    "cross": mark("looks at the source"),
}
STEPS: Final = 254  # from a weight of nearly 0 to the largest


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadClick(Click):
    """The attention, layer and head of the clicked thumbnail."""

    def choices(self, point: Mapping[str, Any]) -> dict[str, object]:
        """As in `Click`; `point` is kind, layer and head, from 0."""
        place = {"layer": int(point["layer"]) + 1, "head": int(point["head"]) + 1}
        return {"attention": point["kind"], **place}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsPicture:
    """A map with a square for every head; and one layer as lines between its tokens."""

    stacks: Mapping[AttentionKind, Sequence[Attention]]  # the layers of each kind of attention
    kind: AttentionKind
    layer: int  # from 0
    head: int  # from 0
    own_range: bool = False  # whether the largest weight of a stack has the strongest colour

    key: ClassVar[str] = "heads_view"
    name: ClassVar[str] = "all-heads"
    click: ClassVar[Click] = HeadClick()

    @property
    def focus(self) -> dict[str, Any]:
        """The head that the line view shows."""
        return {"kind": self.kind, "layer": self.layer, "head": self.head}

    @property
    def code(self) -> Call:
        """The call that draws it again."""
        return Call(method="heads", arguments={**self.focus, "own_range": self.own_range or None})

    @property
    def in_a_line(self) -> str:
        """One line about it, for places that show nothing else."""
        return tr(
            "Every head of every layer; framed: {attention}, layer {layer}, head {head}.",
            attention=tr(ATTENTION_NAMES[self.kind]),
            layer=self.layer + 1,
            head=self.head + 1,
        )

    def top(self, kind: AttentionKind) -> float:
        """The weight of a stack that has the strongest colour."""
        if not self.own_range:
            return 1.0
        return max(float(one.weights.max()) for one in self.stacks[kind]) or 1.0


def as_picture(heads: HeadsPicture) -> Picture:
    """All heads in a picture of cells, for files and notebooks."""
    stacks = [
        Stack(
            title=tr(ATTENTION_NAMES[kind]),
            short=tr(SHORT_NAMES[kind]),
            kind=kind,
            layers=list(map(heads_of, layers)),
            top=heads.top(kind),
            focus=(heads.layer, heads.head) if kind == heads.kind else None,
        )
        for kind, layers in heads.stacks.items()
    ]
    return Picture(
        key=heads.key,
        name=heads.name,
        title=tr("All heads"),
        drawing=every_head(stacks),
        alt=heads.in_a_line,
        summary=heads.in_a_line,
        code=heads.code,
    )


def heads_picture(
    ran: Run, kind: AttentionKind, layer: int, head: int, *, own_range: bool = False
) -> HeadsPicture:
    """All heads of a run, with one layer as lines."""
    config = ran.request.config
    stacks = {
        name: [ran.attention(name, n) for n in range(config.layers_of(name))]
        for name in config.attention_kinds
    }
    return HeadsPicture(stacks=stacks, kind=kind, layer=layer, head=head, own_range=own_range)


def lines_bytes(picture: HeadsPicture, theme: Theme) -> bytes:
    """The layer in focus in the same form, with the head in focus."""
    layer = picture.stacks[picture.kind][picture.layer]
    alone = replace(picture, stacks={picture.kind: [layer]})
    return heads_bytes(alone, theme, focus=picture.focus)


def heads_bytes(picture: HeadsPicture, theme: Theme, **more: Any) -> bytes:
    """The message to the script: the length of a header, the header, the weights."""
    stacks = picture.stacks
    tops = {kind: picture.top(kind) for kind in stacks}
    about = {
        "heads": next(iter(stacks.values()))[0].n_heads,
        "stacks": [
            {
                "kind": kind,
                "name": tr(ATTENTION_NAMES[kind]),
                "short": tr(SHORT_NAMES[kind]),
                "title": tr(KIND_NAMES[kind]),
                "about": tr(ABOUT[kind]),
                "label": tr_n(
                    "{attention}, {n} layer",
                    "{attention}, {n} layers",
                    len(layers),
                    attention=tr(ATTENTION_NAMES[kind]),
                ),
                "layers": len(layers),
                "queries": [
                    arrow(elide(read, 14), elide(written, 8)) if written else read
                    for read, written in zip(
                        disambiguated(layers[0].query_labels, most=14),
                        layers[0].writes,
                        strict=True,
                    )
                ],
                "keys": disambiguated(layers[0].key_labels, most=14),
                "hue": theme.hue(kind),
                "colors": theme.weights(kind),
                "top": tops[kind],
            }
            for kind, layers in stacks.items()
        ],
        "texts": _texts(),
        "decimal": decimal_and_group()[0],
        **more,
    }
    header = json.dumps(about).encode()
    weights = b"".join(
        as_bytes(one.weights, one.may_attend, tops[kind]).tobytes()
        for kind, layers in stacks.items()
        for one in layers
    )
    return len(header).to_bytes(4, "little") + header + weights


def _texts() -> dict[str, str]:
    """The texts of the scripts, with places that they fill."""
    return {
        "hint": tr(
            "Point at a cell, or tap it, to read its weight. By keyboard: Tab to the chosen head, "
            "then the arrow keys; with Ctrl, from head to head."
        ),
        "row": tr("layer {layer}"),
        "layer": tr("{attention}, layer {layer}"),
        "head": tr("{attention}, layer {layer}, head {head}"),
        "cell": tr("{attention}, layer {layer}, head {head}: query {query}, key {key}, {weight}"),
        "masked": tr("masked"),
        "faint": tr("weight below 0.01"),
        "weight": tr("weight about {weight}"),
        "toggles": tr("heads with visible lines"),
        "lines": tr("lines of head {head}"),
        "toggle": tr(
            "Head {head}: click to show or hide its lines, double-click to show only these"
        ),
        # Translators: a button that shows the lines of all heads.
        "all": tr("all"),
    }


def as_bytes(weights: np.ndarray, may_attend: np.ndarray, top: float) -> np.ndarray:
    """Weights up to `top` in even steps from 1 to 255; 0 where masked."""
    shares = np.minimum(weights / top, 1.0)
    steps: np.ndarray = np.where(may_attend, np.rint(1 + STEPS * shares), 0).astype(np.uint8)
    return steps
