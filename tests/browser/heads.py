"""Reads the picture of all heads: thumbnails, lines between tokens, and the weights beside them."""

import base64
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator

from explorer.drawing.theme import THEMES
from explorer.names import AttentionKind
from explorer.text import Batch
from tests.app.untrained import weights_of
from tests.browser.visitor import Visitor
from tests.figures.reading import color

SRC, TGT = "the dog saw the cat", "der Hund sah"
BATCH = Batch.from_text([SRC], [TGT])
ADDRESS = {"pairs": 1, "src": SRC, "tgt": TGT, "scale": "unit", "drawer": "lines"}

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


def weights_in(kind: AttentionKind, layer: int, batch: Batch = BATCH, **model: Any) -> np.ndarray:
    """(head, query, key), layers counted from 1 as on the page."""
    return weights_of(model, 0, kind, layer - 1, batch)


def colours_of(
    kind: str, weights: np.ndarray, look: str = "light", largest: float = 1.0
) -> np.ndarray:
    """The expected colours of weights on a scale from 0 to the largest: (query, key, RGB)."""
    scale = {"zmin": 0.0, "zmax": largest, "colorscale": THEMES[look].weights(kind)}
    return np.array([[color(scale, float(weight)) for weight in row] for row in weights])


def canvas_pixels(person: Visitor, selector: str) -> np.ndarray:
    """(height, width, red green blue alpha)"""
    height, width, data = person.page.evaluate(PIXELS, selector)
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4).astype(int)


def thumbnail(person: Visitor, kind: str, layer: int, head: int) -> Locator:
    return person.page.get_by_role("button", name=f"{kind}, layer {layer}, head {head}", exact=True)


def thumbnail_pixels(person: Visitor, kind: str, layer: int, head: int) -> np.ndarray:
    """(query, key, red green blue alpha), as they stand on the screen."""
    name = f"{kind}, layer {layer}, head {head}"
    return canvas_pixels(person, f'.heads button[aria-label="{name}"] canvas')


def tokens(person: Visitor, side: str) -> Locator:
    """The words on the left ("queries") or on the right ("keys")."""
    return person.page.locator(f".heads .{side} button")


def toggle(person: Visitor, head: int) -> Locator:
    return person.page.locator(".head-toggles button").nth(head - 1)


def switched_on(person: Visitor) -> list[int]:
    """Heads whose switches say that their lines are drawn."""
    pressed = person.page.locator(".head-toggles button[aria-pressed=true]").all()
    return [int(str(button.text_content())) for button in pressed]


class Lines:
    """The lines between the tokens."""

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
        """The opacity of the strongest line that ends at a token, from 0 to 1."""
        return float(self.near(side, at, 4, 4)[3]) / 255

    def ends(self, side: str) -> list[int]:
        """Tokens that a line can be seen to end at."""
        return [at for at in range(self.counts[side]) if self.near(side, at, 0, 2)[3] > 0]


def check_lines(person: Visitor, weights: np.ndarray, query: int = 1) -> None:
    """The lines of a query: as strong as its weights (heads, query, key), one over the other."""
    tokens(person, "queries").nth(query).hover()
    lines = Lines(person)
    person.page.mouse.move(0, 0)
    wanted = 1 - np.prod(1 - weights[:, query], axis=0)
    found = [lines.strength("keys", key) for key in range(len(wanted))]
    np.testing.assert_allclose(found, wanted, atol=0.03)


def check_beside(person: Visitor, side: str, weights: np.ndarray) -> None:
    """Beside every token of this side stands its weight to two digits; hardly any: nothing."""
    shown = person.page.evaluate(BESIDE, side)
    assert len(shown) == len(weights), shown
    for text, weight in zip(shown, weights, strict=True):
        if text:
            assert re.fullmatch(r"0\.\d\d|1\.00", text), text
            # Half a digit, and half of one of the 254 steps in which weights are sent.
            wanted = pytest.approx(weight, abs=0.005 + 0.5 / 254 + 1e-6)
            assert float(text) == wanted, (text, wanted)
        else:
            assert weight < 0.01, weight
