"""The choice of an attention, a layer and a head, shared by several pages."""

from typing import Final

from explorer.analysis.attention import SHORT_NAMES
from explorer.choices.parameters import Look
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.ui.controls.choices import choose, chosen, on_show
from explorer.ui.controls.widgets import Then, segments, select
from explorer.views.looks import telling_head, telling_kind, telling_layer

# Streamlit's names of the hues that .streamlit/config.toml gives to the kinds.
HUES: Final = {"encoder": "blue", "decoder": "orange", "cross": "green"}


def kind_on_show(settings: Settings, telling: AttentionKind | None = None) -> AttentionKind:
    """The chosen attention; without a choice, `telling` or the one that shows most of the learning.

    If the model does not have it, its first attention.
    """
    offered = settings.config.attention_kinds
    wanted: AttentionKind | None = chosen(Look.attention)
    if wanted is not None:
        return wanted if wanted in offered else offered[0]
    if telling in offered:
        return telling
    trained = settings.learnt is not None and chosen(Look.layer) is None
    return telling_kind(settings.config, trained=trained)


def named_with_hue(kind: AttentionKind) -> str:
    """The name of an attention, after a square in its colour."""
    return f":{HUES[kind]}[■] {tr(SHORT_NAMES[kind])}"


def choose_kind(settings: Settings, telling: AttentionKind | None = None) -> AttentionKind:
    """Let the visitor choose an attention."""
    kind: AttentionKind = segments(
        Look.attention,
        tr("Attention"),
        settings.config.attention_kinds,
        usual=kind_on_show(settings, telling),
        names=named_with_hue,
    )
    return kind


def choose_attention(
    settings: Settings, telling: AttentionKind | None = None, *, last: bool = False
) -> tuple[AttentionKind, int]:
    """Let the visitor choose an attention and its layer, from 0.

    Without a choice, it is the most telling layer, or the `last` one.
    """
    config, kind = settings.config, choose_kind(settings, telling)
    usual_layer = telling_layer(
        config, kind, settings.known_heads, trained=settings.learnt is not None
    )

    def stay() -> None:  # a layer alone would be one of the encoder's
        choose(Look.attention, kind)

    numbers = range(1, config.layers_of(kind) + 1)
    usual = numbers[-1] if last else usual_layer + 1
    layer = select(Look.layer, tr("Layer"), numbers, usual=usual, width=112, on_change=stay)
    return kind, layer - 1


def look_on_show(
    settings: Settings, telling: AttentionKind | None = None
) -> tuple[AttentionKind, int, int]:
    """The attention, layer and head in focus, both from 0; without a choice, the most telling."""
    config, known = settings.config, settings.known_heads
    kind = kind_on_show(settings, telling)
    usual = telling_layer(config, kind, known, trained=settings.learnt is not None)
    layer = min(chosen(Look.layer) or usual + 1, config.layers_of(kind)) - 1
    head = min(chosen(Look.head) or telling_head(known, kind, layer) + 1, config.n_heads) - 1
    on_show().update({Look.attention.key: kind, Look.layer.key: layer + 1, Look.head.key: head + 1})
    return kind, layer, head


def choose_head(settings: Settings, kind: AttentionKind, layer: int, *, width: int = 112) -> int:
    """Let the visitor choose a head of this layer, from 0; the default is the most telling one."""

    def stay() -> None:  # a head alone would be one of another layer, when that changes
        choose(Look.attention, kind)
        choose(Look.layer, layer + 1)

    usual = telling_head(settings.known_heads, kind, layer)
    return choose_head_of(settings.config.n_heads, usual, width=width, on_change=stay)


def choose_head_of(
    n_heads: int, usual: int = 0, *, width: int = 112, on_change: Then | None = None
) -> int:
    """Let the visitor choose one of so many heads, from 0."""
    # Translators: a head of multi-head attention.
    label, heads = tr("Head"), range(1, n_heads + 1)
    head = select(Look.head, label, heads, usual=usual + 1, width=width, on_change=on_change)
    return int(head) - 1
