"""The choices of the lab: what B differs in, and which head is on show."""

from dataclasses import dataclass, replace
from typing import Final, Literal

import streamlit as st

from explorer.analysis.causes.asked import Head, head_in_words, heads_by_name
from explorer.choices.other_order import exchanged
from explorer.choices.parameters import Lab
from explorer.choices.settings import Settings
from explorer.languages import mark, tr
from explorer.mistakes.catalogue import ALL, MISTAKES, Mistake
from explorer.names import AttentionKind
from explorer.ui.controls.attention import choose_attention, choose_head
from explorer.ui.controls.choices import value
from explorer.ui.controls.widgets import field, select
from explorer.views.looks import telling_head

TELLING: Final = "unscaled_embedding"  # a mistake that changes every answer of the translator
Differs = Literal["sentence", "head", "mistake"]
NAMES: Final[dict[Differs, str]] = {
    "sentence": mark("the sentence"),
    "head": mark("one head is missing"),
    "mistake": mark("a famous mistake"),
}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The difference between A and B, and the head of both that is shown."""

    differs: Differs
    sentence: str = ""
    lost: Head | None = None
    mistake: Mistake | None = None
    kind: AttentionKind = "encoder"
    layer: int = 0  # from 0
    head: int = 0  # from 0


def choose(settings: Settings) -> Choice:
    """Draw the controls."""
    with st.container(horizontal=True, vertical_alignment="center", key="lab_choices"):
        differs: Differs = select(
            Lab.differs, tr("What differs in B"), list(NAMES), names=NAMES, width=300
        )
        chosen = _choose_b(settings, differs)
    telling = None if chosen.mistake is None else chosen.mistake.kind
    if chosen.lost is not None:  # what it adds is read in later layers
        telling = chosen.lost[0]
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        kind, layer = choose_attention(settings, telling, last=chosen.lost is not None)
        head = choose_head(settings, kind, layer, width=125)
    return replace(chosen, kind=kind, layer=layer, head=head)


def _choose_b(settings: Settings, differs: Differs) -> Choice:
    if differs == "sentence":
        kept = value(Lab.other_sentence)
        current = exchanged(settings.sources[settings.row]) if kept is None else kept
        typed = field(Lab.other_sentence.key, tr("Source of B"), current)
        if typed.split() == settings.sources[settings.row].split():
            st.caption(tr("Change a word of it."))
        return Choice(differs=differs, sentence=typed)
    if differs == "head":
        heads = heads_by_name(settings.config)
        names = {key: head_in_words(*head) for key, head in heads.items()}
        usual = next(key for key, head in heads.items() if head == _usual(settings))
        label = tr("The missing head")
        found = select(Lab.lost_head, label, list(heads), usual=usual, names=names, width=360)
        return Choice(differs=differs, lost=heads[found])
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


def _usual(settings: Settings) -> Head:
    """A telling head of the last layer but one: what it adds is read in the last one."""
    kind = settings.config.attention_kinds[-1]
    layer = max(0, settings.config.layers_of(kind) - 2)
    return kind, layer, telling_head(settings.known_heads, kind, layer)
