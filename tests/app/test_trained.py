"""Trained weights: the controls describe them, and the pictures show them."""

from itertools import pairwise

from streamlit.testing.v1 import AppTest

from explorer.choices.pages import PAGES
from tests.app.driving import (
    answer,
    choose,
    components,
    new_session,
    open_page,
    pictures,
    state_of,
)
from tests.figures.reading import labels


def fresh(page: str = "home", **query: str) -> AppTest:
    """A new session, with nothing chosen but the weights."""
    at = new_session(weights="reverse", **query).run()
    return at if page == "home" else at.switch_page(PAGES[page][0]).run()


def rows(*target: str) -> list[str]:
    return [f"{read} → <i>{written}</i>" for read, written in pairwise(["BOS", *target, "EOS"])]


def keys(at: AppTest) -> set[str | None]:
    return {field.key for field in at.text_input}


def test_a_verdict_takes_no_typed_word_for_markup() -> None:
    pairs = [("may the", ""), ("frankly my __bicycle__", "")]
    at = open_page("home", weights="quotes", **state_of(pairs))
    assert any(r"“\_\_bicycle\_\_”" in caption.value for caption in at.caption)


def test_targets_can_be_typed_and_are_kept() -> None:
    at = fresh("attention")
    at.toggle(key="typed_target").set_value(True).run()
    assert {"tgt", "tgt2"} <= keys(at)
    assert "answer_pieces" not in components(at)
    at.text_input(key="pairs").set_value("1")
    at.text_input(key="src").set_value("a b")
    at.text_input(key="tgt").set_value("x y").run()
    choose(at, attention="decoder").run()
    assert list(labels(pictures(at)["one_head"]["spec"], "y").values()) == rows("x", "y")
    at.toggle(key="typed_target").set_value(False).run()
    assert answer(at) == ("b a", "✓ right")
    assert list(labels(pictures(at)["one_head"]["spec"], "y").values()) == rows("b", "a")
    at.toggle(key="typed_target").set_value(True).run()
    assert at.text_input(key="tgt").value == "x y"


def test_the_target_in_a_link_is_read() -> None:
    at = open_page("home", weights="reverse", src="a b", tgt="x y", pairs=1)
    assert at.toggle(key="typed_target").value
    assert at.text_input(key="tgt").value == "x y"
    assert at.query_params["typed_target"] == "true"
    at.toggle(key="typed_target").set_value(False).run()
    assert not {"tgt", "typed_target"} & at.query_params.keys()
    at = fresh(src="a b", pairs="1")
    assert not at.toggle(key="typed_target").value
    assert answer(at) == ("b a", "✓ right")


def test_other_weights_replace_unreadable_sentences_and_typed_ones_come_back() -> None:
    at = fresh("attention")
    at.text_input(key="src").set_value("one two three").run()
    at.text_input(key="d_model").set_value("32").run()
    for name, source, wanted in (
        ("numbers", "siebenhundertdreiundvierzig", "seven hundred forty three"),
        ("copy", "one two three", "one two three"),
        ("quotes", "I'm gonna make him an offer", "he can't refuse"),
        ("reverse", "one two three", "three two one"),
    ):
        at.selectbox(key="weights").select(name).run()
        assert at.text_input(key="src").value == source
        assert answer(at) == (wanted, "✓ right")
        assert at.text_input(key="d_model").value == "64"  # the shape that is trained
    at.selectbox(key="weights").select("untrained").run()
    assert at.text_input(key="src").value == "one two three"
    assert "tgt" in keys(at)


def test_empty_rows_have_an_empty_answer() -> None:
    at = open_page("tokens", weights="copy", **state_of([("a b", ""), ("", ""), ("", "")]))
    assert [answer(at, number) for number in (1, 2, 3)] == [
        ("a b", "✓ right"),
        ("", ""),
        ("", ""),
    ]
