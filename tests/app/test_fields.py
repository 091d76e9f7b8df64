"""The lines of a session, as the browser is told to draw them."""

from tests.app.driving import open_page
from tests.app.rooming import go_to


def test_a_line_is_the_same_on_every_page() -> None:
    at = open_page("steps")
    before = at.text_input(key="src").proto
    assert go_to(at, "steps").text_input(key="src").proto.id == before.id
