"""A person in front of the app: opens pages, types, clicks, and reads what is drawn."""

import io
import re
from collections import deque
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
from PIL import Image
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, ViewportSize, expect

from explorer.choices.pages import PLACES
from explorer.choices.sources import PARTS
from explorer.drawing.drawing import REASON_NAMES
from tests.support.wire import BackMsg

# Milliseconds to wait for anything: only a failing test waits so long.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
LAPTOP: Final[ViewportSize] = {"width": 1366, "height": 768}
PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
# Streamlit itself looks for its server under the page's path first, and gets a 404.
PROBES = ("/_stcore/health", "/_stcore/host-config")
# Controls that are drawn only in unfolded containers: those of all pairs but the one on show, and …
WITH_EXAMPLES = ("pairs", "tokens", "example", "typed_target", "pad_id", "pair")
TEXT = re.compile(r"(src|tgt|answer)\d*|remove_\d+")
# … the model's controls, some of them in an expander.
MODEL = ("weights", "d_model", "heads", "enc", "dec", "side", "length", "device", "load")
FOLDED = {
    **dict.fromkeys(["norm", *(parameter.key for parameter in PARTS.values())], "parts"),
    **dict.fromkeys(["d_ff", "seed", "dropout", "dropout_seed"], "more_of_model"),
}

# Reads the labels, frames, and hover texts of a picture.
READ = """key => {
  const plot = document.querySelector(`.st-key-${key} .plot`);
  if (!plot?.picture) return null; // just now it is put in another place
  const { svg, hover } = plot.picture;
  const names = side => Array.from(
    svg.querySelectorAll(`.${side} .names text`), text => text.textContent);
  const area = svg.querySelector(".area");
  const share = (part, name) => parseFloat(part.getAttribute(name)) / 100;
  return {
    labels: { x: names("columns"), y: names("rows") },
    frames: [...area.querySelectorAll(":scope > rect")].map(rect =>
      ["x", "y", "width", "height"].map(name => share(rect, name))),
    lines: [...area.querySelectorAll(":scope > line")].map(line => share(line, "x1")),
    maps: hover.maps,
    points: hover.points,
    background: svg.firstElementChild.getAttribute("fill"),
    alt: plot.getAttribute("aria-label"),
  };
}"""
# The middle of a cell, in pixels from the corner of the picture.
MIDDLE = """([key, trace, column, row]) => {
  const { columns, rows } = document.querySelector(`.st-key-${key} .plot`).picture.maps[trace];
  return [(columns[column] + columns[column + 1]) / 2, (rows[row] + rows[row + 1]) / 2];
}"""
WRITTEN = """key => [...document.querySelectorAll(`.st-key-${key} .plot svg text`)]
  .filter(text => text.checkVisibility())
  .map(text => [text.textContent, getComputedStyle(text).fill])"""
TICKS_ARE = """([key, axis, wanted]) => {
  const side = { x: "columns", y: "rows" }[axis];
  const names = [...document.querySelectorAll(`.st-key-${key} .plot .${side} .names text`)];
  return names.length === wanted.length && names.every((t, at) => t.textContent === wanted[at]);
}"""
PARAMETER_IS = """([name, wanted]) =>
  new URLSearchParams(location.search).get(name) === wanted"""
# A picture is first a grey block (a "skeleton"), then an empty component, then drawn. Streamlit
# says that the run has ended a few frames before its last elements are handed their data.
SETTLED = """visit => {
  const all = (selector, holds) => [...document.querySelectorAll(selector)].every(holds);
  const app = document.querySelector('[data-testid="stApp"]');
  const settled = app?.dataset.testScriptState === "notRunning"
    && document.querySelector(".stMainBlockContainer h1")
    && !document.querySelector('[data-testid="stMain"] [data-testid="stSkeleton"]')
    && all('[data-testid^="stBidiComponent"]', component =>
      component.matches('[data-script="ran"]') || component.querySelector('[data-script="ran"]'))
    && all(".plot", plot => plot.dataset.drawn)
    && all(".map", map => map.childElementCount)
    && all(".heads", heads => heads.dataset.drawn);
  if (window.settledFor?.visit !== visit) window.settledFor = { visit, frames: 0 };
  window.settledFor.frames = settled ? window.settledFor.frames + 1 : 0;
  return window.settledFor.frames >= 4;
}"""


