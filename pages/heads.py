"""Which head does what? Every head of every layer at once."""

import streamlit as st

from explorer.analysis.attention import ATTENTION_NAMES, KIND_NAMES, Attention
from explorer.analysis.head_roles import KnownHeads, roles
from explorer.analysis.head_summary import summarise, summary_of
from explorer.answers.outside import known_here
from explorer.choices.settings import Settings
from explorer.figures.theme import THEMES
from explorer.languages import mark, numeral, tr, tr_n
from explorer.names import AttentionKind
from explorer.runtime.engine import Run
from explorer.ui.components.heads_view import heads_view
from explorer.ui.components.table import table
from explorer.ui.controls.attention import choose_attention, choose_head, kind_on_show
from explorer.ui.controls.buttons import page_button
from explorer.ui.frame import show
from explorer.ui.page import (
    choose_own_scale,
    heading,
    say_what_is_missing,
    show_code,
    weights_badge,
)
from explorer.ui.running import run
from explorer.views.heads import heads_picture
from explorer.views.looks import head_in_words, looks_most, marked_if_taught, roles_in_words

MEASURES = {
    "entropy": mark("entropy (bits)"),
    "distance": mark("mean distance"),
    "diagonal": mark("on the diagonal"),
    "previous": mark("on the previous token"),
    "frame": mark("on BOS or EOS"),
}


def show_summary(
    ran: Run, kind: AttentionKind, layers: list[Attention], known: KnownHeads | None
) -> None:
    """Show a table with a row for each head."""
    rows = []
    for attention in layers:
        numbers = summary_of(attention)
        columns = [getattr(numbers, name).tolist() for name in MEASURES]
        names = [roles_in_words(ran, attention, known)]
        if known is not None:
            names.append(
                [
                    tr("aligns best, {share:.0f}%", share=known.aligned_in_percent)
                    if known.aligns_best(kind, attention.layer, head)
                    else role.in_words
                    for head, role in enumerate(known.roles[kind][attention.layer])
                ]
            )
        rows += [
            [
                marked_if_taught(
                    tr("layer {layer}, head {head}", layer=attention.layer + 1, head=head + 1),
                    ran,
                    attention,
                    head,
                ),
                *texts,
                *(numeral(n, ".3f") for n in line),
            ]
            for head, (texts, line) in enumerate(
                zip(zip(*names, strict=True), zip(*columns, strict=True), strict=True)
            )
        ]
    what = [tr("what it does here")]
    if known is not None:
        what.append(tr_n("in {n} held-out sentence", "in {n} held-out sentences", known.sentences))
    table(
        [tr("head"), *what, *map(tr, MEASURES.values())],
        rows,
        key=f"{kind}-heads",
        caption=tr(
            "{attention}, means over the query tokens that are not PAD. What a head does: the "
            "role that gets the largest share of its attention, and how large that is. Entropy 0: "
            "one key gets everything. Distance: how many tokens away. A head that is called taught "
            "was told in training where to look. Click a column's name to sort.",
            attention=tr(ATTENTION_NAMES[kind]),
        ),
        sortable=True,
    )


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("Which head does what?"),
        tr(
            "Each small square is one head, layers from top to bottom: queries are its rows, keys "
            "its columns. Click one to see its lines."
        ),
        within=(settings.config, kind_on_show(settings)),
    )
    say_what_is_missing(settings)
    controls = st.container(horizontal=True, vertical_alignment="center", key="choices")
    with controls:
        kind, layer = choose_attention(settings)
        head = choose_head(settings, kind, layer)
    ran = run(settings)
    layers = [ran.attention(kind, n) for n in range(settings.config.layers_of(kind))]
    attention, known = layers[layer], known_here(settings)
    with controls:
        own_range = choose_own_scale(float(attention.weights[head].max()))
    picture = heads_picture(ran, kind, layer, head, own_range=own_range)
    heads_view(picture, THEMES[settings.theme])
    st.text(
        tr(
            "{attention}, layer {layer}, head {head}: {does} {looks}.",
            attention=tr(KIND_NAMES[kind]),
            layer=layer + 1,
            head=head + 1,
            does=head_in_words(ran, attention, head, known),
            looks=looks_most(attention, head),
        )
    )
    st.caption(
        tr(
            "Lines run from queries (left) to keys (right), stronger for larger weights; point at "
            "a word or click it to see only its lines."
        )
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        page_button(tr("As a heatmap"), "attention", icon=":material/hub:")
        as_steps = {"case": "model"}
        page_button(tr("Step by step"), "steps", choices=as_steps, icon=":material/calculate:")
        asks = {"ask": "heads", "why_head": f"{kind}-{layer + 1}-{head + 1}"}
        page_button(tr("Is it needed?"), "why", choices=asks, icon=":material/help_center:")
        weights_badge(settings)
    st.subheader(tr("Heads in numbers"), anchor=False)
    show_summary(ran, kind, layers, known)
    show_code(tr("The code that ran"), summarise, roles)


show(show_page)
