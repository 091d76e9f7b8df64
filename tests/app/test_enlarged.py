"""A picture is enlarged as a chart of plotly's, until the next run."""

from streamlit.testing.v1 import AppTest

from tests.app.driving import acting_for, open_page, session_of


def enlarge(at: AppTest, key: str) -> AppTest:
    with acting_for(at):
        session_of(at).listeners[key].acts["enlarged"](True)
    return at.run()


def test_a_picture_is_a_chart_until_the_next_run() -> None:
    at = open_page("attention", weights="reverse")
    assert not at.get("plotly_chart")
    (chart,) = enlarge(at, "one_head").get("plotly_chart")
    assert chart.proto.spec
    assert not at.run().get("plotly_chart")


def test_a_picture_that_is_no_longer_there_is_not_enlarged_later() -> None:
    at = open_page("attention", weights="reverse")
    with acting_for(at):
        session_of(at).listeners["one_head"].acts["enlarged"](True)
    at.switch_page("pages/masks.py")
    assert not at.run().get("plotly_chart")
