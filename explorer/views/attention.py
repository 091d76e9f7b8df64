"""The pictures of an attention: one head, and all heads of its layer."""

from collections.abc import Mapping
from typing import Any

from explorer.analysis.attention import ATTENTION_NAMES, KIND_NAMES, Attention
from explorer.figures import attention as figures
from explorer.figures.theme import Theme
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.views.looks import heads_of, in_words, looks_most
from explorer.views.picture import Call, PicksCell, PicksName, Picture


def one_head(
    attention: Attention,
    head: int,
    theme: Theme,
    *,
    own_range: bool = False,
    hide_pad: bool = False,
    cell: tuple[int, int] | None = None,
) -> Picture:
    """The weights of a head; the row and column of `cell` are framed.

    With `own_range`, the largest weight of the layer has the strongest colour, and not 1. With
    `hide_pad`, the attention is one that was left without PAD.
    """
    kind, layer = attention.kind, attention.layer
    top = _top(attention, own_range=own_range)
    framed: dict[str, object] = {}
    if cell is not None:
        at = attention.query_positions[cell[0]], attention.key_positions[cell[1]]
        framed = dict(zip(("query", "key"), at, strict=True))
    code = _code(attention, head, own_range=own_range, hide_pad=hide_pad)
    return Picture(
        key="one_head",
        name=f"{kind}-layer{layer + 1}-head{head + 1}",
        title=tr("{attention} layer {layer} head {head}", **_place(kind, layer), head=head + 1),
        drawing=figures.one_head(heads_of(attention), head, theme, kind=kind, top=top, cell=cell),
        alt=f"{name_of(kind, layer, head)} {in_words(attention, head)}",
        summary=f"{name_of(kind, layer, head)} {looks_most(attention, head)}.",
        code=Call(method="attention", arguments=code | framed),
        click=PicksCell(queries=attention.query_positions, keys=attention.key_positions),
    )


def all_heads(
    attention: Attention,
    head: int,
    theme: Theme,
    *,
    own_range: bool = False,
    hide_pad: bool = False,
) -> Picture:
    """All heads of a layer, with one of them in focus, as in `one_head`."""
    kind, layer = attention.kind, attention.layer
    top = _top(attention, own_range=own_range)
    code = _code(attention, head, own_range=own_range, hide_pad=hide_pad)
    what = tr(
        "{attention}, layer {layer}, all {heads} heads.",
        attention=tr(ATTENTION_NAMES[kind]),
        layer=layer + 1,
        heads=attention.n_heads,
    )
    return Picture(
        key="all_heads",
        name=f"{kind}-layer{layer + 1}-all-heads",
        title=tr("{attention} layer {layer} all heads", **_place(kind, layer)),
        drawing=figures.all_heads(heads_of(attention), head, theme, kind=kind, top=top),
        alt=f"{what} {each_looks(attention)}",
        code=Call(method="attention", arguments=code, number=1),
        click=PicksName(choice="head"),
    )


def name_of(kind: AttentionKind, layer: int, head: int) -> str:
    """A head by its attention, layer and number, as a sentence; the arguments count from 0."""
    return tr(
        "{attention}, layer {layer}, head {head}.",
        attention=tr(ATTENTION_NAMES[kind]),
        layer=layer + 1,
        head=head + 1,
    )


def each_looks(attention: Attention) -> str:
    """Where each head looks most."""
    return " ".join(
        tr("Head {head}: {looks}.", head=n + 1, looks=looks_most(attention, n))
        for n in range(attention.n_heads)
    )


def _place(kind: AttentionKind, layer: int) -> Mapping[str, Any]:
    return {"attention": tr(KIND_NAMES[kind]), "layer": layer + 1}


def _top(attention: Attention, *, own_range: bool) -> float:
    """The weight that has the strongest colour."""
    return float(attention.weights.max()) or 1.0 if own_range else 1.0


def _code(attention: Attention, head: int, *, own_range: bool, hide_pad: bool) -> dict[str, object]:
    place = {"kind": attention.kind, "layer": attention.layer, "head": head}
    return place | {"hide_pad": hide_pad or None, "own_range": own_range or None}
