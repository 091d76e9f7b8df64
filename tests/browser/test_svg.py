"""Our SVG and plotly's picture of the same drawing: the same colour in the same cell."""

import io
import json
from importlib import resources
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from explorer.drawing.drawing import Drawing
from explorer.drawing.theme import LIGHT
from explorer.render.svg import svg
from tests.figures.reading import spec as as_spec
from tests.render.drawings import drawings

WORDS = ["the", "cat", "that", "I", "PAD", "cat"]
DRAWN = list(drawings(WORDS))
CELLS = [(name, d) for name, d in DRAWN if d.cells]
EACH = pytest.mark.parametrize("drawing", [d for _, d in CELLS], ids=[name for name, _ in CELLS])

# The places of the cells' corners, away from the numbers in their middle: of ours, of plotly's.
OURS = """() => {
  const area = document.querySelector("#ours .area");
  const { x, y } = document.querySelector("#ours > svg").getBoundingClientRect();
  const [left, top, width] = [Number(area.ownerSVGElement.getAttribute("x")) + 2,
    Number(area.ownerSVGElement.getAttribute("y")) + 2, Number(area.getAttribute("width"))];
  return { left: x + left, top: y + top, width, height: Number(area.getAttribute("height")) };
}"""
PLOTLY = """async spec => {
  const plot = document.getElementById("plotly");
  plot.replaceChildren();
  const layout = { ...spec.layout, width: 700, showlegend: false };
  for (const [name, axis] of Object.entries(layout)) {
    if (/^[xy]axis/.test(name)) axis.automargin = false;
  }
  await Plotly.newPlot(plot, spec.data, layout, { staticPlot: true });
  const images = [...document.querySelectorAll("image")].map((image) => image.decode());
  await Promise.all(images);
  await new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); });
  const { left, top } = plot.getBoundingClientRect();
  return spec.data.filter(({ type }) => type === "heatmap").map((trace) => {
    const named = (axis) => plot._fullLayout[`${axis[0]}axis${axis.slice(1)}`];
    const [across, down] = [named(trace.xaxis ?? "x"), named(trace.yaxis ?? "y")];
    const at = (axis, value) => axis._offset + axis.d2p(value);
    return { x: [0, 1].map((n) => left + at(across, (trace.x0 ?? 0) + n * (trace.dx ?? 1))),
      y: [0, 1].map((n) => top + at(down, (trace.y0 ?? 0) + n * (trace.dy ?? 1))) };
  });
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Any:
    page = browser.new_page(viewport={"width": 760, "height": 1500})
    page.set_content('<div id="ours"></div><div id="plotly"></div>')
    library = resources.files("plotly") / "package_data" / "plotly.min.js"
    page.add_script_tag(content=library.read_text(encoding="utf-8"))
    yield page
    page.close()


def pixels(page: Page, part: str) -> tuple[np.ndarray, float, float]:
    """The pixels of a part on the screen, and its left and top."""
    found = page.locator(part)
    box = found.bounding_box()
    assert box is not None
    return np.asarray(Image.open(io.BytesIO(found.screenshot())).convert("RGB")), box["x"], box["y"]


@EACH
def test_cells_have_the_colour_that_plotly_gives_them(page: Page, drawing: Drawing) -> None:
    spec = json.loads(json.dumps(as_spec(drawing), default=np.ndarray.tolist))
    page.evaluate(
        "text => { document.getElementById('ours').innerHTML = text; }", svg(drawing, LIGHT, 700)
    )
    theirs = page.evaluate(PLOTLY, spec)
    area = page.evaluate(OURS)
    (mine, x0, y0), (plot, x1, y1) = pixels(page, "#ours"), pixels(page, "#plotly")
    assert len(theirs) == len(drawing.cells) > 0
    for part, there in zip(drawing.cells, theirs, strict=True):
        rows, columns = part.values.shape
        left, right, top, bottom = drawing.box(part)
        hatched = np.zeros((rows, columns)) if part.codes is None else part.codes
        for row, column in np.argwhere(hatched == 0).tolist():  # plotly knows no hatch
            across = left + (column + 0.2) / columns * (right - left)
            down = top + (row + 0.2) / rows * (bottom - top)
            here = (
                area["top"] + down * area["height"] - y0,
                area["left"] + across * area["width"] - x0,
            )
            step_x, step_y = there["x"][1] - there["x"][0], there["y"][1] - there["y"][0]
            place = (
                there["y"][0] + (row - 0.3) * step_y - y1,
                there["x"][0] + (column - 0.3) * step_x - x1,
            )
            ours = mine[round(here[0]), round(here[1])].astype(int)
            wanted = plot[round(place[0]), round(place[1])].astype(int)
            assert np.abs(ours - wanted).max() <= 3, (part.name, row, column, ours, wanted)
