"""All heads in the browser: thumbnails, and lines between tokens."""

import base64
import re
from collections.abc import Callable
from itertools import combinations
from typing import Any, get_args

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from explorer.figures.theme import THEMES, weight_scale
from explorer.text import Batch
from explorer.transformer import AttentionKind
from tests.app.by_torch import weights_by_torch
from tests.browser.visitor import Visitor, address_of
from tests.figures.reading import color, rgb

pytestmark = pytest.mark.browser
KINDS = get_args(AttentionKind)
SRC, TGT = "the dog saw the cat", "der Hund sah"
BATCH = Batch.from_text([SRC], [TGT])
SRC_WORDS = ["0 · the", "dog", "saw", "3 · the", "cat"]  # words that repeat have their position
TGT_WORDS = ["BOS", "der", "Hund", "sah"]
ADDRESS = {"pairs": 1, "src": SRC, "tgt": TGT}

# A canvas as height, width, and base64 of its pixels.
PIXELS = """selector => {
  const canvas = document.querySelector(selector);
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let text = "";
  for (let from = 0; from < data.length; from += 8192) {
    text += String.fromCharCode(...data.subarray(from, from + 8192));
  }
  return [height, width, btoa(text)];
}"""
BESIDE = """side => [...document.querySelectorAll(`.heads .${side} button`)].map(token => {
  const { content } = getComputedStyle(token, "::after");
  return content === "none" ? "" : content.replaceAll('"', "");
})"""


def torchs(kind: AttentionKind, layer: int, batch: Batch = BATCH, **model: Any) -> np.ndarray:
    """(head, query, key), layers counted from 1 as on the page."""
    return weights_by_torch(batch, 0, kind, layer - 1, **model)


def thumbnail(person: Visitor, kind: str, layer: int, head: int) -> Locator:
    return person.page.get_by_role("button", name=f"{kind}, layer {layer}, head {head}", exact=True)


def canvas_pixels(person: Visitor, selector: str) -> np.ndarray:
    """(height, width, red green blue alpha)"""
    height, width, data = person.page.evaluate(PIXELS, selector)
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4).astype(int)


def thumbnail_pixels(person: Visitor, kind: str, layer: int, head: int) -> np.ndarray:
    """(query, key, red green blue), as they stand on the screen."""
    name = f"{kind}, layer {layer}, head {head}"
    pixels = canvas_pixels(person, f'.heads button[aria-label="{name}"] canvas')
    assert (pixels[..., 3] == 255).all()
    return pixels[..., :3]


def tokens(person: Visitor, side: str) -> Locator:
    """The words on the left ("queries") or on the right ("keys")."""
    return person.page.locator(f".heads .{side} button")


def toggle(person: Visitor, head: int) -> Locator:
    return person.page.locator(".head-toggles button").nth(head - 1)


def hue(person: Visitor, head: int) -> np.ndarray:
    """The colour around a head's switch, which its lines should have."""
    said = toggle(person, head).evaluate("button => getComputedStyle(button).borderTopColor")
    return np.array([int(part) for part in re.findall(r"\d+", said)[:3]])


class Lines:
    """What is drawn between the tokens."""

    def __init__(self, person: Visitor) -> None:
        self.pixels = canvas_pixels(person, ".heads .lines")
        self.counts = {side: tokens(person, side).count() for side in ("queries", "keys")}
        self.row = len(self.pixels) / max(self.counts.values())

    def near(self, side: str, at: int, inside: int, around: int) -> np.ndarray:
        """The strongest pixel near a token, `inside` pixels from the edge: red green blue alpha."""
        x = inside if side == "queries" else self.pixels.shape[1] - 1 - inside
        middle = round((at + 0.5) * self.row)
        found = self.pixels[middle - around : middle + around, x]
        return found[found[:, 3].argmax()]

    def strength(self, side: str, at: int) -> float:
        """How strong the strongest line is that ends at a token, from 0 to 1."""
        return float(self.near(side, at, 4, 4)[3]) / 255

    def ends(self, side: str) -> list[int]:
        """Tokens that a line can be seen to end at."""
        return [at for at in range(self.counts[side]) if self.near(side, at, 0, 2)[3] > 0]


