"""A field gives a page its files once, and takes none once it is gone."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from explorer.ui.web import files
from explorer.ui.web.files import TakenFile


def page() -> None:
    import streamlit as st

    from explorer.ui.components.file_field import file_field
    from explorer.ui.session import begin, draw_begins, draw_ends, take_changes

    begin()
    take_changes()
    draw_begins()
    if st.session_state.get("is_open", True):
        for file in file_field("mine", "Some text", types=["txt"], most_bytes=2**20):
            st.text(f"{file.name}: {file.content.decode()}")
    draw_ends()


def sent(at: AppTest) -> dict[str, Any]:
    """What the field is told."""
    (field,) = at.get("bidi_component")
    told: dict[str, Any] = json.loads(field.proto.bytes)
    return told


def test_files_are_given_once_and_only_while_the_field_is_there() -> None:
    at = AppTest.from_function(page).run()
    told = sent(at)
    (name,) = told["headers"].values()
    assert (told["most"], told["count"], told["types"]) == (2**20, 1, [".txt"])
    box = files.box(name, 5)
    assert box.most == 2**20  # it is that of the field
    box.arrived.append(TakenFile("a.txt", b"hello"))
    at.run()
    assert not at.text
    box.give(["a.txt"])
    at.run()
    assert [text.value for text in at.text] == ["a.txt: hello"]
    at.run()
    assert not at.text
    assert box.sizes == []
    del box
    at.session_state["is_open"] = False
    at.run()
    assert name not in files._boxes


def test_each_session_has_its_own() -> None:
    one, other = AppTest.from_function(page).run(), AppTest.from_function(page).run()
    assert sent(one)["headers"] != sent(other)["headers"]
