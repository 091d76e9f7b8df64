"""Nothing serious stands in the way of those who hear, enlarge or recolour the pages (axe-core)."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from explorer.ui.registry import PAGES
from tests.browser.visitor import Visitor

GRAVE = ("serious", "critical")


ALL = {"resultTypes": ["violations"]}
COLOURS = {**ALL, "runOnly": {"type": "rule", "values": ["color-contrast"]}}


@pytest.mark.parametrize(("look", "rules"), [("light", ALL), ("dark", COLOURS)])
def test_axe_finds_nothing_serious(
    look: str, rules: dict[str, Any], visit: Callable[..., Visitor]
) -> None:
    """In the dark, only the colours are others."""
    person = visit("/?weights=translator", color_scheme=look, reduced_motion="reduce")
    for _, title, _ in PAGES.values():
        person.go_to(title)
        found = [
            (title, problem["id"], problem["nodes"][0]["html"][:200])
            for problem in Axe().run(person.page, options=rules).response["violations"]
            if problem["impact"] in GRAVE
        ]
        assert not found
