"""A source is answered by itself, whatever stands beside it."""

from typing import Any

import pytest

from explorer import load
from explorer.runtime.writer import Wanted, Writer
from tests.app.driving import answer_on_top, open_page

LONG = "My neighbor told me that the old man who lives next door has never seen the sea."
TYPED = "She reads a book about the history of trains."


def test_typing_in_one_source_answers_only_that_one_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    write = Writer.write

    def noted(self: Writer, wanted: Wanted, **more: Any) -> Any:
        read.append(wanted.source.ids.shape[1])
        return write(self, wanted, **more)

    at = open_page("tokens", weights="translator", pairs=2, src="She reads a book.", src2=LONG)
    monkeypatch.setattr(Writer, "write", noted)
    at.text_input(key="src").set_value(TYPED).run()
    tokenizer = load("translator").tokenizer
    assert read == [len(tokenizer.split(TYPED))]
    shown = [answer_on_top(at), at.text_input(key="answer2").value]
    assert shown == load("translator").answer([TYPED, LONG])
