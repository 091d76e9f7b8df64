"""The labels of a pretrained model's pieces."""

from typing import Final

from explorer.names import SPECIALS, SpecialIds
from explorer.vocabulary import Vocabulary
from explorer.weights.huggingface.text.pieces import Pieces


def _byte_characters() -> list[str]:
    """The character that byte-level BPE writes for each of the 256 bytes; Ġ for the space."""
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = [byte for byte in range(256) if byte not in visible]
    shown_as = {byte: 256 + place for place, byte in enumerate(hidden)}
    return [chr(shown_as.get(byte, byte)) for byte in range(256)]


_CHARACTERS: Final = _byte_characters()
_TO_BYTES: Final = {ord(character): byte for byte, character in enumerate(_CHARACTERS)}
_AS_WRITTEN: Final = dict(enumerate(_CHARACTERS[:128]))  # ASCII, with Ġ for a space
_SPACE: Final = _CHARACTERS[ord(" ")]


def readable(piece: str) -> str | None:
    """The text of a byte-level piece, "ĠZÃ¼rich" as "ĠZürich"; None for parts of characters.

    Spaces and other ASCII characters that cannot be seen stay as byte-level BPE writes them.
    """
    if piece.replace(_SPACE, "").isascii():
        return piece
    try:
        text = piece.translate(_TO_BYTES).encode("latin-1").decode()
    except UnicodeError:
        return None
    shown = text.translate(_AS_WRITTEN)
    return shown if shown.isprintable() else None


def vocabulary(pieces: Pieces, size: int, specials: SpecialIds) -> Vocabulary:
    """The labels of the pieces at their ids; no two ids have the same label.

    Of several ids with one label the first keeps it. A part of a character, whose bytes may look
    like another piece, comes last.
    """
    reserved = specials.names()
    last = max((number for number in pieces.names if number < size), default=-1)
    texts = {
        number: readable(piece) if pieces.byte_level else piece
        for number, piece in sorted(pieces.names.items())
        if number <= last and number not in reserved
    }
    labels = {n: f"#{n}" for n in range(last + 1) if n not in texts and n not in reserved}
    taken = {*reserved.values(), *labels.values()}
    for number in sorted(texts, key=lambda number: texts[number] is None):
        label = texts[number] or pieces.names[number]
        if label in SPECIALS:
            label = f"“{label}”"
        while label in taken:
            label += f" #{number}"
        taken.add(label)
        labels[number] = label
    return Vocabulary(tuple(labels[number] for number in sorted(labels)), size, specials)
