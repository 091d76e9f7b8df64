"""Choices whose options may have been replaced before the browser was told."""

from typing import Any

from explorer.choices.parameters import Frame
from explorer.ui.controls import widgets
from explorer.ui.controls.choices import choices


def test_no_number_below_the_first_is_taken(said: dict[str, Any]) -> None:
    widgets._store(Frame.pair, None, "0")
    assert choices() == {"pair": 1}
