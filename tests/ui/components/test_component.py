"""The data that custom elements get."""

import json
import re
from typing import Any

import pytest

from explorer.paths import COMPONENTS
from explorer.ui.components.component import _carefully, as_json
from explorer.ui.frame.registry import open_page
from explorer.ui.frame.session import session
from explorer.web.scripts import STYLES


def test_data_that_no_browser_can_read_are_not_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        as_json({"loss": float("nan")})


def test_text_arrives_as_it_is() -> None:
    assert json.loads(as_json({"label": "</script> “ß” 日本"})) == {"label": "</script> “ß” 日本"}


def test_every_style_sheet_is_in_the_page_and_none_of_them_ends_it() -> None:
    assert "</" not in STYLES
    for sheet in COMPONENTS.glob("*.css"):
        assert sheet.read_text() in STYLES
    # WebKit 2.50 knows the shorthand for the line alone: CSS.supports("text-decoration", "underline
    # dotted") is false there. A word that explains itself would look like a link.
    assert not re.search(r"text-decoration: *[\w-]+ [^;]", STYLES)


def test_a_page_that_does_not_exist_is_not_opened(
    said: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    for page, opened in (("masks", "masks"), ("nowhere", ""), ([], ""), ({}, "")):
        session().page = ""
        _carefully(open_page)(page)
        assert session().page == opened
    assert caplog.text.count("TypeError: unhashable type") == 2  # a fault of ours would be seen
