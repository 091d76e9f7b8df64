"""The sentence pairs on top of every page, with examples to pick from."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, get_args
from urllib.parse import quote_plus

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.widgets import text_widgets
from streamlit.errors import StreamlitAPIException

from explorer.text import MAX_PAIRS, VOCAB_SIZE, Level
from explorer.ui.controls.choices import IN_URL, choice
from explorer.ui.controls.weights import controls_of
from explorer.ui.settings import (
    DEFAULT_SOURCES,
    DEFAULT_TARGETS,
    HERE,
    LINK_CHARACTERS,
    MAX_ROWS,
    Weights,
)

# A picture follows 100 ms after the last key press. Said the documented way, live="100ms", it
# would have Streamlit import pandas to read the string: 80 MB in every server process.
vars(text_widgets)["_DEFAULT_LIVE_DEBOUNCE_MS"] = 100


@dataclass(frozen=True, slots=True)
class Example:
    """Sentence pairs worth looking at, and how to read them."""

    pairs: tuple[tuple[str, str], ...]
    level: Level = "words"
    pad_id: int = 0
    on_show: int = 1
    world: str = "any words"  # whose sentences they are, see `WORLDS`


TOY_BATCH: Final = (
    "2 3 4 5 6 7 8 9",
    "2 7 7 4 2 4 3 4",
    "3 6 8 5 2 1 3 4",
    "4 7 9 6 3 1 7 1",
    "5 7 2 7 3 1 8 1",
    "1 6 2 8 4 1 8 1",
    "1 1 1 1 5 1 9 1",
    "1 1 1 1 5 1 1 1",
)
TOY_NAME: Final = "8×8 toy batch of ids, PAD = 1"
WORLDS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "any words": tuple(zip(DEFAULT_SOURCES, DEFAULT_TARGETS, strict=True)),
    "numbers": (
        ("siebenhundertdreiundvierzig", "seven hundred forty three"),
        ("einundzwanzig", "twenty one"),
    ),
    "german": (
        (
            "heute hat der alte Hund die kleine Katze gesehen",
            "today the old dog has seen the small cat",
        ),
        (
            "das Kind weint, weil der Vogel nicht singt",
            "the child cries because the bird does not sing",
        ),
    ),
    "quotes": (
        ("I'm gonna make him an offer", "he can't refuse"),
        ("may the Force", "be with you"),
    ),
}
EXAMPLES: Final = {
    "The animal was tired": Example(tuple(zip(DEFAULT_SOURCES, DEFAULT_TARGETS, strict=True))),
    "A film quote and its answer": Example(WORLDS["quotes"], world="quotes"),
    "Number words: the ones come first": Example(WORLDS["numbers"], world="numbers"),
    "German: the verb comes last": Example(WORLDS["german"], world="german"),
    "Cats and dogs, swapped": Example(
        (
            ("I like cats more than dogs", "ich mag Katzen mehr als Hunde"),
            ("I like dogs more than cats", "ich mag Hunde mehr als Katzen"),
        )
    ),
    "Three lengths: watch the padding": Example(
        (
            ("the dog has seen the cat", "der Hund hat die Katze gesehen"),
            ("it was tired", "es war müde"),
            ("yes", "ja"),
        )
    ),
    TOY_NAME: Example(tuple((row, row) for row in TOY_BATCH), "ids", 1, 6),
    "Reference masks, PAD = 2": Example((("0 7 8 1 2 2", "0 5 6 2"),), "ids", 2),
    "Six ids, PAD = 0": Example((("1 2 3 4 0 0", "1 2 3 4 0 0"),), "ids", 0),
    "Many scripts": Example(
        (
            ("the cat 👩‍🔬 saw 你好 and שלום", "die Katze sah नमस्ते <b>x</b>"),
            ("<pad> is a word here", "<pad> ist hier ein Wort"),
        )
    ),
}


def draw_batch_controls(weights: Weights) -> DeltaGenerator:
    """How many sentences there are and how they are read; returned is the place of their fields."""
    state = st.session_state
    state.setdefault("world", _world(state.weights))
    with st.container(key="sentences"):
        place = st.container()
        with st.container(horizontal=True, vertical_alignment="center", key="reading"):
            st.selectbox(
                "Examples",
                EXAMPLES,
                index=None,
                placeholder="Pick an example",
                key="example",
                label_visibility="collapsed",
                on_change=_pick_example,
                width=210,
            )
            st.number_input(
                "Sentence pairs",
                1,
                MAX_ROWS,
                len(DEFAULT_SOURCES),
                key="pairs",
                width=220,
                **IN_URL,
            )
            st.segmented_control(
                "Read as",
                get_args(Level),
                default="words",
                required=True,
                key="tokens",
                label_visibility="collapsed",
                **IN_URL,
            )
            if state.tokens == "ids":
                st.number_input("PAD id", 0, VOCAB_SIZE - 1, 0, key="pad_id", width=200, **IN_URL)
            if state.pairs > 1:
                rows_read = range(1, min(state.pairs, MAX_PAIRS) + 1)
                choice("Pair on show", rows_read, key="pair", width=180)
            if weights.task is not None:
                st.toggle("Type targets", key="typed_target", **IN_URL)
    return place


def draw_fields(weights: Weights) -> list[DeltaGenerator]:
    """The sentence pairs, side by side, one row a pair.

    Where the targets are to be the model's answers, their places are left free and returned.
    """
    state = st.session_state
    answering = weights.task is not None and not state.typed_target
    removable = state.pairs > 1
    with st.container(key="pairs_on_top"):
        fields = [_draw_pair(row, removable, answering) for row in range(state.pairs)]
    return [field for field in fields if field is not None]


def _pick_example() -> None:
    state = st.session_state
    load_example(state.example)
    state.example = None  # whoever changes its sentences can pick it again


def load_example(name: str | None) -> None:
    """Put an example's sentences, and how to read them, into the controls and the address.

    Where the weights on show cannot read them, others take their place.
    """
    if name is None:
        return
    state, example = st.session_state, EXAMPLES[name]
    if state.world != example.world:
        weights = "reverse" if example.world == "any words" else example.world
        exchange_sentences(weights)
        _put(controls_of(weights))
    _put({"tokens": example.level, "pad_id": example.pad_id, "pair": example.on_show})
    load_pairs(example.pairs)


def load_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Put these sentence pairs in the place of those on show."""
    _put(
        {"pairs": len(pairs)}
        | {
            text_key(side, row): text
            for row, pair in enumerate(pairs)
            for side, text in zip(("src", "tgt"), pair, strict=True)
        }
    )


