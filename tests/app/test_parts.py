"""The parts that other models have in place of the paper's, chosen in the model's settings."""

from typing import get_args

import numpy as np
import pytest

from explorer.choices.parameters import Waves
from explorer.config import Positions
from explorer.positional import sinusoidal
from explorer.tasks.tasks import TASKS
from explorer.ui.controls.parts import POSITION_NAMES
from tests.app.driving import numbers, open_page, pictures, texts


def test_a_part_of_trained_weights_can_be_exchanged_and_they_come_back() -> None:
    at = open_page("attention", weights="reverse", parts=True)
    at.toggle(key="divide").set_value(False).run()
    assert at.selectbox(key="weights").value == "untrained"
    assert at.query_params["divide"] == "false"
    at.button("back_to_trained").click().run()
    assert at.selectbox(key="weights").value == "reverse"
    assert at.toggle(key="divide").value


@pytest.mark.parametrize("task", ["numbers", "copy"])
def test_a_task_with_two_vocabularies_does_not_share_their_embeddings(task: str) -> None:
    at = open_page("training", task=task, tying="all")
    different = TASKS[task].vocabularies[0] != TASKS[task].vocabularies[1]
    assert ("an embedding of its own" in texts(at)) == different


KINDS = pytest.mark.parametrize("kind", get_args(Positions))


@KINDS
class TestPositionsOnTheirPage:
    def test_the_page_names_the_models_positions(self, kind: str) -> None:
        aspects = Waves.aspect.domain.options
        aspect = aspects[get_args(Positions).index(kind) % len(aspects)]
        at = open_page("positions", aspect=aspect, position_kind=kind)
        captions = [caption.value for caption in at.main.caption]
        assert len(pictures(at)) == 1
        about = [text for text in captions if text.startswith("The model on show has")]
        own = "no positions" if kind == "none" else f"another kind: {POSITION_NAMES[kind]}"
        assert [own in text for text in about] == ([] if kind == "sinusoidal" else [True])

    def test_the_added_positions_are_the_models(self, kind: str) -> None:
        at = open_page("positions", aspect="inputs", position_kind=kind)
        drawn = pictures(at)["inputs"]
        position = numbers(drawn, 1)
        assert position.any() == (kind in ("sinusoidal", "halves", "learned"))
        paper = sinusoidal(*position.shape).numpy()
        assert np.allclose(position, paper, atol=1e-6) == (kind == "sinusoidal")
        shown = texts(at)
        assert ("Nothing is added to the embeddings" in shown) != position.any()
        assert position.any() or "drown" not in drawn["caption"]

    def test_without_positions_the_outputs_are_reordered(self, kind: str) -> None:
        at = open_page("positions", aspect="order", position_kind=kind)
        shown = texts(at)
        assert "gray-badge[:material/check: off: the same vectors, reordered" in shown
        assert "red-badge" not in shown
        drawn = pictures(at)["order"]
        order = [0, 1, 5, 3, 4, 2]
        assert numbers(drawn, 0)[order, range(6)].max() < 1e-4
        if kind == "none":
            assert "on:" not in shown
            assert "positions on" not in drawn["alt"]
        else:
            assert numbers(drawn, 1)[order, range(6)].max() > 1e-2
            assert "gray-badge[:material/check: on: not a reordering" in shown


def test_alibi_cannot_tell_a_sentence_from_its_mirror_image() -> None:
    shown = texts(
        open_page(
            "positions", aspect="order", position_kind="alibi", order_a="a b c", order_b="c b a"
        )
    )
    assert "on: these are reordered too" in shown
    assert "distances, not directions" in shown
