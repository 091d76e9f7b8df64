"""The choice of an attention, a layer and a head, shared by several pages."""

from explorer.names import ATTENTION_KINDS, AttentionKind
from explorer.ui.controls.choices import choose, chosen
from explorer.ui.controls.widgets import segments, select
from explorer.ui.parameters import ATTENTION, HEAD, LAYER
from explorer.ui.settings import Settings


def choose_attention(settings: Settings) -> tuple[AttentionKind, int]:
    """Let the visitor choose an attention and its layer, from 0.

    For trained weights the default is the one that shows most clearly what was learnt.
    """
    trained = settings.learnt is not None and chosen(LAYER) is None
    usual: AttentionKind = "cross" if trained else "encoder"
    kind: AttentionKind = segments(ATTENTION, "Attention", ATTENTION_KINDS, usual=usual)
    config = settings.config
    layers = config.n_encoder_layers if kind == "encoder" else config.n_decoder_layers
    last = settings.learnt is not None and kind != "encoder"

    def stay() -> None:
        if chosen(ATTENTION) is None:  # with a layer alone, the attention would be the encoder's
            choose(ATTENTION, kind)

    layer = select(
        LAYER, "Layer", range(1, layers + 1), usual=layers if last else 1, width=112, on_change=stay
    )
    return kind, layer - 1


def choose_head(n_heads: int, *, width: int = 112) -> int:
    """Let the visitor choose a head, from 0."""
    return int(select(HEAD, "Head", range(1, n_heads + 1), width=width)) - 1


def show_head(kind: AttentionKind, layer: int, head: int) -> None:
    """Put a head into focus; layer and head count from 0."""
    choose(ATTENTION, kind)
    choose(LAYER, layer + 1)
    choose(HEAD, head + 1)
