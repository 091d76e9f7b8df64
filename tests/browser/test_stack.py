"""The stack in the browser, and the map whose blocks lead into it."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from explorer.exploration import explore
from tests.browser.visitor import Visitor, address_of

pytestmark = pytest.mark.browser
PAIRS = [("the dog saw the cat", "der Hund sah"), ("it was tired", "es war müde")]
ADDRESS = {
    "pairs": 2,
    "src": PAIRS[0][0],
    "tgt": PAIRS[0][1],
    "src2": PAIRS[1][0],
    "tgt2": PAIRS[1][1],
}
SRC_WORDS, TGT_WORDS = PAIRS[0][0].split(), ["BOS", *PAIRS[0][1].split()]


def stops_of(enc: int, dec: int, pre: bool) -> list[str]:
    """Figure 1 of the paper from the bottom up, encoder before decoder."""
    add = "add" if pre else "add & norm"
    start = ["embedding", "× √d_model", "+ position"]
    encoder = ["self-attention", add, "feed-forward", add]
    decoder = ["masked self-attention", add, "cross-attention", add, "feed-forward", add]
    return [
        *(f"source: {name}" for name in start),
        *(f"encoder {layer}: {name}" for layer in range(1, enc + 1) for name in encoder),
        "memory: memory",
        *(f"target: {name}" for name in start),
        *(f"decoder {layer}: {name}" for layer in range(1, dec + 1) for name in decoder),
        *(["output: norm"] if pre else []),
        "output: logits",
        "output: probabilities",
    ]


def chosen(person: Visitor, key: str) -> Locator:
    """What a list of the page has on show: a position and its name."""
    return person.field(key)


def expect_stop(person: Visitor, number: int, name: str) -> None:
    """The list, the address, the formula's line and the picture all speak of this stop."""
    expect(chosen(person, "stop")).to_have_value(f"{number} · {name}")
    part, stop = name.split(": ")
    expect(person.page.locator("strong").filter(has_text=f"{part.capitalize()}: ")).to_have_text(
        f"{part.capitalize()}: {stop}"
    )
    expect(person.element("stop_picture")).to_have_attribute(
        "aria-label", re.compile(rf"^{re.escape(part)}, {re.escape(stop)}: ")
    )
    person.settle()


def choose(person: Visitor, key: str, number: int, name: str) -> None:
    """Pick from a list, by typing what one looks for."""
    field = chosen(person, key)
    field.click()
    field.fill(f"{number} · {name}")
    person.page.get_by_role("option", name=f"{number} · {name}", exact=True).click()


def button(person: Visitor, name: str) -> Locator:
    return person.page.get_by_role("button", name=name, exact=True)


def test_back_next_and_the_list_agree(visit: Callable[..., Visitor]) -> None:
    names = stops_of(1, 1, False)
    person = visit(address_of("stack", **ADDRESS, enc=1, dec=1))
    expect_stop(person, 0, names[0])
    assert "stop" not in person.parameters
    expect(button(person, "Back")).to_be_disabled()
    for number in (1, 2, 3):
        button(person, "Next").click()
        expect_stop(person, number, names[number])
        person.wait_for_parameter("stop", str(number))
        expect(button(person, "Back")).to_be_enabled()
    button(person, "Back").click()
    expect_stop(person, 2, names[2])
    person.wait_for_parameter("stop", "2")
    last = len(names) - 1
    choose(person, "stop", last, names[last])
    expect_stop(person, last, names[last])
    person.wait_for_parameter("stop", str(last))
    expect(button(person, "Next")).to_be_disabled()
    button(person, "Back").click()
    expect_stop(person, last - 1, names[last - 1])
    expect(button(person, "Next")).to_be_enabled()


