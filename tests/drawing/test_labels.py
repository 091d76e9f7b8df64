"""Labels: what a person typed is shown as typed, and nothing in it is markup."""

import html

from hypothesis import example, given
from hypothesis import strategies as st

from explorer.drawing.labels import elide, escape, label_room, tick_labels
from explorer.drawing.theme import INK
from explorer.languages import numbered, without_isolates
from explorer.text import Batch
from tests.properties.strategies import texts

LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenantrag"


@given(texts)
@example("a<br>b & <pad> &lt;")
def test_an_escaped_label_reads_as_typed(typed: str) -> None:
    escaped = escape(typed)
    assert "<" not in escaped
    assert ">" not in escaped
    if "\0" not in typed and typed.isprintable():  # html turns what no page may hold into "?"
        assert html.unescape(escaped) == typed


def test_escaping_comes_after_shortening() -> None:
    # The other way round "&lt;" may be cut in two, and the rest stands there as "&l".
    label = tick_labels(["<" * 40])[0]
    assert html.unescape(label).replace("…", "") == "<" * 17


def test_pad_is_grey_everywhere_and_needs_no_position() -> None:
    labels = tick_labels(["PAD", "a", "PAD", "a"])
    assert labels[0] == labels[2] == f'<span style="color:{INK.faint}">PAD</span>'
    assert labels[1::2] == ["1 · a", "3 · a"]


def test_a_typed_word_pad_does_not_turn_grey() -> None:
    batch = Batch.from_text(["PAD is a word"], ["x"], length=5)
    labels = tick_labels(batch.src_labels[0])
    assert INK.faint not in labels[0]
    assert "PAD" in labels[0]
    assert INK.faint in labels[4]


@given(st.text(), st.integers(3, 40))
def test_elide_keeps_beginning_and_end(text: str, most: int) -> None:
    text = without_isolates(text)
    short = elide(text, most)
    assert len(short) <= most
    if len(text) <= most:
        assert short == text
    else:
        assert any(
            mark == "…" and text.startswith(short[:at]) and text.endswith(short[at + 1 :])
            for at, mark in enumerate(short)
        )
        assert len(short) == most


def test_elide_by_hand() -> None:
    assert elide(LONG, 18) == "Donaudampfs…antrag"
    assert elide("abcdefgh", 8) == "abcdefgh"
    assert elide("abcdefghi", 8) == "abcde…hi"
    assert elide(numbered(3, "abcdאבגד"), 12) == numbered(3, "abcdאבגד")  # the marks are invisible


def test_room_for_labels_counts_letters_not_markup() -> None:
    plain, escaped = label_room(["abc<"]), label_room(["abc&lt;"])
    assert plain == escaped
    assert label_room(tick_labels(["PAD"])) == label_room(["PAD"])
    assert label_room(["猫猫猫猫"]) > label_room(["cats"])
    assert label_room([numbered(3, "על")]) == label_room(["3 · על"])  # the marks are invisible
    assert label_room(["a", "longer word"]) == label_room(["longer word"])
    assert label_room([]) < 20
