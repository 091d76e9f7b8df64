"""The controls, the address, the fields and the pictures always agree."""

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.choices.query import VERSION
from explorer.ui.frame import draw as frame
from explorer.weights import trained_here
from explorer.weights.checkpoints import load, shipped
from tests.app.driving import (
    answer_on_top,
    choose,
    components,
    numbers,
    open_page,
    pictures,
    press,
    state_of,
    texts,
)
from tests.app.rooming import go_to
from tests.figures.reading import heatmaps

HEADS_OF_60 = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30)
SHAPE = {"d_model": 64, "heads": 4, "enc": 2, "dec": 2}


def trained(page: str = "home", **choices: Any) -> AppTest:
    """A page in a new session with trained weights."""
    return open_page(page, **{"weights": "reverse", **choices})


REVERSE = {"weights": "reverse"}


def address(at: AppTest) -> dict[str, str]:
    return dict(at.query_params)


def field(at: AppTest, key: str) -> Any:
    """A field of text by its key; None where it is not drawn."""
    try:
        return at.text_input(key=key)
    except KeyError:
        return None


def widget(at: AppTest, key: str) -> Any:
    kinds = (at.text_input, at.slider, at.select_slider, at.selectbox, at.get("button_group"))
    return next(element for kind in kinds for element in kind if element.key == key)


class TestTheShapeIsThatOfTheModelOnShow:
    @pytest.mark.parametrize(
        ("key", "value"), [("d_model", 60), ("heads", 2), ("enc", 3), ("dec", 1), ("d_ff", 100)]
    )
    def test_a_changed_shape_is_explained_and_can_be_undone(self, key: str, value: int) -> None:
        at = trained(more_of_model=True)
        source, answer = field(at, "src").value, answer_on_top(at)
        control = widget(at, key)
        control.set_value(str(value) if control.type == "text_input" else value).run()
        assert widget(at, "weights").value == "untrained"
        assert address(at)["weights"] == "untrained"
        assert address(at)[key] == str(value)
        # The sentences and the answers stay what they were.
        assert field(at, "src").value == source
        assert field(at, "tgt").value == answer
        assert "answer_pieces" not in components(at)
        at.button("back_to_trained").click().run()
        assert widget(at, "weights").value == "reverse"
        assert {k: int(widget(at, k).value) for k in SHAPE} == SHAPE
        assert answer_on_top(at) == answer
        assert address(at) == REVERSE | VERSION

    @pytest.mark.parametrize("level", ["characters", "ids"])
    def test_trained_weights_read_words_alone(self, level: str) -> None:
        at = trained()
        widget(at, "tokens").set_value(level).run()
        assert widget(at, "weights").value == "untrained"
        assert address(at)["tokens"] == level
        at.button("back_to_trained").click().run()
        assert widget(at, "tokens").value == "words"
        assert "answer_pieces" in components(at)

    @pytest.mark.parametrize("shape", [{"d_model": 128, "heads": 8}, {"norm": "pre"}])
    def test_a_link_with_another_shape_opens_an_untrained_model_of_it(
        self, shape: dict[str, Any]
    ) -> None:
        at = trained("attention", attention="cross", layer=1, **shape)
        assert widget(at, "weights").value == "untrained"
        assert "answer_pieces" not in components(at)
        assert field(at, "tgt").value.startswith("das Tier")
        untrained = open_page("attention", attention="cross", layer=1, **shape)
        drawn, same = (pictures(page)["one_head"]["spec"] for page in (at, untrained))
        assert drawn == same
        at.button("back_to_trained").click().run()
        assert answer_on_top(at).startswith("tired too")
        assert "untrained model" not in texts(at)


def ids_in(at: AppTest) -> list[list[int]]:
    """The ids of the source batch, as they are drawn."""
    (trace,) = heatmaps(pictures(at)["src_ids"]["spec"])
    return [[int(cell.rpartition(" ")[2]) for cell in row] for row in trace["told"][0]]


