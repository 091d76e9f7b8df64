"""Which heads are needed? The panel: on the sentence on show, and over many sentences."""

import numpy as np
import streamlit as st

from explorer.analysis.causes.asked import Asked, Effects, Head, head_in_words
from explorer.analysis.causes.need import HeadNeed
from explorer.answers.outside import known_here
from explorer.choices.settings import Settings
from explorer.figures.causes import signed
from explorer.languages import numeral, sentences, tr
from explorer.runtime.causes import Causes
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.buttons import page_button
from explorer.ui.frame.page import fold
from explorer.ui.why.choices import chosen_head
from explorer.ui.why.many import need_on_show, show_many
from explorer.ui.why.saying import show_answer
from explorer.views.looks import marked_if_taught, roles_in_words, taught_in_words
from explorer.views.why import heads
from explorer.views.why.heads import CONFIDENCE


def show_heads(settings: Settings, causes: Causes) -> None:
    """Every head switched off: the word in question, then many sentences."""
    asked, effects = Asked.of(causes.question), causes.without_heads()
    at = chosen_head(settings) or heads.telling_head(asked, effects)
    show_answer(*heads.answer(asked, effects, at))
    live_plot(heads.off_picture(asked, effects, at))
    if at is not None:
        _show_role(settings, causes, at)
    need = need_on_show(settings)
    if need is not None:
        live_plot(heads.need_picture(need, at))
    label = tr("Does a head that looks useful do anything?")
    fold(label, "heads_folded", _show_table, settings, causes, effects, need)
    show_many(settings, causes.run)


def _show_role(settings: Settings, causes: Causes, at: Head) -> None:
    """The role of a head in this sentence, and the way to its picture."""
    kind, layer, head = at
    attention = causes.run.attention(kind, layer)
    roles = roles_in_words(causes.run, attention, known_here(settings))
    name = head_in_words(*at)
    role = tr("The role of {head} in this sentence: {job}.", head=name, job=roles[head])
    with st.container(horizontal=True, vertical_alignment="center", key="one_off"):
        st.text(sentences(role, taught_in_words(causes.run, attention, head)), width="content")
        place = {"attention": kind, "layer": layer + 1, "head": head + 1}
        page_button(tr("See where it looks"), "attention", choices=place, icon=":material/hub:")


def _show_table(
    settings: Settings, causes: Causes, effects: Effects, need: HeadNeed | None
) -> None:
    """Every head with what it looks at, and what is lost without it."""
    columns = [tr("head"), tr("its role here"), tr("lost without it")]
    grids = []
    if need is not None:
        columns += [tr("lost nats a token, many sentences"), f"± {numeral(0.95, '.0%')}"]
        grids += [(need.changes, -1.0), (need.errors, CONFIDENCE)]
    rows = []
    for kind, grid in effects.items():
        for layer in range(len(grid)):
            attention = causes.run.attention(kind, layer)
            roles = roles_in_words(causes.run, attention, known_here(settings))
            for head, role in enumerate(roles):
                numbers = [times * some[kind][layer, head] for some, times in grids]
                rows.append(
                    [
                        marked_if_taught(
                            head_in_words(kind, layer, head), causes.run, attention, head
                        ),
                        role,
                        signed(-float(grid[layer, head])),
                        *map(_number_or_dash, numbers),
                    ]
                )
    table(
        columns,
        rows,
        key="why-heads",
        caption=Asked.of(causes.question).unit,
    )


def _number_or_dash(number: float) -> str:
    """A number, or a dash where there is none: one sentence has no spread."""
    return "–" if np.isnan(number) else numeral(number, "z.2f")