def _put(values: Mapping[str, object]) -> None:
    """Give controls their values, in the address, too."""
    state = st.session_state
    # A field writes what it is given into the address only if it has been drawn before.
    st.query_params.update({key: str(new) for key, new in values.items() if key not in state})
    state.update(values)


def too_long_for_link() -> bool:
    """Whether some sentences were left out of the address."""
    return not _fits_in_link(text_key("tgt", st.session_state.pairs - 1))


def text_key(side: str, row: int) -> str:
    """Name of a sentence in the state and in the address: src, tgt, src2, tgt2, …"""
    return side if row == 0 else f"{side}{row + 1}"


def typed_text(side: str, row: int) -> str:
    """What stands in a field, whether it is drawn at present or not."""
    return str(st.session_state.get(text_key(side, row), _default(side, row)) or "")


def exchange_sentences(weights: str) -> None:
    """Put up the sentences last typed for such weights; those on show are kept for their return."""
    state = st.session_state
    before, now = state.get("world", "any words"), _world(weights)
    if before == now:
        return
    keys = [text_key(side, row) for row in range(MAX_ROWS) for side in ("src", "tgt")]
    typed = state.setdefault("typed_before", {})
    typed[before] = {key: state[key] for key in ("pairs", *keys) if key in state}
    state.world = now
    if now in typed:
        state.update(typed[now])
    else:
        load_pairs(WORLDS[now])


def _world(weights: str) -> str:
    """Weights of one world can read each other's sentences."""
    if weights == HERE and "last_trained" in st.session_state:
        weights = st.session_state.last_trained[0].name
    return weights if weights in WORLDS else "any words"


def _default(side: str, row: int) -> str:
    pairs = WORLDS[st.session_state.get("world", "any words")]
    return pairs[row][side == "tgt"] if row < len(pairs) else ""


def _draw_pair(row: int, removable: bool, answering: bool) -> DeltaGenerator | None:
    """The fields of one pair; returned is the place of a target that is not to be typed."""
    place = None
    with st.container(horizontal=True, vertical_alignment="center", key=f"pair_row_{row}"):
        _draw_field("Source", "src", row)
        if answering:
            place = st.container(key=f"tgt_place_{row}")
            # If the field was there just before, Streamlit clears the address, and only it may.
            with suppress(StreamlitAPIException):
                st.query_params.pop(text_key("tgt", row), None)
        else:
            _draw_field("Target", "tgt", row)
        if removable:
            st.button(
                f"Remove pair {row + 1}",
                icon=":material/close:",
                key=f"remove_{row}",
                type="tertiary",
                on_click=_remove_pair,
                args=(row,),
            )
    return place


def _draw_field(name: str, side: str, row: int) -> None:
    key = text_key(side, row)
    st.text_input(
        f"{name} {row + 1}",
        _default(side, row),
        key=key,
        live=True,
        placeholder="Type a sentence",
        persist_state="session",
        bind="query-params" if _fits_in_link(key) else None,
    )


def _fits_in_link(key: str) -> bool:
    """Whether this sentence and all before it fit into an address."""
    length = 0
    for row in range(MAX_ROWS):
        for side in ("src", "tgt"):
            name = text_key(side, row)
            length += len(quote_plus(st.session_state.get(name) or "", errors="replace"))
            if name == key:
                return length <= LINK_CHARACTERS
    raise AssertionError(f"{key} is no sentence")


def _remove_pair(gone: int) -> None:
    state = st.session_state
    for row in range(gone, state.pairs - 1):
        for side in ("src", "tgt"):
            state[text_key(side, row)] = typed_text(side, row + 1)
    state.pairs -= 1