class TestSentencesBelongTogether:
    def test_a_target_that_was_typed_for_another_source_does_not(self) -> None:
        at = open_page("attention", weights="copy", pairs=1, src="one two", typed_target=True)
        at.text_input(key="tgt").set_value("my own").run()
        at.toggle(key="typed_target").set_value(False).run()
        at.text_input(key="src").set_value("three four").run()
        at.toggle(key="typed_target").set_value(True).run()
        assert at.text_input(key="tgt").value == "three four"

    def test_words_become_their_ids_and_words_again(self) -> None:
        at = open_page("tokens", **state_of([("the cat the", "x y"), ("a", "y")]))
        src = ids_in(at)
        widget(at, "tokens").set_value("ids").run()
        assert field(at, "src").value == "4 5 4"
        assert field(at, "tgt").value == "1 4 5"
        assert ids_in(at) == src == [[4, 5, 4], [6, 0, 0]]
        assert "UNK" not in texts(at)
        widget(at, "tokens").set_value("words").run()
        assert field(at, "src").value == "the cat the"
        assert field(at, "tgt").value == "x y"


class TestARemovedPair:
    TWO = state_of([("a b c", "x"), ("d e", "y z")])

    def test_ids_become_the_words_of_the_pair_that_moved_up(self) -> None:
        at = open_page("tokens", **self.TWO)
        widget(at, "tokens").set_value("ids").run()
        at.button("remove_0").click().run()
        widget(at, "tokens").set_value("words").run()
        assert field(at, "src").value == "d e"
        assert field(at, "tgt").value == "y z"

    def test_a_target_that_was_typed_moves_up_with_its_source(self) -> None:
        pairs = {"src": "one", "tgt": "first", "src2": "two three", "tgt2": "second"}
        at = open_page("attention", weights="copy", pairs=2, typed_target=True, **pairs)
        at.toggle(key="typed_target").set_value(False).run()
        at.button("remove_0").click().run()
        at.toggle(key="typed_target").set_value(True).run()
        assert (field(at, "src").value, field(at, "tgt").value) == ("two three", "second")

    def test_a_target_that_nobody_typed_is_still_the_models(self) -> None:
        at = trained("tokens")
        at.button("remove_0").click().run()
        field(at, "src").set_value("one two three").run()
        at.toggle("typed_target").set_value(True).run()
        assert field(at, "tgt").value == "three two one"


def test_a_text_that_the_explorer_changes_has_a_new_version() -> None:
    """What was typed over the one before counts no more: tests/scripts/line.test.mjs."""
    at = open_page("tokens", **TestARemovedPair.TWO)

    def version() -> int:
        return int(json.loads(field(at, "src").proto.bytes)["version"])

    before = version()
    field(at, "src").set_value("a b").run()
    assert version() == before
    at.button("remove_0").click().run()
    assert version() == before + 1


class TestWhoseWordsTheseAre:
    @pytest.mark.parametrize(
        ("weights", "source", "mark"),
        [
            ("reverse", "a b c", "✓"),
            ("numbers", "xyz", "it never learnt “xyz”"),
            ("copy", " ".join(f"w{n}" for n in range(40)), "⚠"),
        ],
    )
    def test_every_shown_answer_is_judged(self, weights: str, source: str, mark: str) -> None:
        at = trained(weights=weights, src=source, pairs=1)
        assert mark in components(at)["answer_pieces"]["note"]


class TestPadIsHidden:
    PAIRS = state_of([("a b", "x"), ("the cat saw the dog", "y z")], hide_pad=True)

    @pytest.mark.parametrize("page", ["attention", "steps", "decoding", "why", "home"])
    def test_the_pair_on_show_is_drawn_without_what_fills_it_up(self, page: str) -> None:
        drawn = components(open_page(page, **self.PAIRS))
        assert not [key for key, each in drawn.items() if "PAD" in str(each.get("alt", each))]

    def test_pad_can_be_drawn_only_where_there_is_some(self) -> None:
        at = open_page("attention", **self.PAIRS, drawer="colours")
        for pairs in (2, 1, 2):
            choose(at, pairs=pairs).run()
            switches = {toggle.key: toggle.value for toggle in at.toggle}
            assert switches.get("hide_pad") == (True if pairs == 2 else None)
        choose(at, hide_pad=False).run()
        assert "PAD" in pictures(at)["one_head"]["alt"]


