"""How does it write an answer? Word by word, each time reading what it has written."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer import decoding
from explorer.figures import describe
from explorer.figures.attention import Heads, one_head
from explorer.figures.decoding import Node, newest, next_words, tree
from explorer.figures.labels import elide, escape
from explorer.figures.theme import THEMES, Theme
from explorer.names import BOS
from explorer.runtime.generation import Way, Word, Written, written
from explorer.runtime.turns import in_turn
from explorer.tasks.tasks import words_of
from explorer.text import Batch
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.choices import IN_URL, as_number, choice
from explorer.ui.frame import show
from explorer.ui.markdown import literal
from explorer.ui.page import check_badge, heading, show_code, weights_badge
from explorer.ui.reading import require_words
from explorer.ui.settings import METHODS, TEMPERATURES, TOP_KS, TOP_PS, WIDTHS, Method, Settings

SHOWN = 8  # words whose probabilities are drawn


def choose_way() -> Way:
    """How the next word is chosen, with what belongs to it."""
    method: Method = st.segmented_control(
        "Method", METHODS, default="greedy", required=True, key="method",
        label_visibility="collapsed", **IN_URL,
    )  # fmt: skip
    if method == "beam search":
        return Way(method, width=choice("Width", WIDTHS, key="width", width=130, usual=4))
    if method == "greedy":
        return Way(method)
    temperature = st.select_slider(
        "Temperature", TEMPERATURES, 1.0, key="heat", width=150, format_func=str, **IN_URL
    )
    top_k = st.select_slider("top-k", TOP_KS, "all", key="top_k", width=110, **IN_URL)
    top_p = st.select_slider(
        "top-p", TOP_PS, 1.0, key="top_p", width=110, format_func=str, **IN_URL
    )
    seed = st.number_input("Seed", 0, 999_999, 0, key="dice", width=140, **IN_URL)
    return Way(
        method, temperature=temperature, top_k=None if top_k == "all" else int(top_k), top_p=top_p,
        seed=seed,
    )  # fmt: skip


def choose_playing() -> bool:
    """Whether the steps go by on their own."""
    state = st.session_state

    def toggle() -> None:
        state.playing = state.just_pressed = not state.get("playing")

    playing = bool(state.get("playing"))
    icon = ":material/pause:" if playing else ":material/play_arrow:"
    st.button("Pause" if playing else "Play", icon=icon, on_click=toggle)
    return playing


def beat(count: int) -> None:
    """While it plays, every run of the picture goes one step on; from the end it starts anew."""
    state = st.session_state
    at = min(as_number(state.get("at"), 1), count)
    if state.pop("just_pressed", False):
        state.at = 1 if at == count else at
    elif at < count:
        state.at = at + 1
    else:
        state.playing = False
        st.rerun()


def choose_step(count: int) -> int:
    """Which word is being chosen, from 0: by its number, or one step back or on."""

    def step_to(number: int) -> None:
        st.session_state.at = number
        st.session_state.playing = False

    if st.session_state.get("playing"):
        beat(count)
    at = choice("Word", range(1, count + 1), key="at", width=130)
    back, forward = ":material/arrow_back:", ":material/arrow_forward:"
    st.button("Back", icon=back, on_click=step_to, args=(at - 1,), disabled=at == 1)
    st.button(
        "Next", icon=forward, on_click=step_to, args=(at + 1,), disabled=at == count, type="primary"
    )
    return at - 1


@in_turn
def show_writing(settings: Settings, way: Way) -> None:
    """One step: what is read, where the newest position looks, what may come next."""
    batch = settings.batch()
    row = min(settings.row, len(batch.src) - 1)
    answer = written(settings, batch.src[row : row + 1], way)
    layers = range(1, settings.n_decoder_layers + 1)
    with st.container(horizontal=True, vertical_alignment="center", key="words"):
        at = choose_step(len(answer.words))
        layer = choice("Layer", layers, key="writing_layer", width=125, usual=len(layers)) - 1
    word, theme = answer.words[at], THEMES[settings.theme]
    said = batch.tgt_names([step.chosen for step in answer.words])
    before, now = [BOS, *said[:at]], said[at]
    st.markdown(
        f"The decoder has read **{literal(' '.join(before))}**; "
        f"the next word is **{literal(now)}**, probability {word.probabilities[word.chosen]:.3f}."
    )
    own, source, words = st.columns([3, 4, 3])
    with words:
        show_words(word, batch, way, theme)
    room = len(answer.words)
    is_word = (batch.src[row] != batch.pad_id).numpy()
    for column, kind, weights, labels, title in (
        (own, "decoder", word.own, before, "looks at its own words"),
        (source, "cross", word.cross, batch.src_labels[row], "looks at the source"),
    ):
        with column:
            live_plot(
                newest(
                    weights[layer],
                    np.ones(len(labels), bool) if kind == "decoder" else is_word,
                    labels,
                    theme,
                    kind=kind,
                    title=f"“{escape(elide(before[-1]))}” {title}",
                    room=room if kind == "decoder" else 0,
                    widest=9 if kind == "decoder" else 13,
                ),
                key=f"newest_{kind}",
                alt=f"The newest position {title}, layer {layer + 1}. "
                + describe.attention_in_words(
                    weights[layer], [f"head {n + 1}" for n in range(len(weights[layer]))], labels
                ),
                file_name=f"decoding-{kind}",
            )
    show_verdict(settings, batch, row, said, answer.ended)
    if answer.tree:
        show_tree(answer, at, batch, way, theme)
    show_alignment(settings, answer, at, layer, batch.src_labels[row], is_word, said, theme)


def show_verdict(settings: Settings, batch: Batch, row: int, said: list[str], ended: bool) -> None:
    """The answer beside the right one."""
    task = settings.weights.task
    words = tuple(said[:-1] if ended else said)
    right = None if task is None else task.answer(words_of(task, settings.sources[row]))
    with st.container(horizontal=True, key="checks"):
        weights_badge(settings)
        if not ended:
            check_badge(False, f"stopped: no EOS within {len(said)} words")
        elif right is not None:
            check_badge(words == right, "right" if words == right else "not the right answer")
    st.text(f"The whole answer: {' '.join(words) or '(nothing)'}")
    if task is not None and words != right:
        st.text(f"The right answer: {'unknown' if right is None else ' '.join(right)}")


def show_words(word: Word, batch: Batch, way: Way, theme: Theme) -> None:
    """The likeliest words, the chosen one among them."""
    order = np.argsort(-word.probabilities, kind="stable")[:SHOWN].tolist()
    if word.chosen not in order:
        order[-1] = word.chosen
    names = batch.tgt_names(order)
    drawn = way.method == "sampling"
    live_plot(
        next_words(
            word.probabilities[order],
            word.candidates[order] if drawn else None,
            names,
            order.index(word.chosen),
            theme,
            height=300,
        ),
        key="next_words",
        alt="Probabilities of the next word: "
        + ", ".join(
            f"{name} {word.probabilities[i]:.3f}" for name, i in zip(names, order, strict=True)
        )
        + f". Chosen: {names[order.index(word.chosen)]}.",
        caption="Probability of the next word; bold: the one that is taken."
        + (" Outlined: the shares it was drawn from." if drawn else "")
        + (" #: ids that none of your words has." if any(n[:1] == "#" for n in names) else ""),
        file_name="next-word",
    )


def show_tree(answer: Written, at: int, batch: Batch, way: Way, theme: Theme) -> None:
    """The search so far."""
    best = set(answer.best)
    nodes = [Node(parent=None, depth=0, word=BOS, score=0.0, probability=1.0, kept=True, best=True)]
    last = at + 1 == len(answer.words)
    shown = answer.tree if last else answer.tree[: at + 1]
    for depth, grown in enumerate(shown, start=1):
        names = batch.tgt_names([node.token for node in grown])
        nodes += [
            Node(
                parent=node.parent, depth=depth, word=name, score=node.score,
                probability=float(np.exp(node.log_probability)), kept=node.kept,
                best=node.number in best,
            )
            for node, name in zip(grown, names, strict=True)
        ]  # fmt: skip
    live_plot(
        tree(nodes, theme, depth=len(answer.tree), width=way.width),
        key="tree",
        alt=f"Beam search, {len(shown)} steps: {sum(node.kept for node in nodes)} beginnings kept, "
        f"{sum(not node.kept for node in nodes)} dropped.",
        caption="Each column is one more word, the best beginning on top with its score: the "
        f"log-probability divided by ((5 + length) / 6)^{way.alpha:g}. Small and grey: dropped, "
        "the likeliest of them.",
        file_name="beam-search",
    )


def show_alignment(
    settings: Settings,
    answer: Written,
    at: int,
    layer: int,
    source: Sequence[str],
    is_word: np.ndarray,
    said: list[str],
    theme: Theme,
) -> None:
    """Which source words every word of the answer looked at, so far."""
    weights = np.stack([word.cross[layer] for word in answer.words], axis=1)  # (heads, word, src)
    weights[:, at + 1 :] = np.nan
    may_attend = np.broadcast_to(is_word, weights.shape[1:]).copy()
    heads = Heads(
        weights=weights, scores=None, may_attend=may_attend, query_labels=said, key_labels=source
    )
    with st.container(horizontal=True, vertical_alignment="center", key="alignment_choices"):
        st.subheader("The whole answer and its source", anchor=False, width="content")
        head = choice("Head", range(1, settings.n_heads + 1), key="head", width=125)
    done = weights[head - 1, : at + 1]
    live_plot(
        one_head(
            heads,
            head - 1,
            theme,
            kind="cross",
            row="chosen:",
            row_title="words: as they were chosen",
        ),
        key="alignment",
        alt=f"Cross-attention, layer {layer + 1}, head {head}, from each word of the answer to the "
        "source. " + describe.attention_in_words(done, said[: at + 1], source),
        caption="Rows: the words of the answer, at the moment they were chosen. Columns: the "
        "source.",
        file_name="alignment",
    )


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        "How does it write an answer?",
        "Word by word: it reads what it has written so far, looks at the source, and chooses what "
        "comes next, from BOS until it chooses EOS.",
    )
    batch = settings.batch()
    if batch.tgt_out is None:
        st.info(
            "Choose *words* above: typed ids have no BOS to start from.", icon=":material/info:"
        )
        return
    require_words(batch, min(settings.row, len(batch.src) - 1))
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        way = choose_way()
        playing = choose_playing()
    st.fragment(show_writing, run_every=0.8 if playing else None)(settings, way)
    show_code("The code that ran", decoding.greedy, decoding.narrow, decoding.beam)


show(show_page)
