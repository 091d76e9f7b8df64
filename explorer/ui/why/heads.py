"""Which heads are needed? The panel: on the sentence on show, and over many sentences."""

import streamlit as st

from explorer.analysis.causes.need import HeadNeed
from explorer.figures.theme import THEMES
from explorer.languages import numeral, tr
from explorer.runtime.causes import Causes
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.outside import known_here
from explorer.ui.registry import open_page
from explorer.ui.settings import Settings
from explorer.ui.why.choices import chosen_head
from explorer.ui.why.saying import say
from explorer.views.looks import roles_in_words
from explorer.views.why import heads
from explorer.views.why.asked import Asked, place
from explorer.views.why.parts import signed


def show_heads(settings: Settings, causes: Causes) -> None:
    """Every head switched off: the word in question, then many sentences."""
    theme, asked, effects = (
        THEMES[settings.theme],
        Asked.of(causes.question),
        causes.without_heads(),
    )
    say(*heads.answer(asked, effects))
    at = chosen_head(settings) or heads.largest_head(effects)
    live_plot(heads.off_picture(asked, effects, at, theme))
    kind, layer, head = at
    roles = roles_in_words(causes.run, causes.run.attention(kind, layer), known_here(settings))
    with st.container(horizontal=True, vertical_alignment="center", key="one_off"):
        st.text(
            tr(
                "{without} What it looks at: {job}.",
                without=heads.one_head(asked, effects, at),
                job=roles[head],
            ),
            width="content",
        )
        if st.button(tr("See where it looks"), icon=":material/hub:"):
            open_page("attention", attention=kind, layer=layer + 1, head=head + 1)
    _show_table(causes, asked, effects, None, settings)


def _show_table(
    causes: Causes, asked: Asked, effects: heads.Effects, need: HeadNeed | None, settings: Settings
) -> None:
    """Every head with what it looks at, and what is lost without it; folded away."""
    folded = st.expander(
        tr("Does a head that looks useful do anything?"), key="heads_folded", on_change="rerun"
    )
    if not folded.open:
        return
    columns = [tr("head"), tr("what it looks at"), tr("change without it")]
    if need is not None:
        columns += [tr("over many sentences"), "± 95 %"]
    rows = []
    for kind, grid in effects.items():
        for layer in range(len(grid)):
            attention = causes.run.attention(kind, layer)
            roles = roles_in_words(causes.run, attention, known_here(settings))
            for head, role in enumerate(roles):
                line = [place(kind, layer, head), role, signed(float(grid[layer, head]))]
                if need is not None:
                    line.append(signed(float(need[kind][layer, head])))
                    line.append(numeral(1.96 * float(need.errors[kind][layer, head]), ".2f"))
                rows.append(line)
    with folded:
        table(
            columns,
            rows,
            key="why-heads",
            caption=tr("Change: {unit}. Click a column's name to sort.", unit=asked.unit),
            sortable=True,
        )
