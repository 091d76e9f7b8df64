"""Typed text in Markdown: all of it is shown, and nothing of it is markup."""

import re
import string

from hypothesis import example, given
from hypothesis import strategies as st

from explorer.markdown import literal
from tests.faults.nasty import anything


@given(st.text() | anything)
@example("**bold** _it_ [a](https://x.y) <b>x</b> `c` $y$ :red[z] :smile: # h | - > 1. !")
def test_no_markdown_survives(text: str) -> None:
    escaped = literal(text)
    pairs = re.findall(r"(\\?)(.)", escaped, re.DOTALL)
    seen = "".join(char for _, char in pairs)
    # Nothing lost, nothing added but word joiners, which show nothing and keep links from forming.
    assert seen.replace("\u2060", "") == text.replace("\u2060", "")
    # CommonMark reads a backslash before ASCII punctuation as that very character.
    assert all(bool(mark) == (char in string.punctuation) for mark, char in pairs)
