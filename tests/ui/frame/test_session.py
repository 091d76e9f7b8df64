"""What is taken from a browser, and what is not."""

from typing import Any

import pytest

from explorer.ui.frame.session import (
    Line,
    Listener,
    draw_begins,
    draw_ends,
    has_changes,
    held,
    memory,
    once,
    session,
    take_changes,
    when_clicked,
)


def test_a_widget_is_heard_once(said: dict[str, Any]) -> None:
    taken = list[str]()
    assert held("scale", "own", taken.append) == "scale"
    for shown in ("own", "largest", "largest"):
        said["scale"] = shown
        take_changes()
    assert taken == ["largest"]
    assert held("scale", "largest", taken.append) == "scale"


def test_a_widget_that_is_changed_for_the_visitor_is_another_one(said: dict[str, Any]) -> None:
    taken = list[str]()
    names = [held("scale", shows, taken.append) for shows in ("own", "largest", "largest")]
    names.append(held("scale", "largest", taken.append, "other options"))
    assert names == ["scale", "scale-1", "scale-1", "scale-2"]
    said["scale"] = "from before"
    take_changes()
    assert taken == []
    draw_begins()
    draw_ends()  # it was not drawn
    assert held("scale", "largest", taken.append, "other options") == "scale-3"


def test_an_event_is_taken_once_though_every_request_repeats_it(said: dict[str, Any]) -> None:
    taken = list[object]()
    session().listeners["map"] = Listener({"picked": taken.append})
    for number, value in ((1, "a"), (1, "a"), (2, "a"), (2, "b")):
        said["map"] = {"picked": {"n": number, "value": value}}
        assert has_changes() == (number > len(taken))
        take_changes()
    assert taken == ["a", "a"]
    for strange in (None, {}, {"picked": 3}, {"picked": {"value": 1}}):
        said["map"] = strange
        take_changes()
    assert len(taken) == 2


@pytest.mark.parametrize(
    ("typed", "is_taken"),
    [
        ({}, True),
        ({"session": "another"}, False),
        ({"seq": 4}, False),  # it was taken already
        ({"seq": "5"}, False),
        ({"text": None}, False),
        ({"version": 1}, False),  # typed over a text that has changed
    ],
)
def test_a_typed_text(said: dict[str, Any], typed: dict[str, Any], is_taken: bool) -> None:
    taken = list[str]()
    line = session().lines["src"] = Line("a", taken.append, version=2, seq=4)
    usual = {"session": session().name, "seq": 5, "text": "a b", "version": 2}
    said["line_src"] = {"typed": usual | typed}
    take_changes()
    take_changes()
    assert taken == (["a b"] if is_taken else [])
    assert (line.text == "a b") == is_taken


def test_clicks_are_taken_once_in_their_order(said: dict[str, Any]) -> None:
    done = list[str]()
    for name in ("first", "second"):
        when_clicked(done.append, name)()
    take_changes()
    take_changes()
    assert done == ["first", "second"]


def test_what_is_shown_once_is_shown_until_its_run_has_come_to_its_end(
    said: dict[str, Any],
) -> None:
    memory()["message"] = "Hello"
    for _ in range(2):  # the first of these runs is replaced
        draw_begins()
        assert once("message") == "Hello"
    draw_ends()
    draw_begins()
    assert once("message") is None


def test_what_is_no_longer_on_the_page_says_nothing(said: dict[str, Any]) -> None:
    taken = list[object]()
    here = session()
    here.listeners["map"] = Listener({"picked": taken.append})
    here.lines["src"] = Line("a", taken.append)
    held("scale", "own", taken.append)
    draw_begins()
    held("scale", "own", taken.append)
    draw_ends()
    assert [*here.widgets, *here.lines, *here.listeners] == ["scale"]
    said["map"] = {"picked": {"n": 1, "value": "a"}}
    said["line_src"] = {"typed": {"session": here.name, "seq": 1, "text": "b", "version": 0}}
    take_changes()
    assert taken == []
