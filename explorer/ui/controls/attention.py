"""The choice of an attention, a layer and a head, shared by several pages."""

from functools import cache

from explorer.analysis.attention import SHORT_NAMES
from explorer.analysis.head_roles import KnownHeads
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.ui.controls.choices import choose, choose_clicked, chosen
from explorer.ui.controls.widgets import segments, select
from explorer.ui.parameters import ATTENTION, HEAD, LAYER
from explorer.ui.settings import Settings
from explorer.weights.catalogue import TRANSLATOR, Shipped, shipped_translator


def known_heads(settings: Settings) -> KnownHeads | None:
    """What the heads of the model on show do over many sentences, where that was measured."""
    return _of_translator() if settings.request.source == Shipped(TRANSLATOR) else None


@cache
def _of_translator() -> KnownHeads:
    return KnownHeads.read(shipped_translator().about["heads"])


def choose_attention(
    settings: Settings, telling_kind: AttentionKind | None = None
) -> tuple[AttentionKind, int]:
    """Let the visitor choose an attention and its layer, from 0.

    The default is `telling_kind`, or for trained weights the one that shows most clearly what was
    learnt.
    """
    config = settings.config
    trained = settings.learnt is not None and chosen(LAYER) is None
    offered = config.attention_kinds
    usual: AttentionKind = telling_kind or ("cross" if trained else "encoder")
    if usual not in offered:
        usual = offered[0]
    kind: AttentionKind = segments(
        ATTENTION,
        tr("Attention"),
        offered,
        usual=usual,
        names=lambda kind: tr(SHORT_NAMES[kind]),
    )
    layers = config.layers_of(kind)
    known = known_heads(settings)
    telling = layers if settings.learnt is not None and kind != "encoder" else 1
    if known is not None and kind == "cross":
        telling = known.aligning[0] + 1

    def stay() -> None:
        if chosen(ATTENTION) is None:  # with a layer alone, the attention would be the encoder's
            choose(ATTENTION, kind)

    numbers = range(1, layers + 1)
    layer = select(LAYER, tr("Layer"), numbers, usual=telling, width=112, on_change=stay)
    return kind, layer - 1


def choose_head(settings: Settings, kind: AttentionKind, layer: int, *, width: int = 112) -> int:
    """Let the visitor choose a head of this layer, from 0; the default is the most telling one."""
    known = known_heads(settings)
    usual = 1 if known is None else known.telling(kind, layer) + 1
    heads = range(1, settings.config.n_heads + 1)
    return int(select(HEAD, _head(), heads, usual=usual, width=width)) - 1


def choose_head_of(n_heads: int) -> int:
    """Let the visitor choose a head of a worked example, from 0."""
    return int(select(HEAD, _head(), range(1, n_heads + 1), width=112)) - 1


def _head() -> str:
    # Translators: a head of multi-head attention.
    return tr("Head")


def show_head(kind: AttentionKind, layer: int, head: int) -> None:
    """Put a head into focus; layer and head count from 0."""
    choose_clicked(ATTENTION, kind)
    choose_clicked(LAYER, layer + 1)
    choose_clicked(HEAD, head + 1)
