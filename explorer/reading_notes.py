"""Notes on the parts of a typed text that the model does not read as typed."""

from collections.abc import Iterable, Sequence
from typing import Literal

from explorer.languages import mark, tr
from explorer.vocabulary import Vocabulary

Side = Literal["source", "target"]


class CutNote(str):
    """A note that something given is not read."""

    __slots__ = ()


def require_all_read(notes: Iterable[str]) -> None:
    """Refuse a batch that leaves something out.

    Raises:
        ValueError: if one of its notes says so.
    """
    for note in notes:
        if isinstance(note, CutNote):
            way = "give fewer pairs at a time, or split the sentence"
            raise ValueError(f"all pairs and tokens must be read, but: {note} Please {way}.")


def pairs_read(most: int, given: int) -> CutNote:
    """A note that some pairs are not read."""
    return CutNote(tr("The model reads the first {most} of {given} pairs.", most=most, given=given))


def tokens_read(name: Side, most: int, given: int) -> CutNote:
    """A note that some tokens of a sentence are not read."""
    text = (
        mark("The model reads the first {most} of {given} source tokens.")
        if name == "source"
        else mark("The model reads the first {most} of {given} target tokens.")
    )
    return CutNote(tr(text, most=most, given=given))


def without_ids(vocab: Vocabulary, sentences: Sequence[Sequence[str]]) -> list[str]:
    """A note about the first word without an id, if there is one."""
    words = [token for sentence in sentences for token in sentence]
    ids = vocab.encode(words)
    return [no_piece(words[ids.index(vocab.specials.unk)])] if vocab.specials.unk in ids else []


def no_row(piece: str, number: int, *, read_as_unk: bool) -> str:
    """A note about a piece of the tokenizer whose id the model has no row for."""
    text = (
        mark("The model has no row for “{piece}” (id {id}): it reads UNK.")
        if read_as_unk
        else mark("The model has no row for “{piece}” (id {id}), and does not read it.")
    )
    return tr(text, piece=_shorten(piece), id=number)


def no_piece(text: str) -> str:
    """A note about text that has no piece."""
    return tr("The model's vocabulary has no id for “{text}”: it reads UNK.", text=_shorten(text))


def control_token(piece: str) -> str:
    """A note about a typed special token."""
    return tr(
        "“{piece}” is a special token of this model: it is read as that, not as text.",
        piece=_shorten(piece),
    )


def no_ids(strange: Sequence[str], largest: int, read_as: str) -> str:
    """A note about typed words that are no ids."""
    return tr(
        "Ids are whole numbers from 0 to {largest}: “{word}” is read as {id}.",
        largest=largest,
        word=_shorten(strange[0]),
        id=read_as,
    )


def _shorten(word: str) -> str:
    return word if len(word) <= 20 else word[:19] + "…"