class TestABrowserMayMissOneRun:
    """A widget's value is sent once. A browser that draws it only later gets its default."""

    def test_the_default_of_a_control_is_its_choice(self) -> None:
        at = open_page("steps", d_model=60, heads=3, layer=2, norm="pre")
        at.run()
        assert widget(at, "d_model").proto.default == "60"
        assert list(widget(at, "heads").proto.default) == [list(HEADS_OF_60).index(3)]
        layer = widget(at, "layer")
        assert layer.options[layer.proto.default].startswith("2")


class TestTheAddressSaysWhatIsOnTheScreen:
    def test_a_layer_that_was_chosen_names_its_attention(self) -> None:
        at = trained("steps")
        widget(at, "layer").set_value(1).run()
        assert address(at) == REVERSE | VERSION | {"attention": "cross", "layer": "1"}
        again = trained("steps", **address(at))
        assert pictures(again)["step_picture"]["alt"] == pictures(at)["step_picture"]["alt"]

    def test_base_and_formula_reach_every_aspect(self) -> None:
        at = open_page("positions", aspect="inputs", base=10, formula="doubled")
        drawn = numbers(pictures(at)["inputs"], 1)
        usual = numbers(pictures(open_page("positions", aspect="inputs"))["inputs"], 1)
        assert not np.allclose(drawn, usual)
        # Position 1, dimension 2 of 64: sin(1 / 10^(2·2/64)), the exponent doubled.
        assert drawn[1, 2] == pytest.approx(np.sin(10 ** (-4 / 64)), abs=1e-6)
        assert "not the paper's encoding" in " ".join(badge.value for badge in at.get("badge")) or (
            "not the paper's encoding" in texts(at)
        )


class TestTrainedHere:
    @pytest.fixture
    def token(self) -> Any:
        token = trained_here.keep(load(shipped("quotes")))
        yield token
        trained_here.drop(token)

    @pytest.mark.parametrize("run", ["never-was-here", None])
    def test_missing_weights_are_reported_and_replaced(self, run: str | None) -> None:
        at = trained(weights="here", run=run)
        assert widget(at, "weights").value == "translator"
        assert "here" not in widget(at, "weights").options
        why, now = (texts(at).find(says) for says in ("here are gone", "model on show is"))
        assert 0 <= why < now
        assert address(at) == {}

    def test_if_the_weights_go_in_the_middle_of_a_run_everything_is_redrawn(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token = trained_here.keep(load(shipped("reverse")))
        at = open_page("masks", weights="here", run=token)
        monkeypatch.setattr(frame, "draw_navigation", lambda: trained_here.drop(token))
        at.text_input(key="src").set_value("a b").run()
        assert "are gone" in texts(at)
        assert at.selectbox(key="weights").value == "translator"

    def test_a_changed_source_keeps_the_weights_on_the_training_page(self, token: str) -> None:
        at = trained("training", weights="here", run=token, task="pairs")
        assert "show the trained model" in texts(at)
        field(at, "src").set_value("may the Force").run()
        assert "show the trained model" in texts(at)
        assert widget(at, "weights").value == "here"


def test_a_sentence_that_is_deleted_is_gone_from_the_address() -> None:
    at = open_page("tokens", weights="translator", src="I go", pairs=1)
    at.text_input(key="src").set_value("").run()
    assert at.info
    assert at.query_params["src"] == ""


def test_from_the_toy_batch_there_is_a_way_back() -> None:
    at = open_page(
        "masks",
        weights="reverse",
        pairs=1,
        src="my own words",
        attention="cross",
        drawer="all_masks",
    )
    for label in ("Show the 8×8 toy batch", "Back to your sentence"):
        press(at, label)
    assert field(at, "src").value == "my own words"
    assert widget(at, "weights").value == "reverse"
    assert answer_on_top(at) == "words own my"
    assert at.query_params["attention"] == "cross"
    assert "Show the 8×8 toy batch" in [button.label for button in at.button]


def test_a_line_is_the_same_on_every_page() -> None:
    at = open_page("steps")
    before = at.text_input(key="src").proto
    assert go_to(at, "steps").text_input(key="src").proto.id == before.id
