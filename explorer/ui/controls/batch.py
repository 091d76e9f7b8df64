"""The sentence pairs: which one is on show, how to read them, and examples to pick from."""

from contextlib import suppress
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choices.examples import EXAMPLES, reads_any_words
from explorer.choices.parameters import KNOWN_NAMES, UNTRAINED_NAME, Frame, Look
from explorer.languages import mark, tr
from explorer.names import Reading
from explorer.text import MAX_PAIRS, tokenize
from explorer.tokenizer import IdTokenizer, TextTokenizer, Tokenizer
from explorer.ui.controls.choices import choose, choose_by_key, shown_before, value
from explorer.ui.controls.sentences import (
    keep_answers,
    load_pairs,
    pairs_on_show,
    rewrite_sentences,
    typed_pairs,
    world_on_show,
)
from explorer.ui.controls.weights import keep_shape, leave_trained, show_weights, source_on_show
from explorer.ui.controls.widgets import number, segments, select, toggle
from explorer.ui.frame.page import folded, unfold
from explorer.ui.frame.session import held, memory
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import (
    TRANSLATOR,
    UNTRAINED,
    WeightsGoneError,
    subwords,
    tokenizer,
)

READING_NAMES: Final[dict[Reading, str]] = {
    "words": mark("words"),
    "characters": mark("characters"),
    "subwords": mark("subwords"),
    "ids": mark("ids"),
}


def draw_more_sentences(*, answering: bool) -> DeltaGenerator | None:
    """Draw the controls for all sentences, folded away; returns the place of the other pairs.

    With `answering` the model writes the targets, unless the visitor wants to type them.
    """
    # What a browser does not draw, it would go on sending as it was: so nothing is drawn in it.
    name, is_open = folded("more_sentences")
    more = st.popover(
        tr("More sentences"),
        icon=":material/more_horiz:",
        help=tr("More sentences"),
        key=name,
        on_change="rerun",
    )
    if not is_open:
        return None
    with more:
        st.selectbox(
            tr("Examples"),
            EXAMPLES,
            index=None,
            format_func=tr,
            placeholder=tr("Pick an example"),
            key=held("example", None, _pick_example),
            label_visibility="collapsed",
        )
        pairs = st.container(key="pairs_folded")
        _draw_reading()
        if answering:
            toggle(Frame.typed_target, tr("Type targets"), on_change=_typing_chosen)
            st.caption(
                tr(
                    "How sure a model is: the geometric mean of its pieces' probabilities. To be "
                    "sure is not to be right. For the translator, we measured how often answers "
                    "like this one are right: close to a known translation."
                )
            )
    return pairs


def _draw_reading() -> None:
    """The controls for what is read, and how."""
    with st.container(horizontal=True):
        pairs = number(Frame.pairs, tr("Sentence pairs"), shown=pairs_on_show())
        if pairs > 1:
            select(Frame.pair, tr("Pair on show"), range(1, min(pairs, MAX_PAIRS) + 1))
    level = segments(
        Frame.tokens,
        tr("Read as"),
        names=READING_NAMES,
        label_visibility="visible",
        on_change=_level_chosen,
    )
    if level == "ids":
        number(Frame.pad_id, tr("PAD id"))


def tokenizer_on_show() -> Tokenizer:
    """The tokenizer of the model on show; for an untrained model, the chosen one."""
    source = source_on_show()
    if source != UNTRAINED:
        return tokenizer(source)
    return _untrained_tokenizer(value(Frame.tokens))


def load_example(name: str) -> None:
    """Load an example's sentences, and the way to read them, into the controls.

    If the weights on show are not those for the example, or cannot read it, others take their
    place.
    """
    example = EXAMPLES[name]
    if example.level != "words":
        if value(Frame.weights) != UNTRAINED_NAME:
            leave_trained(value(Frame.weights))
    elif example.weights is not None:
        show_weights(example.weights)
    elif not reads_any_words(world_on_show()):
        show_weights(TRANSLATOR)
    memory().pop("words_before", None)
    choose(Frame.tokens, None if example.level == "words" else example.level)
    choose(Frame.pad_id, example.pad_id)
    choose(Frame.pair, example.on_show)
    for look in (Look.attention, Look.layer, Look.head, Look.query, Look.key):
        choose(look, None)
    for key, choice in example.choices.items():
        choose_by_key(key, choice)
    load_pairs(example.pairs)


def _pick_example(name: str) -> None:
    if name in EXAMPLES:
        load_example(name)
        unfold("more_sentences", False)  # it covers the fields with the picked sentences


def _typing_chosen() -> None:
    if value(Frame.typed_target):
        keep_answers()


def _level_chosen() -> None:
    """Replace trained weights, which read in one way, by untrained ones; convert words and ids."""
    now, weights = value(Frame.tokens), value(Frame.weights)
    before: Tokenizer = TextTokenizer()
    if weights == UNTRAINED_NAME:
        before = _untrained_tokenizer(shown_before().get(Frame.tokens.key, "words"))
    elif weights in KNOWN_NAMES:  # the ids of a pretrained model are too large for another
        with suppress(WeightsGoneError):
            before = tokenizer(source_on_show())
    if weights != UNTRAINED_NAME:
        keep_shape(weights)
        leave_trained(weights)
    rewrite_sentences(now, before)


def _untrained_tokenizer(level: str) -> Tokenizer:
    if level == "ids":
        return IdTokenizer(value(Frame.pad_id), _ids_needed())
    if level == "subwords":
        return subwords()
    return TextTokenizer("characters" if level == "characters" else "words")


def _ids_needed() -> int:
    """The size of the vocabulary of typed ids: subwords have more ids than words."""
    read = typed_pairs()[:MAX_PAIRS]
    typed = (word for pair in read for text in pair for word in tokenize(text, "ids"))
    large = (word.isascii() and word.isdigit() and int(word[:9]) >= VOCAB_SIZE for word in typed)
    return subwords().vocabulary.size if any(large) else VOCAB_SIZE