def where(key: str) -> str:
    """Where a control is: one that the explorer has changed is a new one, with another version."""
    return f":is(.st-key-{key}, .st-key-line_{key}, [class*='st-key-{key}-'])"


class Visitor:
    """One browser window with cookies of its own, and a record of everything that went wrong."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context = context
        self.url = url
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.asked: deque[str] = deque(maxlen=8)
        self._settled = 0
        self._open_page()

    def _open_page(self) -> None:
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._record_console)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: socket.on("framesent", self._record_request))

    def _record_console(self, message: ConsoleMessage) -> None:
        address = urlsplit(message.location["url"]).path
        if message.type == "error" and not address.endswith(PROBES):
            self.problems.append(f"{message.text} ({address})")

    def _record_request(self, sent: str | bytes) -> None:
        """Remember the last requests of a person, for the report of a failed test."""
        message = BackMsg.FromString(sent) if isinstance(sent, bytes) else BackMsg()
        run = message.rerun_script
        if message.HasField("rerun_script") and not run.is_auto_rerun:
            clicks = [state.id for state in run.widget_states.widgets if state.trigger_value]
            self.asked.append(f"a run of {run.fragment_id or 'everything'}, clicked: {clicks}")

    def open_new_tab(self) -> None:
        """Continue in a tab without history."""
        self.page.close()
        self._open_page()

    def open(self, address: str) -> None:
        """Open a page by its address, "/masks?pair=2", and wait until it is drawn."""
        self.page.goto(self.url + address)
        self.settle()

    def forget(self) -> None:
        """Leave the app, without a cookie or anything else that stays in the browser."""
        self.page.goto(self.url + "/_stcore/health")  # a tiny page in the same window
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.context.clear_cookies()
        self.problems.clear()
        self.requests.clear()

    def settle(self) -> None:
        """Wait until nothing runs and every picture of the page has been drawn."""
        self._settled += 1
        self.page.wait_for_function(SETTLED, arg=self._settled)

    def go_to(self, title: str) -> None:
        """Switch to another page by the navigation on top."""
        self.fold_away()
        rows = self.page.locator(".head :is(.all, .words)")
        link = rows.get_by_role("link", name=title, exact=True).last
        if not link.count():
            place = next(
                place
                for place, pages in PLACES.items()
                if title in [title for _, title in pages.values()]
            )
            rows.get_by_role("link", name=place, exact=True).click()
            expect(link).to_be_visible()
        if link.get_attribute("aria-current") != "page":
            link.click()
        expect(link).to_have_attribute("aria-current", "page")
        self.settle()

    @property
    def address(self) -> str:
        """The address in the address bar, without the server."""
        return self.page.url.removeprefix(self.url)

    @property
    def parameters(self) -> dict[str, str]:
        """The address's parameters."""
        query = urlsplit(self.page.url).query
        return {name: values[0] for name, values in parse_qs(query, strict_parsing=True).items()}

    def wait_for_parameter(self, name: str, value: str | None) -> None:
        """Wait until a parameter has this value; None waits until it is gone."""
        self.page.wait_for_function(PARAMETER_IS, arg=[name, value])

    def reach(self, key: str) -> Locator:
        """The element of a control, after opening whatever hides it."""
        place = self.page.locator(where(key)).first
        if key in WITH_EXAMPLES or (TEXT.fullmatch(key) and not place.count()):
            self._unfold("more_sentences", "pairs_folded")
        if key in MODEL or key in FOLDED:
            self._unfold("model_settings", "model_controls")
            if key in FOLDED and not place.count():
                self.page.locator(f"{where(FOLDED[key])} summary").click()
        return place

    def _unfold(self, button: str, content: str) -> None:
        """Open the controls behind a button of the line on top."""
        if not self.page.locator(f".st-key-{content}").count():
            self.page.locator(f"{where(button)} button").first.click()
            expect(self.page.locator(f".st-key-{content}")).to_be_visible()

    def field(self, key: str) -> Locator:
        """The input of a control, after opening whatever hides it."""
        return self.reach(key).locator("input, textarea").first

    def open_drawers(self) -> Iterator[None]:
        """Open the drawers of the page, one after the other."""
        links = self.page.locator(".toolbar button")
        for at in range(links.count()):
            links.nth(at).click()
            expect(links.nth(at)).to_have_attribute("aria-expanded", "true")
            self.settle()
            yield

    def fold_away(self) -> None:
        """Close the controls that cover the page."""
        folded = self.page.locator(".st-key-pairs_folded, .st-key-model_controls")
        if folded.count():
            self.page.keyboard.press("Escape")
            expect(folded).to_have_count(0)

    @property
    def answer(self) -> Locator:
        """The model's answer in the line on top."""
        return self.page.locator(".st-key-answer_on_show .answer-pieces")

    def expect_answer(self, words: str, label: str = "Model's answer 1") -> None:
        """Wait until the model's answer has these words and this label."""
        wanted = re.compile(f"^{re.escape(label)}.*: {re.escape(words)}$")
        expect(self.answer).to_have_attribute("aria-label", wanted)

    def press(self, name: str) -> None:
        """Press a button."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def press_arrow(self, key: str, arrow: str) -> None:
        """Move a slider by one step with the keyboard."""
        self.reach(key).locator("input[type=range]").press(arrow)

    def element(self, key: str) -> Locator:
        """A picture's element."""
        return self.page.locator(f".st-key-{key} .plot")

    def picture(self, key: str) -> dict[str, Any]:
        """The contents of a picture: its labels, frames, cells and points, its text alternative."""
        return self.page.wait_for_function(READ, arg=key).json_value()

    def labels(self, key: str, axis: str) -> list[str]:
        """The labels of a picture's columns ("x") or rows ("y")."""
        return self.picture(key)["labels"][axis]

    def numbers(self, key: str, trace: int = 0) -> np.ndarray:
        """The values of one of a picture's heatmaps, as their labels say; of a mask, the codes."""
        about = self.picture(key)["maps"][trace]
        fields, shape = about["fields"], (about["rows"], about["columns"])
        if "z" in fields:
            found = np.array(fields["z"]["numbers"], float) / 10 ** fields["z"]["digits"]
        else:
            words, at = fields["q0"]["words"], fields["q0"]["at"]
            is_mask = set(words) <= set(REASON_NAMES)
            found = np.array([REASON_NAMES.index(words[n]) if is_mask else n for n in at])
        return found.reshape(shape)

    def wait_for_labels(self, key: str, axis: str, labels: list[str]) -> None:
        """Wait until exactly these labels stand on a picture's axis."""
        self.page.wait_for_function(TICKS_ARE, arg=[key, axis, labels])

    def pixels(self, key: str) -> np.ndarray:
        """The colours of a picture on the screen: rows, columns, red and green and blue."""
        self.page.mouse.move(1, 1)
        with Image.open(io.BytesIO(self.element(key).screenshot(scale="css"))) as shot:
            return np.asarray(shot.convert("RGB"))

    def middle_of(self, key: str, trace: int, column: int, row: int) -> tuple[float, float]:
        """The middle of a heatmap's cell, in pixels from the corner of its picture."""
        x, y = self.page.evaluate(MIDDLE, [key, trace, column, row])
        return x, y

    def written(self, key: str) -> list[tuple[str, str]]:
        """The texts that stand on a picture, each with its colour."""
        return self.page.evaluate(WRITTEN, key)

    def click_cell(self, key: str, trace: int, column: int, row: int) -> None:
        """Click into one cell of one of a picture's heatmaps."""
        plot = self.element(key)
        plot.scroll_into_view_if_needed()
        box, (x, y) = plot.bounding_box(), self.middle_of(key, trace, column, row)
        self.page.mouse.click(box["x"] + x, box["y"] + y)


def address_of(page: str, **parameters: object) -> str:
    """An address of the app: a page and what its controls are set to.

    Unless they say otherwise, the weights are untrained and every target is typed.
    """
    parameters = {"weights": "untrained", **parameters}
    query = "&".join(f"{name}={quote(str(value))}" for name, value in parameters.items())
    return f"/{page}?{query}"
