"""Every page with every kind of input: no exception, and a hint where one is needed."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.choices.examples import EXAMPLES
from explorer.choices.parameters import Masks
from explorer.runtime import engine
from tests.app.driving import (
    OF_MODELS,
    answer,
    components,
    numbers,
    open_page,
    pick_example,
    pictures,
    press,
    session_of,
    state_of,
    texts,
)
from tests.app.test_every_page import PICTURES
from tests.figures.reading import labels

READS_SENTENCES = [name for name in OF_MODELS if name != "positions"]


@pytest.mark.parametrize(
    ("name", "blank"),
    [*((name, "") for name in READS_SENTENCES), ("attention", "   "), ("attention", "\u200b")],
)
def test_without_a_source_a_hint_replaces_the_picture(name: str, blank: str) -> None:
    at = open_page(name, **state_of([(blank, "ja")]))
    assert any("Type a s" in info.value for info in at.info)
    assert not components(at).keys() - {"loss"}


def test_the_hint_is_about_the_empty_pair_alone() -> None:
    pairs = [("yes", "ja"), ("", "nein")]
    at = open_page("attention", **state_of(pairs, pair=2))
    assert any("Type a source sentence above" in info.value for info in at.info)
    at = open_page("attention", **state_of(pairs, pair=1))
    assert not at.info
    assert components(at).keys() >= {"one_head", "heads_view"}


def test_the_second_sentence_goes_along_to_another_page_if_it_is_on_show() -> None:
    """Though only some pages have two sentences until somebody adds one."""
    sources = {"src": "I know that the dog sleeps here.", "src2": "She gets up."}
    at = open_page("masks", weights="translator", pair=2, **sources)
    press(at, "Step by step: where does this score come from?")
    assert (session_of(at).page, answer(at, 2)[0]) == ("steps", "Sie steht auf.")


def test_sentences_too_long_for_a_link_are_announced_and_still_read() -> None:
    long = " ".join(["wordwordword"] * 57)
    at = open_page("tokens", **state_of([(long, long)] * 16))
    assert not at.info  # 32 times 740 characters, less than 24,000
    at = open_page("tokens", **state_of([(long + " äöü", long + " äöü")] * 16))
    # Still less as typed, but in an address an ä is %C3%A4.
    assert any("too long for a link" in info.value for info in at.info)


@pytest.mark.parametrize("name", ["home", "attention", "training", "decoding"])
def test_a_model_that_does_not_fit_is_refused_with_a_way_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "free_memory", lambda device: 20 * 2**20)
    at = open_page(name, d_model=1024, heads=8, enc=6, dec=6, d_ff=4096)
    (error,) = (found for found in at.error if " MB" in found.value)
    assert not components(at).keys() - {"loss"}
    for setting in ("d_model (1024)", "layers (6 + 6)", "d_ff (4096)"):
        assert setting in error.value
    at = open_page(name, d_model=64, enc=1, dec=1, d_ff=64)
    assert not at.error
    assert components(at)


@pytest.mark.parametrize("name", list(EXAMPLES)[::3])
def test_every_example_can_be_picked_and_fills_the_controls(name: str) -> None:
    at = open_page("tokens")
    pick_example(at, name)
    example = EXAMPLES[name]
    assert at.text_input(key="pairs").value == str(len(example.pairs))
    weights = at.selectbox(key="weights").value
    typed = weights == "untrained"
    assert weights == (example.weights or "untrained")
    for number, (source, target) in enumerate(example.pairs, start=1):
        suffix = "" if number == 1 else str(number)
        assert at.text_input(key=f"src{suffix}").value == source
        if typed:
            target_shown = at.text_input(key=f"tgt{suffix}").value
        else:
            target_shown, _ = answer(at, number)
        if typed or weights in ("numbers", "german", "quotes"):  # the others answer otherwise
            assert target_shown == target
    assert components(at).keys() >= PICTURES["tokens"]


def test_an_example_can_be_picked_again_after_its_sentences_were_changed() -> None:
    at = open_page("home")
    for typed in ("something else", "another thing"):
        pick_example(at, "Learnt by heart: film quotes")
        assert at.text_input(key="src").value == "I'm gonna make him an offer"
        at.text_input(key="src").set_value(typed).run()
        assert at.text_input(key="src").value == typed


@pytest.mark.parametrize("mistake", Masks.rule.domain.options)
def test_every_mistake(mistake: str) -> None:
    at = open_page("masks", rule=mistake)
    assert any(key.startswith("mistake") for key in pictures(at))  # its fold is open
    next(button for button in at.button if button.label.startswith("In the Lab")).click().run()
    assert at.title[0].value == "What changes if …?"
    assert at.selectbox(key="which_mistake").value == mistake


def test_the_table_behind_a_head_has_the_numbers_of_the_picture() -> None:
    at = open_page("attention", **state_of([("a b a", "x")]), drawer="numbers", head=2)
    sent = components(at)
    weights = numbers(sent["one_head"])
    assert sent["attention-weights"]["header"][1:] == ["0 · a", "1 · b", "2 · a"]
    assert sent["attention-weights"]["rows"] == [
        [label, *(f"{weight:.4f}" for weight in row)]
        for label, row in zip(["0 · a", "1 · b", "2 · a"], weights, strict=True)
    ]


def test_a_choice_that_is_gone_moves_to_the_nearest_below() -> None:
    at = open_page("attention", heads=8, head=8, enc=6, layer=6)
    at.slider(key="enc").set_value(3).run()
    assert components(at)["heads_focus"]["layer"] == 2
    at.text_input(key="d_model").set_value("60").run()
    assert at.select_slider(key="heads").value == 6
    assert components(at)["heads_focus"]["head"] == 5
    at.text_input(key="d_model").set_value("61").run()
    assert at.select_slider(key="heads").value == 1
    assert len(labels(pictures(at)["one_head"]["spec"], "x")) == 11


def test_the_mask_leads_to_the_score_that_it_shows() -> None:
    at = open_page("masks", weights="translator")
    scores = numbers(pictures(at)["row_at_work"])[:, 0]
    next(button for button in at.button if "this score" in button.label).click().run()
    at.switch_page("pages/steps.py").run()
    assert at.query_params["attention"] == "decoder"
    rows = components(at)["step_table"]["rows"]
    shown = [float(row[3]["text"].replace("−", "-")) for row in rows]
    np.testing.assert_allclose(shown, scores, atol=0.00051)


def lengths(at: AppTest) -> tuple[int, ...]:
    """The sizes of the source batch on the page of tokens."""
    return numbers(pictures(at)["src_ids"]).shape


def test_a_second_sentence_is_beside_it_on_the_pages_of_pad_alone() -> None:
    at = open_page("tokens", weights="translator")
    assert "Beside it: She gets up at six every morning." in texts(at)
    assert lengths(at)[0] == 2
    at.button(key="remove_second").click().run()
    assert lengths(at)[0] == 1
    assert at.query_params["pairs"] == "1"
    assert "Beside it" not in texts(at)
    press(at, "Add a second sentence: the shorter one is filled up with PAD")
    assert lengths(at)[0] == 2
    assert "pairs" not in at.query_params
    other = open_page("attention", weights="translator")
    assert "PAD" not in str(labels(pictures(other)["one_head"]["spec"], "x"))


def test_a_mask_without_pad_offers_a_sentence_with_pad() -> None:
    at = open_page("masks", weights="translator", attention="encoder", pairs=1)
    press(at, "Add a second sentence: the shorter one is filled up with PAD")
    press(at, "Show sentence 2: it is filled up with PAD")
    hidden = numbers(pictures(at)["one_mask"]) != 0
    assert hidden[:, -2:].all()  # 8 pieces beside 10
    assert not hidden[:, :-2].any()
    press(at, "Show the first sentence")
    assert "Nothing is hidden here" in texts(at)
