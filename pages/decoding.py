"""How does it write an answer? Word by word, each time reading the words so far."""

from dataclasses import replace
from functools import partial

import streamlit as st

from explorer import decoding
from explorer.answers.asking import limit_of
from explorer.answers.outside import is_moved
from explorer.choices.parameters import Decoding
from explorer.choices.settings import Settings
from explorer.languages import mark, tr
from explorer.markdown import literal
from explorer.runtime.engine import engine
from explorer.runtime.generation import DecodingOptions, Generation, Method, generate
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.player import player
from explorer.ui.controls.choices import choose
from explorer.ui.controls.widgets import number, segments, select, select_slider
from explorer.ui.decoding.panels import say_greedy, show_alignment, show_verdict
from explorer.ui.frame import show
from explorer.ui.page import heading, offer_back_and_next, show_code, show_missing
from explorer.ui.predict.ask_me import ask_me
from explorer.ui.running import on_page, require_words, tell
from explorer.views.decoding import (
    Writing,
    beginning,
    newest_pictures,
    next_words_picture,
    tree_picture,
    writes_nothing,
)

METHODS = {"greedy": mark("greedy"), "beam": mark("beam search"), "sampling": mark("sampling")}
# Translators: of the words that may come next.
ALL = mark("all")


def choose_options() -> DecodingOptions:
    """Let the visitor choose a method and its options."""
    method: Method = segments(Decoding.method, tr("Method"), names=METHODS)
    if method == "beam":
        return DecodingOptions(method, width=select(Decoding.width, tr("Width"), width=130))
    if method == "greedy":
        return DecodingOptions(method)
    temperature = select_slider(Decoding.heat, tr("Temperature"), width=210)
    top_k = select_slider(Decoding.top_k, "top-k", width=160)
    top_p = select_slider(Decoding.top_p, "top-p", width=160)
    seed = number(Decoding.dice, tr("Seed"), width=120)
    return DecodingOptions(
        method,
        temperature=temperature,
        top_k=None if top_k == ALL else top_k,
        top_p=top_p,
        seed=seed,
    )


def choose_step(count: int) -> int:
    """Let the visitor choose a word, counted from 0, by number or with Back and Next."""

    # In the middle, there are earlier words and likely next words.
    at = select(Decoding.at, tr("Word"), range(1, count + 1), usual=(count + 1) // 2, width=130)
    offer_back_and_next(at, count, partial(choose, Decoding.at), first=1)
    player(at, count, on_step=partial(choose, Decoding.at))
    return int(at) - 1


def step_in_words(writing: Writing, read: str) -> str:
    """What the decoder has read, and what it writes next."""
    word, piece = writing.word, literal(writing.labels[writing.at])
    probability = float(word.probabilities[word.chosen])
    if writing.options.method == "sampling":
        return tr(
            "The decoder has read: **{read}** · It draws: **{word}**, with probability "
            "{share:.2g} (the model's own: {probability:.2g}).",
            read=literal(read),
            word=piece,
            probability=probability,
            share=float(word.candidates[word.chosen]),
        )
    return tr(
        "The decoder has read: **{read}** · It writes: **{word}**, probability {probability:.3f}.",
        read=literal(read),
        word=piece,
        probability=probability,
    )


def show_writing(settings: Settings, options: DecodingOptions) -> None:
    """Show one step: the words read, where the newest position looks, and the next word."""
    batch, row = settings.batch(), settings.row
    options = replace(options, limit=limit_of(settings, batch, row))
    if not settings.answered:
        st.caption(tr("The model writes an answer of its own here, whatever target was typed."))
    if is_moved(settings, row):
        st.caption(
            tr(
                "PAD on the left moves the words to later positions: the model may write something "
                "else here than with PAD on the right."
            )
        )
    source, has_encoder = settings.sources[row], settings.config.has_encoder
    begun, prompt = beginning(settings.tokenizer, batch, row, source, has_encoder=has_encoder)

    def written(options: DecodingOptions) -> Generation:
        asked, specials = batch.sources[row : row + 1], batch.specials
        return generate(
            engine(), settings.request, asked, options, specials=specials, prompt=prompt, tell=tell
        )

    with on_page():
        answer = written(options)
    layers = range(1, settings.config.n_decoder_layers + 1)
    known = settings.known_heads
    telling = len(layers) if known is None else known.aligning[0] + 1
    with st.container(horizontal=True, vertical_alignment="center", key="words"):
        at = choose_step(len(answer.words))
        layer = select(Decoding.writing_layer, tr("Layer"), layers, usual=telling, width=125) - 1
    writing = Writing(answer=answer, options=options, batch=batch, row=row, begun=begun, at=at)
    pieces = writing.labels[:at]
    read = " ".join([*begun, settings.tokenizer.join(pieces)]).strip()
    st.markdown(step_in_words(writing, read))
    if answer.tree:
        live_plot(tree_picture(writing))
    looks = newest_pictures(writing, layer)
    columns = st.columns([3, 4, 3] if len(looks) == 2 else [7, 3])
    for column, picture in zip(columns, looks, strict=False):
        with column:
            live_plot(picture)
    with columns[-1]:
        live_plot(next_words_picture(writing, beside=looks[0]))
    show_verdict(settings, writing)
    if options.method != "greedy":
        with on_page():
            greedy = written(DecodingOptions(limit=options.limit))
        say_greedy(settings, replace(writing, answer=greedy), writing)
    if settings.config.has_encoder:
        show_alignment(settings, writing, layer)


def show_page(settings: Settings) -> None:
    """The whole page."""
    heading(
        tr("How does it write an answer?"),
        tr(
            "Word by word: it reads the words so far, looks at the source, if it has one, and "
            "chooses the next word, until it chooses EOS."
        ),
    )
    batch = settings.batch()
    if not settings.config.has_decoder:
        show_missing(settings, tr("it has no decoder, and writes nothing"))
        return
    if writes_nothing(settings.tokenizer):
        if settings.learnt is not None:
            why = tr("The files of this model do not say with which token an answer begins.")
        else:
            why = tr("Choose *words* under *⋯*: typed ids have no BOS to start from.")
        st.info(why, icon=":material/info:")
        return
    require_words(batch, settings.row)
    with st.container(horizontal=True, vertical_alignment="center", key="choices"):
        options = choose_options()
    show_writing(settings, options)
    show_code(tr("The code that ran"), decoding.greedy, decoding.narrow, decoding.beam)
    ask_me(settings, "decoding")


show(show_page)
