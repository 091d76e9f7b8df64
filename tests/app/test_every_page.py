"""Every page as it opens, untrained and trained: its pictures are drawn, and nothing is wrong."""

from typing import Any

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui.registry import PAGES
from tests.app.driving import components, open_page, pictures, session_of

PICTURES = {
    "home": {"model_map"},
    "tour": set(),  # a list of stops
    "tokens": {"src_ids"},
    "masks": {"one_mask", "row_at_work"},
    "positions": {"encoding"},
    "attention": {"one_head", "all_heads"},
    "heads": {"heads_view"},
    "steps": {"step_table", "step_picture"},
    "stack": {"stop_picture", "token-statistics"},
    "training": {"learning_head", "learning_heads", "curves"},
    "decoding": {"newest_decoder", "newest_cross", "next_words", "alignment"},
    "why": {"why_pieces", "why_words", "why_methods", "why_deletion"},
    "practice": set(),  # nothing is drawn before it is predicted
    "lab": {"lab_a", "lab_b"},  # their difference only where both have as many words
    "room": set(),  # two doors
    "words": {"word_list"},
}


def check(at: AppTest, keys: set[str]) -> None:
    """Check that these pictures are drawn and have a text alternative."""
    assert not at.error
    assert components(at).keys() >= keys
    for key, picture in pictures(at).items():
        assert len(picture["alt"]) > 15, key
        assert picture["minWidth"] > 0, key
        go.Figure(picture["spec"])  # plotly itself finds nothing wrong with it


@pytest.mark.parametrize("state", [{}, {"weights": "reverse"}], ids=["untrained", "trained"])
@pytest.mark.parametrize("name", PAGES)
def test_page_draws_its_pictures(name: str, state: dict[str, Any]) -> None:
    at = open_page(name, **state)
    assert not at.info
    guesses = name == "stack" and state  # with which a model that has learnt something begins
    check(at, {"lens_picture"} if guesses else PICTURES[name])


@pytest.mark.parametrize("name", ["home", "attention", "words"])
def test_a_link_with_nothing_but_a_sentence_shows_what_the_app_shows(name: str) -> None:
    at = open_page(name, weights=None, src="I like you.")
    assert session_of(at).chosen.get("weights") in (None, "translator")
    assert at.query_params["weights"] == "translator"
    assert at.query_params["src"] == "I like you."
