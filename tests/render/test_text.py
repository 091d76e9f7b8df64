"""Labels: plotly's marks are read, everything else stays text."""

import pytest

from explorer.drawing.labels import escape
from explorer.render.text import Run, lines_of, width_of
from tests.faults.nasty import MARKUP


def test_marks_and_their_content() -> None:
    assert lines_of("a <b>bold <i>both</i></b><br>below") == (
        (Run("a "), Run("bold ", bold=True), Run("both", bold=True, italic=True)),
        (Run("below"),),
    )
    assert lines_of('3 · <span style="color:#66707C">PAD</span>!') == (
        (Run("3 · "), Run("PAD", color="#66707C"), Run("!")),
    )


@pytest.mark.parametrize("typed", [*MARKUP, "a < b & c > d", "&lt;b&gt;", "<b>zq</b>", "</i>"])
def test_typed_text_stays_unchanged(typed: str) -> None:
    ((run,),) = lines_of(escape(typed))
    assert run == Run(typed)


def test_a_mark_that_is_never_opened_or_closed_loses_no_text() -> None:
    assert lines_of("a</b>b<i>c") == ((Run("a"), Run("b"), Run("c", italic=True)),)


def test_wide_letters_and_the_longest_line_count() -> None:
    assert width_of("本本", 10) > 1.5 * width_of("aa", 10)
    assert width_of("a<br>aaaa", 10) == width_of("<b>aaaa</b>", 10) == width_of("aaaa", 10)
