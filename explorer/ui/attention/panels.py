"""The pictures of the attention page, and the facts below them."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from explorer import attention as engine
from explorer.analysis.attention import ATTENTION_NAMES, Attention
from explorer.analysis.head_roles import KnownHeads
from explorer.figures.attention import all_heads, one_head
from explorer.figures.theme import Theme
from explorer.languages import numeral, tr, tr_n
from explorer.names import AttentionKind
from explorer.runtime.engine import Run
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.controls.choices import choose, choose_clicked, chosen, on_show
from explorer.ui.page import check_badge, offer_own_scale, show_code, weights_badge
from explorer.ui.parameters import HEAD, KEY, QUERY
from explorer.ui.pictures import head_in_words, heads_of, in_words, looks_most, one_look
from explorer.ui.registry import open_page
from explorer.ui.settings import Settings


@dataclass(frozen=True)
class Choices:
    """The choices of this page."""

    kind: AttentionKind
    layer: int  # from 0
    head: int  # from 0
    own_range: bool
    hide_pad: bool


def pick_head(point: dict[str, str]) -> None:
    """Bring the head of the clicked picture into focus."""
    choose_clicked(HEAD, point["name"])


def pick_cell(attention: Attention, point: dict[str, int]) -> None:
    """Frame the clicked weight; a second click takes the frame away."""
    at = attention.query_positions[point["y"]], attention.key_positions[point["x"]]
    query, key = (None, None) if at == (chosen(QUERY), chosen(KEY)) else at
    choose(QUERY, query)
    choose(KEY, key)


def chosen_cell(attention: Attention) -> tuple[int, int] | None:
    """The row and column of the weight that was chosen; None if it is not shown.

    It is known by the positions of its words, on this page and step by step.
    """
    query, key = chosen(QUERY), chosen(KEY)
    cell = None if query is None or key is None else attention.cell(query, key)
    if cell is not None:
        on_show().update({QUERY.key: query, KEY.key: key})
    return cell


def show_way_to_steps() -> None:
    """A button that leads to the arithmetic of this head, and of the chosen weight if any."""
    if st.button(tr("Step by step: where does it come from?"), icon=":material/calculate:"):
        open_page("steps", case="model")


def show_heads(
    ran: Run,
    attention: Attention,
    view: Choices,
    cell: tuple[int, int] | None,
    theme: Theme,
    known: KnownHeads | None,
) -> None:
    """The head in focus, with all heads beside it."""
    heads, head = heads_of(attention), view.head
    top = float(attention.weights.max()) or 1.0 if view.own_range else 1.0
    place = {"attention": tr(ATTENTION_NAMES[view.kind]), "layer": view.layer + 1}
    all_looks = " ".join(
        tr("Head {head}: {looks}.", head=n + 1, looks=looks_most(attention, n))
        for n in range(attention.n_heads)
    )
    focus, grid = st.columns([11, 10])
    with focus:
        live_plot(
            one_head(heads, head, theme, kind=view.kind, top=top, cell=cell),
            key="one_head",
            alt=tr("{attention}, layer {layer}, head {head}.", **place, head=head + 1)
            + f" {in_words(attention, head)}",
            file_name=f"{view.kind}-layer{view.layer + 1}-head{head + 1}",
            on_pick=partial(pick_cell, attention),
        )
    with grid:
        live_plot(
            all_heads(heads, head, theme, kind=view.kind, top=top),
            key="all_heads",
            alt=tr(
                "{attention}, layer {layer}, all {heads} heads.", **place, heads=attention.n_heads
            )
            + f" {all_looks}",
            file_name=f"{view.kind}-layer{view.layer + 1}-all-heads",
            on_pick=pick_head,
        )
    offer_own_scale(float(attention.weights[head].max()))
    look = looks_most(attention, head) if cell is None else one_look(attention, head, cell)
    st.text(
        tr(
            "Head {head}: {does} {looks}. Click a small picture to bring its head into focus, or "
            "a weight to follow it step by step.",
            head=head + 1,
            does=head_in_words(ran, attention, head, known),
            looks=look,
        )
    )


def show_checks(settings: Settings, ran: Run, view: Choices) -> None:
    """Facts computed from what is on screen."""
    checks = engine.check_attention(ran.trace.attention(view.kind, view.layer))
    with st.container(horizontal=True, key="checks"):
        weights_badge(settings)
        check_badge(
            checks.row_error < 1e-5,
            tr_n(
                "rows sum to 1 (±{error:.0e}); {n} that may attend to nothing is 0",
                "rows sum to 1 (±{error:.0e}); {n} that may attend to nothing are 0",
                checks.empty,
                error=checks.row_error,
            )
            if checks.empty
            else tr("rows sum to 1 (±{error:.0e})", error=checks.row_error),
        )
        check_badge(
            checks.leaked == 0,
            tr_n(
                "{n} masked weight is exactly 0",
                "{n} masked weights are exactly 0",
                checks.hidden,
            )
            if checks.hidden
            else tr("nothing is masked"),
        )
        if settings.dropout_seed is not None:
            st.badge(tr("compared with torch.nn only without dropout"), color="gray")
        elif (difference := ran.difference_to_torch()) is not None:
            check_badge(
                difference < 1e-4,
                tr("torch.nn agrees (largest difference {difference:.0e})", difference=difference),
            )
    if settings.learnt is None:
        st.caption(tr("Untrained weights: the mechanics are real, the pattern means nothing."))


def show_depth(settings: Settings, attention: Attention, head: int) -> None:
    """Numbers, formula and code, folded away."""
    numbers = st.expander(
        tr("The numbers behind head {head}", head=head + 1), key="numbers", on_change="rerun"
    )
    if numbers.open:
        with numbers:
            rows, columns = (
                [f"{n} · {word}" for n, word in zip(positions, words, strict=True)]
                for positions, words in (
                    (attention.query_positions, attention.query_labels),
                    (attention.key_positions, attention.key_labels),
                )
            )
            values = attention.weights[head].tolist()
            table(
                [tr("query \\ key"), *columns],
                [
                    [row, *(numeral(w, ".4f") for w in line)]
                    for row, line in zip(rows, values, strict=True)
                ],
                key="attention-weights",
                caption=tr(
                    "Weights of head {head}: rows are queries, columns are keys.", head=head + 1
                ),
            )
    config = settings.config
    with st.expander(tr("The formula")):
        scores = r"\frac{QK^\top}{\sqrt{d_k}}" if config.scale_scores else r"QK^\top"
        if config.positions in ("t5", "alibi"):
            scores += " + B"
        st.latex(rf"\text{{Attention}}(Q, K, V) = \text{{softmax}}\left({scores}\right)V")
        said = [
            tr(
                "Here d_k = d_model / heads = {d_model} / {heads} = {d_k}.",
                d_model=config.d_model,
                heads=config.n_heads,
                d_k=config.d_k,
            )
            if config.d_model == config.n_heads * config.d_k
            else tr("Here d_k = {d_k}.", d_k=config.d_k)
        ]
        if config.positions == "t5":
            said.append(
                tr(
                    "B holds a number for each distance between query and key; cross-attention "
                    "has none."
                )
            )
        said.append(
            tr(
                "In cross-attention the *query* comes from the decoder, *key and value* from the "
                "encoder; some tutorials have it the other way round."
            )
        )
        st.markdown(" ".join(said))
    show_code(tr("The code that ran"), engine.scaled_dot_product, engine.MultiHeadAttention.forward)
