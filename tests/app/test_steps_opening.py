"""The first view of the step-by-step page, and the effect of a change in words."""

from dataclasses import replace

import pytest

from explorer import load
from explorer.analysis.what_if import AttentionChange, changed
from explorer.names import AttentionKind
from tests.app.driving import answer_on_top, open_drawer, open_page, press, texts


def test_a_newcomer_sees_their_sentence_and_small_numbers_are_one_choice() -> None:
    at = open_page("steps", weights=None)
    answer = answer_on_top(at)
    word = ["BOS", *answer.replace(",", " ,").replace(".", " .").split()][
        at.selectbox(key="query").value
    ]
    assert len(word) > 3  # neither an article nor the full stop
    assert not at.query_params  # nothing was chosen
    open_drawer(at, "examples").run()
    at.segmented_control(key="case").set_value("toy").run()
    assert at.query_params["case"] == "toy"
    press(at, "Now with my sentence")
    assert "case" not in at.query_params


@pytest.mark.parametrize(
    ("kind", "layer", "query", "change"),
    [
        ("decoder", 1, {"unmasked": True}, AttentionChange(masked=False)),
        ("encoder", 2, {"off_head": 1}, AttentionChange(without_head=0)),
        ("cross", 1, {"off_head": 1}, AttentionChange(without_head=0)),
        ("cross", 2, {"off_head": 1}, AttentionChange(without_head=0)),
    ],
)
def test_the_answer_is_that_of_the_changed_model(
    kind: AttentionKind, layer: int, query: dict[str, object], change: AttentionChange
) -> None:
    reverse, source = load("reverse"), "a b c d e"
    usual, other = (
        replace(reverse, model=model).answer([source])[0]
        for model in (reverse.model, changed(reverse.model, kind, layer - 1, change))
    )
    assert (usual == other) == (kind == "cross" and layer == 2)
    at = open_page(
        "steps", weights="reverse", src=source, pairs=1, attention=kind, layer=layer, **query
    )
    if usual == other:
        assert "The model's answer stays the same." in texts(at)
    else:
        assert f"The model's answer: {usual}\nwith the change: {other}\n" in f"{texts(at)}\n"
