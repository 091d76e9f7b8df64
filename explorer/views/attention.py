"""The pictures of an attention: one head, and all heads of its layer."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from explorer.analysis.attention import ATTENTION_NAMES, KIND_NAMES, Attention
from explorer.figures import attention as figures
from explorer.languages import sentences, tr
from explorer.names import AttentionKind
from explorer.views.looks import heads_of, in_words, looks_most
from explorer.views.picture import Call, Click, Picture


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of the attention page: a head, and how it is drawn."""

    kind: AttentionKind
    layer: int  # from 0
    head: int  # from 0
    own_range: bool = False  # whether the largest weight of the layer has the strongest colour

    def top(self, attention: Attention) -> float:
        """The weight that has the strongest colour."""
        return float(attention.weights.max()) or 1.0 if self.own_range else 1.0


def one_head(
    attention: Attention,
    view: Choices,
    *,
    cell: tuple[int, int] | None = None,
    small: int | None = None,
) -> Picture:
    """The weights of a head, with the row and column of `cell` framed; or with a `small` height."""
    kind, layer, head = view.kind, view.layer, view.head
    name = name_of(kind, layer, head)
    arguments = {name: choice for name, choice in asdict(view).items() if choice is not False}
    if cell is not None:
        arguments["query"] = attention.query_positions[cell[0]]
        arguments["key"] = attention.key_positions[cell[1]]
    return Picture(
        key="one_head",
        name=f"{kind}-layer{layer + 1}-head{head + 1}",
        title=tr("{attention} layer {layer} head {head}", **_place(kind, layer), head=head + 1),
        drawing=figures.one_head(
            heads_of(attention),
            head,
            kind=kind,
            top=view.top(attention),
            cell=cell,
            small=small,
        ),
        alt=sentences(name, in_words(attention, head)),
        summary=f"{name} {looks_most(attention, head)}.",
        code=Call(method="attention", arguments=arguments),
        click=Click(
            row="query",
            column="key",
            rows=attention.query_positions,
            columns=attention.key_positions,
            toggles=True,
        ),
    )


def all_heads(attention: Attention, view: Choices, *, small: int | None = None) -> Picture:
    """All heads of a layer, with one of them in focus, as in `one_head`."""
    kind, layer, head = view.kind, view.layer, view.head
    looks = sentences(
        *(
            tr("Head {head}: {looks}.", head=n + 1, looks=looks_most(attention, n))
            for n in range(attention.n_heads)
        )
    )
    what = tr(
        "{attention}, layer {layer}, all {heads} heads.",
        attention=tr(ATTENTION_NAMES[kind]),
        layer=layer + 1,
        heads=attention.n_heads,
    )
    return Picture(
        key="all_heads",
        name=f"{kind}-layer{layer + 1}-all-heads",
        title=tr("{attention}, layer {layer}, all heads", **_place(kind, layer)),
        drawing=figures.all_heads(
            heads_of(attention), head, kind=kind, top=view.top(attention), small=small
        ),
        alt=sentences(what, looks),
        click=Click(name="head"),
    )


def name_of(kind: AttentionKind, layer: int, head: int) -> str:
    """A head by its attention, layer and number, as a sentence; the arguments count from 0."""
    return tr(
        "{attention}, layer {layer}, head {head}.",
        attention=tr(ATTENTION_NAMES[kind]),
        layer=layer + 1,
        head=head + 1,
    )


def _place(kind: AttentionKind, layer: int) -> Mapping[str, Any]:
    return {"attention": tr(KIND_NAMES[kind]), "layer": layer + 1}