def blend(colours: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Lines drawn over each other: colour times strength, and strength, from 0 to 255."""
    over = np.zeros(4)
    for colour, strength in zip(colours, strengths, strict=True):
        over = np.append(colour, 255) * strength + over * (1 - strength)
    return over


def heads_drawn(person: Visitor, weights: np.ndarray, query: int = 1) -> list[int]:
    """The heads that together explain best the lines that are seen of one query.

    `weights` is (head, query, key). All heads draw the same lines, in their own colours.
    """
    tokens(person, "queries").nth(query).hover()
    lines = Lines(person)
    person.page.mouse.move(0, 0)
    seen = [lines.near("keys", key, 4, 4) for key in range(weights.shape[2])]
    seen = np.array([[*pixel[:3] * (pixel[3] / 255), pixel[3]] for pixel in seen])
    heads = range(len(weights))
    hues = np.array([hue(person, head + 1) for head in heads])
    drawn = weights[:, query]

    def error(some: tuple[int, ...]) -> float:
        expected = [blend(hues[[*some]], drawn[[*some], key]) for key in range(len(seen))]
        return float(np.abs(np.array(expected) - seen).mean())

    every = [some for count in range(len(weights) + 1) for some in combinations(heads, count)]
    best = min(every, key=error)
    assert error(best) < 6
    return [head + 1 for head in best]


def switched_on(person: Visitor) -> list[int]:
    """Heads whose switches say that their lines are drawn."""
    pressed = person.page.locator(".head-toggles button[aria-pressed=true]").all()
    return [int(button.text_content()) for button in pressed]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_thumbnails_have_the_colours_of_the_weights(
    look: str, visit: Callable[..., Visitor]
) -> None:
    person = visit(address_of("heads", **ADDRESS, enc=1), color_scheme=look)
    theme = THEMES[look]
    scale = {"zmin": 0.0, "zmax": 1.0, "colorscale": weight_scale(theme)}
    assert person.page.locator(".heads .model-view button").count() == (1 + 2 + 2) * 4
    for kind, layer in (("encoder", 1), ("decoder", 1), ("decoder", 2), ("cross", 2)):
        model = {"n_encoder_layers": 1}
        for head, weights in enumerate(torchs(kind, layer, **model), start=1):
            pixels = thumbnail_pixels(person, kind, layer, head)
            assert pixels.shape[:2] == weights.shape
            wanted = [[color(scale, float(weight)) for weight in row] for row in weights]
            assert np.abs(pixels - np.array(wanted)).max() <= 4, (kind, layer, head)
            masked = (pixels == rgb(theme.masked)).all(axis=-1)
            np.testing.assert_array_equal(masked, weights == 0)


def test_own_range_gives_the_largest_weight_the_strongest_colour(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("heads", pairs=1, src=SRC, tgt="", scale="0 to largest"))
    batch = Batch.from_text([SRC], [""])
    found = {kind: [torchs(kind, layer, batch) for layer in (1, 2)] for kind in KINDS}
    for kind in KINDS:
        largest = max(weights.max() for weights in found[kind])
        scale = {"zmin": 0.0, "zmax": largest, "colorscale": weight_scale(THEMES["light"])}
        for head, weights in enumerate(found[kind][0], start=1):
            pixels = thumbnail_pixels(person, kind, 1, head)
            wanted = [[color(scale, float(weight)) for weight in row] for row in weights]
            assert np.abs(pixels - np.array(wanted)).max() <= 4


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_thumbnail_brings_its_head_into_address_and_lines(
    by: str, visit: Callable[..., Visitor]
) -> None:
    person = visit(address_of("heads", **ADDRESS))
    for kind, layer, head in (("cross", 2, 3), ("encoder", 2, 3), ("decoder", 1, 1)):
        small = thumbnail(person, kind, layer, head)
        if by == "mouse":
            small.click()
        else:
            small.focus()
            person.page.keyboard.press("Enter")
        person.wait_for_parameter("attention", None if kind == "encoder" else kind)
        person.wait_for_parameter("layer", None if layer == 1 else str(layer))
        person.wait_for_parameter("head", None if head == 1 else str(head))
        person.settle()
        expect(small).to_have_attribute("aria-pressed", "true")
        assert person.page.locator(".model-view [aria-pressed=true]").count() == 1
        expect(person.page.locator(".head-view h3")).to_have_text(
            f"{kind} attention, layer {layer}"
        )
        if by == "keyboard":
            expect(small).to_be_focused()
        assert switched_on(person) == [head] == heads_drawn(person, torchs(kind, layer))
        weights = torchs(kind, layer)[head - 1]
        tokens(person, "queries").nth(1).hover()
        check_beside(person, "keys", weights[1])
        person.page.mouse.move(0, 0)


def test_the_address_says_which_lines_are_drawn(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("heads", **ADDRESS, attention="cross", layer=2, head=4))
    expect(person.page.locator(".head-view h3")).to_have_text("cross attention, layer 2")
    expect(thumbnail(person, "cross", 2, 4)).to_have_attribute("aria-pressed", "true")
    assert switched_on(person) == [4] == heads_drawn(person, torchs("cross", 2))
    tokens(person, "queries").nth(2).hover()
    check_beside(person, "keys", torchs("cross", 2)[3, 2])


def test_switches_decide_whose_lines_are_drawn(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("heads", **ADDRESS))
    weights = torchs("encoder", 1)
    assert heads_drawn(person, weights) == [1]
    assert len({tuple(hue(person, head)) for head in range(1, 5)}) == 4
    toggle(person, 3).click()
    assert switched_on(person) == [1, 3] == heads_drawn(person, weights)
    toggle(person, 1).click()
    assert switched_on(person) == [3] == heads_drawn(person, weights)
    everyone = person.page.locator(".head-toggles").get_by_text("all", exact=True)
    everyone.click()
    assert switched_on(person) == [1, 2, 3, 4] == heads_drawn(person, weights)
    everyone.click()
    assert switched_on(person) == [1] == heads_drawn(person, weights)
    everyone.click()
    toggle(person, 2).dblclick()
    assert switched_on(person) == [2] == heads_drawn(person, weights)
    toggle(person, 2).focus()  # and without a mouse
    person.page.keyboard.press("Enter")
    assert switched_on(person) == []
    assert Lines(person).pixels[..., 3].max() == 0
    person.page.keyboard.press("Enter")
    assert switched_on(person) == [2] == heads_drawn(person, weights)


def check_beside(person: Visitor, side: str, weights: np.ndarray) -> None:
    """Beside every token of this side stands its weight to two digits; hardly any: nothing."""
    shown = person.page.evaluate(BESIDE, side)
    assert len(shown) == len(weights)
    for text, weight in zip(shown, weights, strict=True):
        if text:
            assert re.fullmatch(r"0\.\d\d|1\.00", text)
            # Half a digit, and half of one of the 254 steps in which weights are sent.
            assert float(text) == pytest.approx(weight, abs=0.005 + 0.5 / 254 + 1e-6)
        else:
            assert weight < 0.01


@pytest.mark.parametrize("by", ["pointing", "focusing"])
def test_a_token_is_isolated_with_its_weights(by: str, visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("heads", **ADDRESS, attention="cross", layer=2, head=2))
    weights = torchs("cross", 2)[1]
    assert Lines(person).ends("queries") == list(range(4))
    assert set(person.page.evaluate(BESIDE, "keys")) == {""}
    for side, opposite, at, share in (
        ("queries", "keys", 3, weights[3]),
        ("keys", "queries", 1, weights[:, 1]),
        ("queries", "keys", 0, weights[0]),
    ):
        token = tokens(person, side).nth(at)
        if by == "pointing":
            token.hover()
        else:
            token.focus()
        check_beside(person, opposite, share)
        assert set(person.page.evaluate(BESIDE, side)) == {""}
        lines = Lines(person)
        assert lines.ends(side) == [at]
        for end, weight in enumerate(share):
            assert lines.strength(opposite, end) == pytest.approx(weight, abs=0.02)
    person.page.mouse.move(0, 0)
    person.page.evaluate("document.activeElement.blur()")
    assert Lines(person).ends("queries") == list(range(4))
    assert set(person.page.evaluate(BESIDE, "keys")) == {""}


PLACES = """() => [...document.querySelectorAll(".heads .tokens, .heads .lines")].map(element => {
  const { left, right } = element.getBoundingClientRect();
  return [Math.round(left), Math.round(right)];
})"""


def test_pointing_at_a_token_moves_nothing(visit: Callable[..., Visitor]) -> None:
    """Or the token would slip away from under the mouse, come back, and so on."""
    person = visit(address_of("heads", pairs=1, src="the dog saw a", tgt="x"))
    before = person.page.evaluate(PLACES)
    for side, at in (("queries", 1), ("keys", 1), ("keys", 3)):
        tokens(person, side).nth(at).focus()
        assert person.page.evaluate(PLACES) == before, (side, at)


def test_a_clicked_token_stays_alone_until_it_is_clicked_again(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("heads", **ADDRESS))

    def leave() -> None:
        person.page.mouse.move(0, 0)
        person.page.evaluate("document.activeElement.blur()")

    token = tokens(person, "queries").nth(2)
    token.click()
    leave()
    assert Lines(person).ends("queries") == [2]
    check_beside(person, "keys", torchs("encoder", 1)[0, 2])
    toggle(person, 1).click()
    toggle(person, 4).click()  # another head, the same token
    check_beside(person, "keys", torchs("encoder", 1)[3, 2])
    token.click()
    leave()
    assert len(Lines(person).ends("queries")) == 5


def test_with_several_heads_the_largest_weight_stands_beside_a_token(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("heads", **ADDRESS))
    person.page.locator(".head-toggles").get_by_text("all", exact=True).click()
    tokens(person, "queries").nth(1).hover()
    check_beside(person, "keys", torchs("encoder", 1)[:, 1].max(axis=0))


def test_own_range_leaves_the_weights_beside_the_tokens_as_they_are(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("heads", **ADDRESS, scale="0 to largest", head=2))
    tokens(person, "queries").nth(1).hover()
    check_beside(person, "keys", torchs("encoder", 1)[1, 1])


def test_each_attention_has_its_own_tokens_and_lines(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("heads", **ADDRESS))
    words = {
        "encoder": (SRC_WORDS, SRC_WORDS),
        "decoder": (TGT_WORDS, TGT_WORDS),
        "cross": (TGT_WORDS, SRC_WORDS),
    }
    for kind in ("decoder", "cross", "encoder"):
        person.page.get_by_role("radio", name=kind).click()
        person.wait_for_parameter("attention", None if kind == "encoder" else kind)
        expect(person.page.locator(".head-view h3")).to_have_text(f"{kind} attention, layer 1")
        person.settle()
        queries, keys = words[kind]
        assert tokens(person, "queries").all_text_contents() == queries
        assert tokens(person, "keys").all_text_contents() == keys
        weights = torchs(kind, 1)[0]
        for query in (0, 2):
            tokens(person, "queries").nth(query).hover()
            check_beside(person, "keys", weights[query])
            if kind == "decoder":  # what comes later is hidden
                assert max(Lines(person).ends("keys")) <= query
    table = person.page.locator(".st-key-encoder-heads table")
    expect(table).to_be_visible()


def test_lines_follow_what_is_typed(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("heads", **ADDRESS))
    tokens(person, "queries").nth(4).click()
    person.field("src").fill("the dog saw a")
    expect(tokens(person, "queries")).to_have_text(["the", "dog", "saw", "a"])
    person.settle()
    tokens(person, "keys").nth(1).focus()
    typed = Batch.from_text(["the dog saw a"], [TGT])
    check_beside(person, "queries", torchs("encoder", 1, typed)[0, :, 1])
    scale = {"zmin": 0.0, "zmax": 1.0, "colorscale": weight_scale(THEMES["light"])}
    wanted = [
        [color(scale, float(weight)) for weight in row] for row in torchs("encoder", 2, typed)[3]
    ]
    assert np.abs(thumbnail_pixels(person, "encoder", 2, 4) - np.array(wanted)).max() <= 4


def test_another_model_has_its_own_thumbnails(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("heads", **ADDRESS, enc=3, heads=8, layer=3, head=7))
    small = person.page.locator(".model-view section button")
    assert small.count() == (3 + 2 + 2) * 8
    assert switched_on(person) == [7]
    person.page.locator(".st-key-heads input[type=range]").focus()
    person.page.keyboard.press("ArrowLeft")
    expect(small).to_have_count((3 + 2 + 2) * 4)
    person.settle()
    expect(person.page.locator(".head-toggles button")).to_have_count(5)  # "all" is one
    weights = torchs("encoder", 3, n_encoder_layers=3)
    assert switched_on(person) == [4] == heads_drawn(person, weights)
    tokens(person, "queries").nth(0).hover()
    check_beside(person, "keys", weights[3, 0])


def test_128_tokens(visit: Callable[..., Visitor]) -> None:
    words = [f"w{number}" for number in range(128)]
    sentence = " ".join(words)
    person = visit(address_of("heads", pairs=1, src=sentence, tgt=sentence, attention="cross"))
    batch = Batch.from_text([sentence], [sentence])
    weights = torchs("cross", 1, batch)[0]
    assert tokens(person, "queries").all_text_contents() == ["BOS", *words]
    assert tokens(person, "keys").all_text_contents() == words
    assert thumbnail_pixels(person, "encoder", 2, 4).shape == (128, 128, 3)
    pixels = thumbnail_pixels(person, "cross", 1, 1)
    scale = {"zmin": 0.0, "zmax": 1.0, "colorscale": weight_scale(THEMES["light"])}
    for row in (0, 127, 128):
        wanted = [color(scale, float(weight)) for weight in weights[row]]
        assert np.abs(pixels[row] - np.array(wanted)).max() <= 4
    best = int(weights[:, 5].argmax())
    tokens(person, "keys").nth(5).hover()
    lines = Lines(person)
    assert lines.ends("keys") == [5]
    assert best in lines.ends("queries")
    check_beside(person, "queries", weights[:, 5])
    tokens(person, "queries").nth(128).hover()  # the last can be reached
    check_beside(person, "keys", weights[128])


def test_markup_and_right_to_left_words_are_tokens_as_typed(
    visit: Callable[..., Visitor],
) -> None:
    typed = "<b> <script>window.hacked=1</script> שלום مرحبا a&b &lt; 你"
    words = ["<b>", "<script>", "window", ".", "hacked", "=", "1", "</script>", "שלום", "مرحبا"]
    words += ["a", "11 · &", "b", "13 · &", "lt", ";", "你"]
    person = visit(address_of("heads", pairs=1, src=typed, tgt="<img src=x onerror=hacked=1>"))
    for side in ("queries", "keys"):
        assert tokens(person, side).all_text_contents() == words
        assert person.page.locator(f".heads .{side} button *").count() == 0
    weights = torchs("encoder", 1, Batch.from_text([typed], ["x"]))[0]
    tokens(person, "queries").nth(8).hover()
    check_beside(person, "keys", weights[8])
    person.page.get_by_role("radio", name="cross").click()
    person.wait_for_parameter("attention", "cross")
    expect(tokens(person, "queries").first).to_have_text("BOS")
    assert person.page.evaluate("window.hacked") is None
    assert person.page.locator('img[src="x"]').count() == 0
