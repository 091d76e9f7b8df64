"""The sentence pairs, typed or default."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote_plus

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.choices.examples import ANY_WORDS, WORLDS, reads_any_words, sentences_for, world_of
from explorer.choices.parameters import TEXT_KEYS, Frame, text_key
from explorer.languages import isolated, tr
from explorer.names import Reading
from explorer.tokenizer import Tokenizer
from explorer.ui.controls.buttons import button
from explorer.ui.controls.choices import choices, choose, choose_by_key, chosen, value
from explorer.ui.controls.widgets import field, is_cut
from explorer.ui.frame.session import memory, session

Targets = Literal["typed", "answered", "none"]
LINK_CHARACTERS: Final = 24_000  # servers refuse addresses much longer than this
EXPLAIN_PAD: Final = ("tokens", "masks")  # the pages that bring a second sentence
READ_PAD: Final = (*EXPLAIN_PAD, "predict", "lab")  # with questions and mistakes about it
_BESIDE: Final = "sources_of_targets"  # the source that each target was last shown beside, by key


@dataclass(frozen=True, slots=True)
class Containers:
    """Where sentences are drawn: the pair on show in the line on top, all others folded away."""

    source: DeltaGenerator
    answer: DeltaGenerator  # or the typed target
    folded: DeltaGenerator | None  # while it is unfolded


def draw_fields(containers: Containers, targets: Targets) -> dict[int, DeltaGenerator]:
    """Draw the sentence pairs that are seen; returns the containers for answers, by row."""
    pairs = pairs_on_show()
    on_show = min(value(Frame.pair), pairs) - 1
    offered = () if value(Frame.tokens) == "ids" else sentences_for(value(Frame.weights))
    _draw_field(containers.source, "src", on_show, offered)
    fields = {on_show: containers.answer}
    if targets == "typed":
        _draw_field(containers.answer, "tgt", on_show)
        rows = range(pairs)
        memory()[_BESIDE] = {
            text_key("tgt", row): current_text(text_key("src", row)) for row in rows
        }
    if containers.folded is not None:
        with containers.folded:
            for row in range(pairs):
                container = _draw_folded(row, targets, on_show=row == on_show, removable=pairs > 1)
                fields.setdefault(row, container)
    return fields if targets == "answered" else {}


def pairs_on_show() -> int:
    """How many pairs the page reads: one until somebody adds one, or two to explain PAD.

    The second goes along to other pages if it is the one on show.
    """
    explains_pad = session().page in EXPLAIN_PAD
    return chosen(Frame.pairs) or max(2 if explains_pad else 1, value(Frame.pair))


def draw_beside() -> None:
    """Say which sentence stands beside the one on show; the second can be taken away, and back."""
    if pairs_on_show() == 1:
        button(
            tr("Add a second sentence: the shorter one is filled up with PAD"),
            icon=":material/add:",
            type="tertiary",
            on_click=choose,
            args=(Frame.pairs, None),
        )
    if pairs_on_show() != 2:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="beside"):
        is_first = value(Frame.pair) == 1
        other = current_text(text_key("src", 1 if is_first else 0))
        st.text(tr("Beside it: {sentence}", sentence=isolated(other)), width="content")
        if is_first:
            button(
                tr("Take the second sentence away"),
                icon=":material/close:",
                key="remove_second",
                type="tertiary",
                on_click=choose,
                args=(Frame.pairs, 1),
            )
        else:
            button(
                tr("Show the first sentence"),
                icon=":material/undo:",
                type="tertiary",
                on_click=choose,
                args=(Frame.pair, 1),
            )


def typed_pairs() -> list[tuple[str, str]]:
    """The pairs in the fields, without empty rows at the end; the pair on show stays."""
    pairs = [
        (current_text(text_key("src", row)), current_text(text_key("tgt", row)))
        for row in range(pairs_on_show())
    ]
    while len(pairs) > max(1, value(Frame.pair)) and not "".join(pairs[-1]).strip():
        pairs.pop()
    return pairs


def current_text(key: str) -> str:
    """A sentence as typed, or the default of its field."""
    typed = choices().get(key)
    return default_text(key, world_on_show()) if typed is None else typed


def default_text(key: str, world: str) -> str:
    """The default sentence of a field."""
    row = int(key[3:] or 1) - 1
    pairs = WORLDS[world]
    return pairs[row][key.startswith("tgt")] if row < len(pairs) else ""


def world_on_show() -> str:
    """The world of the sentences in the fields, see `WORLDS`."""
    state = memory()
    if "world" not in state:
        set_world(world_of(value(Frame.weights)))
    return str(state["world"])


def set_world(world: str) -> None:
    """Take the default sentences from this world from now on."""
    memory()["world"] = world


def load_pairs(pairs: Sequence[tuple[str, str]]) -> None:
    """Replace the sentence pairs on show by these."""
    # The first sentences of a world are two for the pages that explain PAD.
    choose(Frame.pairs, None if pairs in WORLDS.values() else len(pairs))
    for row, pair in enumerate(pairs):
        for side, sentence in zip(("src", "tgt"), pair, strict=True):
            choose_by_key(text_key(side, row), sentence)
    memory()[_BESIDE] = {text_key("tgt", row): src for row, (src, _) in enumerate(pairs)}


def exchange_sentences(world: str) -> None:
    """Show the sentences last typed in this world; those on show are kept for later.

    What was typed in one world stays on show in another that can read it as well.
    """
    state = memory()
    before = world_on_show()
    if before == world:
        return
    if reads_any_words(before) and reads_any_words(world):
        set_world(world)
        return
    typed = state.setdefault("typed_before", {})
    typed[_key_of_sentences(before)] = {key: choices().get(key) for key in TEXT_KEYS} | {
        Frame.pairs.key: chosen(Frame.pairs)
    }
    set_world(world)
    found = typed.get(_key_of_sentences(world), {})
    for key in TEXT_KEYS:
        choose_by_key(key, found.get(key))
    choose(Frame.pairs, found.get(Frame.pairs.key))


def _key_of_sentences(world: str) -> str:
    """Where the sentences of a world are kept: worlds that read any words share theirs."""
    return ANY_WORDS if reads_any_words(world) else world


def remember_answers(answers: Sequence[str]) -> None:
    """Remember the answers on show in place of targets."""
    memory()["answers_on_show"] = list(answers)


def keep_answers() -> None:
    """Turn the model's answers into typed targets.

    A target that somebody typed for the same source comes back instead.
    """
    state = memory()
    filled: dict[str, str] = state.setdefault("filled_targets", {})
    beside: dict[str, str] = state.get(_BESIDE, {})
    for row, answer in enumerate(state.pop("answers_on_show", [])):
        key = text_key("tgt", row)
        is_for_this = beside.get(key) == current_text(text_key("src", row))
        if not is_for_this or choices().get(key) in (None, filled.get(key)):
            choose_by_key(key, answer)
            filled[key] = answer


def keys_in_address(*, answering: bool) -> list[str]:
    """The keys of the sentences in an address: those that differ from the defaults."""
    world = world_of(value(Frame.weights))
    return [
        key
        for key, length in _lengths(answering=answering)
        if length <= LINK_CHARACTERS and current_text(key) != default_text(key, world)
    ]


def some_are_cut() -> bool:
    """Whether only the beginning of a sentence was kept."""
    keys = (text_key(side, row) for row in range(pairs_on_show()) for side in ("src", "tgt"))
    return any(is_cut(key, choices().get(key) or "") for key in keys)


def too_long_for_link(*, answering: bool) -> bool:
    """Whether the address lacks some of the sentences."""
    return any(length > LINK_CHARACTERS for _, length in _lengths(answering=answering))


def _lengths(*, answering: bool) -> Iterator[tuple[str, int]]:
    """The keys of the sentences, each with the length of an address that goes as far as it."""
    length = 0
    for row in range(pairs_on_show()):
        for side in ("src",) if answering else ("src", "tgt"):
            key = text_key(side, row)
            length += len(quote_plus(current_text(key), errors="replace"))
            yield key, length


def rewrite_sentences(level: Reading, tokenizer: Tokenizer) -> None:
    """Turn the words in the fields into ids, or ids back into their words."""
    state = memory()
    before: dict[str, tuple[str, str]] = state.setdefault("words_before", {})
    pairs = typed_pairs()
    if level != "ids":
        words_of = {ids: words for words, ids in before.values()}  # pairs may have moved up
        before.clear()
        for key in TEXT_KEYS:
            if (ids := choices().get(key)) in words_of:
                choose_by_key(key, words_of[ids])
        return
    batch = tokenizer.batch([source for source, _ in pairs], [target for _, target in pairs])
    for side, read in (("src", batch.sources), ("tgt", batch.targets_in)):
        for row, numbers in enumerate(read.without_padding()):
            key = text_key(side, row)
            words = current_text(key)
            if words.strip() and not _are_ids(words):
                ids = " ".join(map(str, numbers))
                before[key] = words, ids
                choose_by_key(key, ids)


def _are_ids(words: str) -> bool:
    return all(word.isascii() and word.isdigit() for word in words.split())


def _draw_folded(row: int, targets: Targets, *, on_show: bool, removable: bool) -> DeltaGenerator:
    """Draw one pair in a row of its own; returns the container of its target."""
    line = st.container(horizontal=True, vertical_alignment="center", key=f"pair_row_{row}")
    if on_show:
        line.markdown(tr("Pair {number}: in the line above", number=row + 1), width="stretch")
    else:
        _draw_field(line, "src", row)
    container = line.container()
    if targets == "typed" and not on_show:
        _draw_field(container, "tgt", row)
    if removable:
        with line:
            button(
                tr("Remove pair {number}", number=row + 1),
                icon=":material/delete:",
                key=f"remove_{row}",
                type="tertiary",
                on_click=_remove_pair,
                args=(row, targets == "answered"),
            )
    return container


def _draw_field(
    container: DeltaGenerator, side: Literal["src", "tgt"], row: int, examples: Sequence[str] = ()
) -> None:
    key = text_key(side, row)
    source = tr("Source {number}", number=row + 1)
    target = tr("Target {number}, given", number=row + 1)
    with container:
        field(
            key,
            source if side == "src" else target,
            current_text(key),
            placeholder=tr("Type a sentence"),
            examples=examples,
        )


def _remove_pair(gone: int, answering: bool) -> None:
    """Move the pairs below up by one. Targets that nobody sees move only if somebody typed them."""
    pairs = pairs_on_show()
    if pairs < 2 or gone >= pairs:
        return  # pressed late: that pair has gone already
    filled: dict[str, str] = memory().setdefault("filled_targets", {})
    beside: dict[str, str] = memory().setdefault(_BESIDE, {})
    for row in range(gone, pairs - 1):
        src, tgt = (text_key(side, row + 1) for side in ("src", "tgt"))
        choose_by_key(text_key("src", row), current_text(src))
        choose_by_key(text_key("tgt", row), choices().get(tgt) if answering else current_text(tgt))
        filled[text_key("tgt", row)] = filled.pop(tgt, "")
        beside[text_key("tgt", row)] = beside.pop(tgt, "")
    for side in ("src", "tgt"):
        choose_by_key(text_key(side, pairs - 1), None if pairs - 1 > 1 else "")
    choose(Frame.pairs, pairs - 1)
