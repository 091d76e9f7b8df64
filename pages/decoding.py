"""How does it write an answer? Word by word, each time reading the words so far."""

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import decoding
from explorer.answers.outside import is_moved
from explorer.choices.parameters import Decoding
from explorer.choices.settings import Settings
from explorer.figures.describe import share_in_words
from explorer.languages import mark, numbered, sentences, tr
from explorer.markdown import literal
from explorer.runtime.generation import DecodingOptions
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.player import player
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choose
from explorer.ui.controls.widgets import number, segments, select, select_slider
from explorer.ui.decoding.panels import say_greedy, show_sureness
from explorer.ui.decoding.written import options_on_show, with_own_word, written
from explorer.ui.frame.draw import show
from explorer.ui.frame.page import heading, show_code, show_missing, stepper
from explorer.ui.frame.running import on_page, require_words
from explorer.ui.frame.stage import drawer, stage
from explorer.ui.predict.ask_me import ask_me
from explorer.views.decoding import (
    Writing,
    beginning,
    newest_pictures,
    next_words_picture,
    tree_picture,
    writes_nothing,
)

METHODS = {"greedy": mark("greedy"), "beam": mark("beam search"), "sampling": mark("sampling")}


def choose_method() -> None:
    """Let the visitor choose a method, and its most telling option."""
    method = segments(Decoding.method, tr("Method"), names=METHODS)
    if method == "beam":
        select(Decoding.width, tr("Width"), width=130)
    if method == "sampling":
        select_slider(Decoding.heat, tr("Temperature"), width=210)


def choose_among() -> None:
    """Let the visitor choose among which words is drawn, and with which seed."""
    with st.container(horizontal=True, vertical_alignment="center"):
        select_slider(Decoding.top_k, "top-k", width=160)
        select_slider(Decoding.top_p, "top-p", width=160)
        number(Decoding.dice, tr("Seed"), width=120)


def choose_step(writing: Writing) -> int:
    """Let the visitor choose a word of the answer; its number from 0."""
    labels, own = writing.labels, writing.options.instead
    count = len(labels)
    # In the middle, there are earlier words and likely next words; a tree is whole at the end.
    usual = count if writing.answer.tree else (count + 1) // 2
    if own:
        usual = own[-1][0] + 1
    numbers = range(1, count + 1)

    def named(place: int) -> str:
        return numbered(len(writing.begun) + place - 1, labels[place - 1])

    draw = partial(select, Decoding.at, tr("Word"), numbers, usual=usual, names=named, width=170)
    at = stepper(Decoding.at, numbers, draw)
    player(at, count, on_step=partial(choose, Decoding.at))
    return int(at) - 1


def choose_layer(settings: Settings) -> int:
    """Let the visitor choose a layer of the decoder; its number from 0."""
    layers = range(1, settings.config.n_decoder_layers + 1)
    known = settings.known_heads
    telling = len(layers) if known is None else known.aligning[0] + 1
    layer = select(Decoding.writing_layer, tr("Layer"), layers, usual=telling, width=125)
    return int(layer) - 1


def step_in_words(writing: Writing, read: str) -> str:
    """What the decoder has read, and what it writes next."""
    word, piece = writing.word, literal(writing.labels[writing.at])
    probability = share_in_words(float(word.probabilities[word.chosen]), 3)
    if writing.options.method == "sampling":
        return tr(
            "The decoder has read: **{read}** · It draws: **{word}**, with probability "
            "{share} (the model's own: {probability}).",
            read=literal(read),
            word=piece,
            probability=probability,
            share=share_in_words(float(word.candidates[word.chosen]), 3),
        )
    text = tr(
        "The decoder has read: **{read}** · It writes: **{word}**, probability {probability}.",
        read=literal(read),
        word=piece,
        probability=probability,
    )
    return sentences(
        text, tr("This word is yours.") * (writing.at in dict(writing.options.instead))
    )


def show_writing(settings: Settings, place: DeltaGenerator) -> None:
    """Show one step: the words read, the next word, and where the newest position looks.

    The choice of the step has its `place` beside that of the method.
    """
    batch, row, options = settings.batch(), settings.row, options_on_show(settings)
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
    begun, _ = beginning(settings.tokenizer, batch, row, source, has_encoder=has_encoder)
    with on_page():
        answer = written(settings, options)
    writing = Writing(answer=answer, options=options, batch=batch, row=row, begun=begun, at=0)
    with place:
        writing = replace(writing, at=choose_step(writing))
        if not answer.tree:
            layer = choose_layer(settings)
        if options.instead:
            back = tr("as the model wrote it")
            button(back, icon=":material/undo:", on_click=choose, args=(Decoding.own_words, None))
    read = " ".join([*begun, settings.tokenizer.join(writing.labels[: writing.at])]).strip()
    (what,) = stage("what")
    with what:
        if answer.tree:
            live_plot(tree_picture(writing))
        else:
            show_newest(settings, writing, layer)
        st.markdown(step_in_words(writing, read))
        show_sureness(settings, writing)
        if options.method != "greedy":
            with on_page():
                greedy = written(settings, DecodingOptions())
            say_greedy(settings, replace(writing, answer=greedy), writing)
    if answer.tree:
        drawer(tr("The newest word"), "newest", show_in_drawer, settings, writing, is_large=True)
    if options.method == "sampling":
        drawer(tr("top-k, top-p and seed"), "among", choose_among)


def show_newest(settings: Settings, writing: Writing, layer: int) -> None:
    """Show what may come next, and where every head of the newest position looks."""
    looks = newest_pictures(writing, layer)
    columns = st.columns([5, 8, 8] if len(looks) == 2 else [3, 7])
    writes = None
    if writing.options.method == "greedy":
        writes = partial(with_own_word, settings, writing)
    with columns[0]:
        live_plot(next_words_picture(writing, beside=looks[0], writes=writes))
    for column, picture in zip(columns[1:], reversed(looks), strict=True):
        with column:
            live_plot(picture)


def show_in_drawer(settings: Settings, writing: Writing) -> None:
    """Show the newest word of a beam search, for a layer that is chosen here."""
    show_newest(settings, writing, choose_layer(settings))


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
        show_missing(settings)
        return
    if writes_nothing(settings.tokenizer):
        if settings.learnt is not None:
            why = tr("The files of this model do not say with which token an answer begins.")
        else:
            why = tr("Choose *words* under *⋯*: typed ids have no BOS to start from.")
        st.info(why, icon=":material/info:")
        return
    require_words(batch, settings.row)
    place = st.container(horizontal=True, vertical_alignment="center", key="choices")
    with place:
        choose_method()
    show_writing(settings, place)
    show_code(decoding.greedy, decoding.narrow, decoding.beam)
    ask_me(settings, "decoding")


show(show_page)
