"""The choices of the lab: what B differs in, and which head is on show."""

from dataclasses import dataclass, replace
from typing import Final, Literal

import streamlit as st

from explorer.analysis.variants import VARIANTS, varied
from explorer.config import ModelConfig
from explorer.languages import mark, tr
from explorer.mistakes.catalogue import ALL, MISTAKES, Mistake
from explorer.names import AttentionKind
from explorer.ui.controls.attention import choose_attention, choose_head
from explorer.ui.controls.choices import value
from explorer.ui.controls.weights import can_be_chosen, entry_in_menu
from explorer.ui.controls.widgets import field, segments, select
from explorer.ui.other_order import exchanged
from explorer.ui.parameters import UNTRAINED_NAME, Frame, Lab
from explorer.ui.settings import Settings

TELLING: Final = "unscaled_embedding"  # a mistake that changes every answer of the translator
Differs = Literal["mistake", "weights", "sentence", "head", "part", "side", "method"]
NAMES: Final[dict[Differs, str]] = {
    "mistake": mark("a famous mistake"),
    "weights": mark("the weights"),
    "sentence": mark("the sentence"),
    "head": mark("head or layer"),
    "part": mark("a part of the model"),
    "side": mark("the side of PAD"),
    "method": mark("how it chooses words"),
}
METHODS: Final = {"beam": mark("beam search"), "sampling": mark("sampling")}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The difference between A and B, and the part of both that is shown."""

    differs: Differs
    mistake: Mistake | None = None
    weights: str = ""
    sentence: str = ""
    part: str = ""
    method: str = "greedy"
    kind: AttentionKind = "encoder"
    layer: int = 0  # from 0
    head: int = 0  # from 0
    other_layer: int | None = None  # of B, where they differ from A's
    other_head: int | None = None


def choose(settings: Settings) -> Choice:
    """Draw the controls."""
    with st.container(horizontal=True, vertical_alignment="center", key="lab_choices"):
        differs: Differs = select(
            Lab.differs, tr("What differs in B"), list(NAMES), names=NAMES, width=300
        )
        chosen = _choose_b(settings, differs)
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        telling = None if chosen.mistake is None else chosen.mistake.kind
        kind, layer = choose_attention(settings, telling)
        head = choose_head(settings, kind, layer, width=125)
        chosen = replace(chosen, kind=kind, layer=layer, head=head)
        if differs == "head":
            chosen = _choose_other_head(settings, chosen)
    return chosen


def _choose_b(settings: Settings, differs: Differs) -> Choice:
    if differs == "mistake":
        offered = [mistake.id for mistake in ALL if not mistake.why_impossible(settings.config)]
        found = select(
            Lab.which_mistake,
            tr("The mistake"),
            offered,
            usual=TELLING if TELLING in offered else None,
            names=lambda key: tr(MISTAKES[key].title),
            width=360,
        )
        return Choice(differs=differs, mistake=MISTAKES[found])
    if differs == "weights":
        menu = [name for name in can_be_chosen() if name != value(Frame.weights)]
        menu += [] if UNTRAINED_NAME in menu else [UNTRAINED_NAME]
        usual = UNTRAINED_NAME
        label = tr("Weights of B")
        found = select(Lab.other_weights, label, menu, usual=usual, names=_in_menu, width=300)
        return Choice(differs=differs, weights=found)
    if differs == "sentence":
        kept = value(Lab.other_sentence)
        current = exchanged(settings.sources[settings.row]) if kept is None else kept
        typed = field(Lab.other_sentence.key, tr("Source of B"), current)
        return Choice(differs=differs, sentence=typed)
    if differs == "part":
        offered = [part for part in VARIANTS if varied(settings.config, part) != settings.config]
        found = select(
            Lab.other_part,
            tr("In B"),
            offered,
            usual="divide",
            names=lambda part: part_in_words(settings.config, part),
            width=300,
        )
        return Choice(differs=differs, part=found)
    if differs == "method":
        found = segments(Lab.other_method, tr("Method of B"), names=METHODS)
        return Choice(differs=differs, method=found)
    return Choice(differs=differs)


def _choose_other_head(settings: Settings, chosen: Choice) -> Choice:
    config = settings.config
    layers = config.layers_of(chosen.kind)
    layer = select(
        Lab.other_layer, tr("Layer of B"), range(1, layers + 1), usual=chosen.layer + 1, width=150
    )
    beside = (chosen.head + 1) % config.n_heads + 1
    heads = range(1, config.n_heads + 1)
    head = select(Lab.other_head, tr("Head of B"), heads, usual=beside, width=150)
    return replace(chosen, other_layer=int(layer) - 1, other_head=int(head) - 1)


def part_in_words(config: ModelConfig, part: str) -> str:
    """The part that B has in place of A's, in words."""
    other = varied(config, part)
    after = tr("norm after each sub-layer")
    return {
        "norm": tr("norm before each sub-layer") if other.norm_first else after,
        "activation": {"relu": "ReLU", "gelu": "GELU"}.get(other.activation, ""),
        "sinusoidal": tr("positions: waves"),
        "learned": tr("positions: learned"),
        "rotary": tr("positions: rotary"),
        "no_positions": tr("positions: none"),
        "divide": tr("with ÷ √d_k") if other.scale_scores else tr("no ÷ √d_k"),
        "multiply": tr("with × √d_model") if other.scale_embedding else tr("no × √d_model"),
    }[part]


def _in_menu(name: str) -> str:
    if name == UNTRAINED_NAME and value(Frame.weights) == UNTRAINED_NAME:
        return tr("untrained, with another seed")
    return entry_in_menu(name)
