"""The messages while something takes long."""

from streamlit.testing.v1 import AppTest


def _work() -> None:
    import streamlit as st

    from explorer.ui.frame.running import progress

    report = progress("Counting …")
    for share in (0.0, 0.5):
        report(share)
    if st.checkbox("done"):
        report(1.0)


def test_the_bar_shows_the_time_and_disappears() -> None:
    at = AppTest.from_function(_work).run()
    assert not at.exception  # nothing is known yet of work that has done nothing
    assert [bar.proto.text for bar in at.get("progress")] == ["Counting … about 1 s left"]
    at.checkbox[0].check().run()
    assert not at.get("progress")