def test_a_deep_link_leads_to_a_stop_and_a_word(visit: Callable[..., Visitor]) -> None:
    names = stops_of(2, 2, False)
    seen = explore(*zip(*PAIRS, strict=True))
    for stop, word, wanted in (
        (8, 1, seen.trace.encoder[1].attention_residual.out[0]),
        (17, 3, seen.trace.decoder[0].cross.out[0]),
    ):
        person = visit(address_of("stack", **ADDRESS, stop=stop, word=word))
        expect_stop(person, stop, names[stop])
        words = SRC_WORDS if stop < 12 else TGT_WORDS
        expect(chosen(person, "word")).to_have_value(f"{word} · {words[word]}")
        person.wait_for_parameter("stop", str(stop))
        person.wait_for_parameter("word", str(word))
        np.testing.assert_allclose(
            person.numbers("stop_picture"), wanted.numpy()[:, :64], atol=6e-5
        )
        ((_, top, _, height),) = person.picture("stop_picture")["frames"]
        assert (top, height) == pytest.approx((word / len(words), 1 / len(words)), abs=1e-3)
        rows = person.page.locator(".st-key-token-statistics tbody tr")
        assert [row.locator("th").text_content() for row in rows.all()] == [
            f"{at} · {name}" for at, name in enumerate(words)
        ]
        button(person, "Next").click()
        expect_stop(person, stop + 1, names[stop + 1])
        expect(chosen(person, "word")).to_have_value(f"{word} · {words[word]}")
        choose(person, "word", 0, words[0])
        person.wait_for_parameter("word", "0")
        person.page.wait_for_function(
            "() => document.querySelector('.st-key-stop_picture .area > rect[y=\"0%\"]') !== null"
        )


def test_a_stop_beyond_the_end_is_the_last(visit: Callable[..., Visitor]) -> None:
    names = stops_of(1, 1, True)
    person = visit(address_of("stack", **ADDRESS, enc=1, dec=1, norm="pre", stop=200, word=100))
    expect_stop(person, len(names) - 1, names[-1])
    expect(button(person, "Next")).to_be_disabled()
    words, itself = button(person, "Next").evaluate(
        "(e) => [e.querySelector('p'), e].map((part) => getComputedStyle(part).color)"
    )
    assert words == itself  # grey as the button, not white on white
    expect(chosen(person, "word")).to_have_value("3 · sah")


def test_the_129th_word_of_a_target_has_a_link_too(visit: Callable[..., Visitor]) -> None:
    words = [f"w{number}" for number in range(128)]
    person = visit(address_of("stack", pairs=1, src="a", tgt=" ".join(words), stop=14))
    expect(chosen(person, "word")).to_have_value("128 · w127")  # BOS stands before them
    choose(person, "word", 127, "w126")
    person.wait_for_parameter("word", "127")
    choose(person, "word", 128, "w127")
    person.wait_for_parameter("word", "128")
    colleague = visit(person.address)
    assert colleague.page.get_by_test_id("stAlert").count() == 0
    expect(chosen(colleague, "word")).to_have_value("128 · w127")


def test_change_shows_the_difference_and_stays_in_the_address(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("stack", **ADDRESS, stop=4))
    trace = explore(*zip(*PAIRS, strict=True)).trace
    out = trace.encoder[0].attention_residual.out[0]
    np.testing.assert_allclose(person.numbers("stop_picture"), out.numpy(), atol=6e-5)
    person.page.get_by_role("radio", name="change", exact=True).first.click()
    person.wait_for_parameter("stop_shows", "change")
    caption = person.page.locator(".st-key-stop_picture figcaption")
    expect(caption).to_contain_text("Change from its input.")
    person.settle()
    moved = out - trace.src_embedding.out[0]
    np.testing.assert_allclose(person.numbers("stop_picture"), moved.numpy(), atol=6e-5)
    colleague = visit(person.address)
    np.testing.assert_allclose(colleague.numbers("stop_picture"), moved.numpy(), atol=6e-5)


def test_a_word_as_four_numbers_can_be_changed(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("stack"))
    person.page.locator("summary").filter(has_text="A word as four numbers").click()
    cells = person.page.locator(".st-key-man_grid input")
    expect(cells).to_have_count(4)
    assert [cell.input_value() for cell in cells.all()] == ["0.1", "0.4", "0.3", "0.19"]
    person.page.wait_for_function(
        "() => document.querySelector('.st-key-four_numbers .plot')?.picture?.maps.length === 4"
    )
    position = np.array([[0.84147098], [0.54030231], [0.00999983], [0.99995]])  # of place 1
    scaled = np.array([[0.2], [0.8], [0.6], [0.38]])
    for panel, wanted in ((1, scaled), (2, position), (3, scaled + position)):
        np.testing.assert_allclose(person.numbers("four_numbers", panel), wanted, atol=6e-5)
    cells.nth(2).fill("-1.5")
    person.wait_for_parameter("man", "0.1 0.4 -1.5 0.19")
    person.settle()
    scaled[2] = -3
    np.testing.assert_allclose(person.numbers("four_numbers", 3), scaled + position, atol=6e-5)
    place = person.field("man_at")
    place.fill("0")
    place.press("Enter")
    expect(person.element("four_numbers")).to_have_attribute(
        "aria-label", re.compile(r"position 0\.000, 1\.000, 0\.000, 1\.000")
    )
    person.settle()
    np.testing.assert_allclose(
        person.numbers("four_numbers", 3), scaled + np.array([[0], [1], [0], [1]]), atol=6e-5
    )


def test_words_are_shown_as_typed(visit: Callable[..., Visitor]) -> None:
    typed = "<b>x</b> **bold** `code` $y$ <img src=x onerror=window.hacked=1> שלום"
    person = visit(address_of("stack", pairs=1, src=typed, tgt=typed, word=0))
    said = person.page.locator(".st-key-by_hand code").inner_text()
    assert "“<b>” has id 4" in said.replace("\u2068", "").replace("\u2069", "")
    expect(chosen(person, "word")).to_have_value("0 · <b>")
    rows = person.page.locator(".st-key-token-statistics tbody th").all_text_contents()
    assert rows[:4] == ["0 · <b>", "1 · x", "2 · </b>", "3 · *"]
    assert rows[-1].endswith("שלום")
    names = stops_of(2, 2, False)
    choose(person, "stop", len(names) - 1, names[-1])
    expect_stop(person, len(names) - 1, names[-1])
    assert person.page.evaluate("window.hacked") is None
    assert person.page.locator('img[src="x"]').count() == 0


def lane(person: Visitor, number: int) -> list[tuple[Locator, str]]:
    """The blocks of one lane of the map, and what stands on each."""
    blocks = person.page.locator(".map .lane").nth(number).locator(".block")
    return [(block, block.locator(".name").inner_text()) for block in blocks.all()]


def on_block(block: Locator, line: str) -> str:
    """A line of a block: "shape", or what is "inside"."""
    return block.locator(f".{line}").inner_text()


def test_a_block_of_the_map_leads_to_its_stop(visit: Callable[..., Visitor]) -> None:
    names = stops_of(2, 3, False)
    person = visit(address_of("", **ADDRESS, enc=2, dec=3, d_model=32, pair=2))
    for number, title, stop in (
        (0, "Feed-forward", "encoder 1: feed-forward"),
        (1, "Softmax", "output: probabilities"),
    ):
        blocks = {name.lower(): block for block, name in lane(person, number)}
        block = next(block for name, block in blocks.items() if title.lower() in name)
        shape = on_block(block, "shape")  # (sentences, tokens, width)
        sentences, *of_one = shape.strip("()").split(", ")
        assert sentences == "2"
        block.click()
        expect(person.page.locator("h1")).to_have_text("What happens to a word on its way?")
        expect_stop(person, names.index(stop), stop)
        person.wait_for_parameter("stop", str(names.index(stop)))
        caption = person.page.locator(".st-key-stop_picture figcaption").inner_text()
        assert caption.startswith(f"Shape ({', '.join(of_one)})"), (title, caption)
        person.go_to("Home")


def test_the_other_blocks_lead_to_pages_of_their_own(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("", **ADDRESS, heads=2))

    def open_block(number: int, at: int, question: str) -> dict[str, str]:
        block, title = lane(person, number)[at]
        said: dict[str, str] = {"title": title}
        for line in ("inside", "shape"):
            if block.locator(f".{line}").count():
                said[line] = on_block(block, line)
        block.click()
        expect(person.page.locator("h1")).to_have_text(question)
        person.settle()
        return said

    for number, key, length in ((0, "src_ids", 5), (1, "shift", 4)):
        said = open_block(number, 0, "What does the model read?")
        assert said["shape"] == f"(2, {length})"
        assert person.numbers(key).shape[1] == length
        person.go_to("Home")
        said = open_block(number, 1, "How does it know the order?")
        assert said["shape"] == f"(2, {length}, 64)"
        person.go_to("Home")
    for number, at, kind, queries, keys in (
        (0, 2, "encoder", SRC_WORDS, SRC_WORDS),
        (1, 2, "decoder", TGT_WORDS, TGT_WORDS),
        (1, 4, "cross", TGT_WORDS, SRC_WORDS),
    ):
        said = open_block(number, at, "Who looks at whom?")
        assert said["inside"] == f"weights (2, 2, {len(queries)}, {len(keys)})"
        person.wait_for_parameter("attention", kind)
        heads: list[Any] = person.picture("all_heads")["maps"]
        assert len(heads) == 2
        assert person.numbers("one_head").shape == (len(queries), len(keys))
        ticks = person.labels("one_head", "y")
        assert [tick.split(" → ")[0].split(" · ")[-1] for tick in ticks] == queries
        person.go_to("Home")
