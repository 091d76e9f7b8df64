"""Every page in light, in dark and on a phone: complete, accessible, no wider than the screen.

No page jumps while it is opened (see test_first_load.py), and axe-core finds no serious problem.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from explorer.choices.pages import PAGES
from explorer.ui.positions.panels import ASPECTS
from tests.browser.test_first_load import NOTE_SHIFTS, check_first_load
from tests.browser.test_stage import WITH_STAGE, check_stage, measured
from tests.browser.visitor import LAPTOP, PHONE, Visitor, address_of

ADDRESSES = ["/decoding?method=beam&width=8&at=6", "/lab?which_mistake=sequence_first"]
ADDRESSES += ["/tokens?weights=untrained&pairs=3&tokens=ids"]

# The page itself never scrolls sideways; a wide picture does, inside its own frame.
TOO_WIDE = """() => ["html", "body", '[data-testid="stApp"]', '[data-testid="stMain"]']
  .map(name => document.querySelector(name))
  .filter(element => element.scrollWidth > element.clientWidth + 1)
  .map(element => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`)"""
# Elements outside of the screen, or of the picture's own frame, to which nobody can scroll.
CUT_OFF = """() => {
  const scrolls = element => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  const reachable = element => {
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (scrolls(around) && around.scrollWidth > around.clientWidth) return true;
    }
    return element.getBoundingClientRect().right <= innerWidth + 1;
  };
  // A slider's input is hidden, and as wide as it likes: what is seen lies around it.
  const seen = document.querySelectorAll(`.stMainBlockContainer :is(button, h1, h2, h3, p, label,
    input:not([type=range]), .stSlider, .stSlider [role=slider], figcaption, .plot, .block)`);
  const cut = [...seen].filter(element => element.offsetWidth && !reachable(element));
  const frames = [...document.querySelectorAll(".scroll")].filter(
    frame => frame.scrollWidth > frame.clientWidth && !scrolls(frame));
  return [...cut, ...frames].map(element => `${element.tagName} ${element.className}`);
}"""
# Pictures that need no scrolling on a laptop.
MAIN = {
    "tokens": ["src_ids"],
    "masks": ["one_mask"],
    "attention": ["one_head"],
    "training": ["learning_head", "learning_heads", "loss"],
    "decoding": ["newest_decoder", "newest_cross", "next_words"],
    "lab": ["lab_a", "lab_difference"],
}
BEHIND = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
# What Streamlit draws beside its app, such as an open menu, takes its colours from the document.
LOOKS = f"""look => {{
  const behind = ({BEHIND})();
  return getComputedStyle(document.documentElement).colorScheme === look
    && [...document.querySelectorAll(".plot > div > svg > rect:first-child")].every(
      ground => getComputedStyle(ground).fill === behind);
}}"""

# A frame lies within the part of its picture that is on the screen.
IN_VIEW = """key => {
  const { scrollLeft, clientWidth, firstElementChild: plot } =
    document.querySelector(`.st-key-${key} .scroll`);
  const { left, width } = plot.querySelector(".area > rect").getBoundingClientRect();
  const from = left - plot.getBoundingClientRect().left;
  return from >= scrollLeft - 2 && from + width <= scrollLeft + clientWidth + 2;
}"""

# Pixels from where the cells begin to be seen, beside the names of rows, to the nearest column.
UNCUT = """() => {
  const scroll = document.querySelector(".st-key-lens_picture .scroll");
  const [{ columns }] = scroll.querySelector(".plot").picture.maps;
  return Math.min(...columns.map(edge => Math.abs(edge - columns[0] - scroll.scrollLeft)));
}"""

# The height that a picture saves without slanted names, and the place where its cells begin.
SHRUNK = """() => {
  const { picture } = document.querySelector(".st-key-lens_picture .plot");
  return [picture.tallest - picture.height, picture.highest - picture.top];
}"""

WHOLE = """key => {
  const { scrollWidth, clientWidth } = document.querySelector(`.st-key-${key} .scroll`);
  return scrollWidth <= clientWidth;
}"""
# Buttons and fields have one height; what can be unfolded, and the ways on, are one list.
UNEVEN = """() => {
  const height = element => Math.round(element.getBoundingClientRect().height);
  const controls = document.querySelectorAll(`.st-key-page :is(
    :is(.stButton, .stPopover, .stDownloadButton, .stButtonGroup) button:not([kind="tertiary"]),
    .stTextInput [data-testid$="RootElement"], .stSelectbox [role="group"])`);
  const lines = document.querySelectorAll(
    ".st-key-page > * > .stExpander:has(details:not([open]))");
  return [...controls].filter(element => element.offsetWidth && height(element) !== 32)
    .concat([...lines].filter(element => height(element) !== 26))
    .map(element => `${height(element)} ${element.className} ${element.innerText}`);
}"""

GRAVE = ("serious", "critical")
ALL = {"resultTypes": ["violations"]}
COLOURS = {**ALL, "runOnly": {"type": "rule", "values": ["color-contrast"]}}
# The pictures of each page; a question is answered before its picture is drawn.
DRAWN = (
    ".plot, .map button, .heads canvas, .st-key-answer_buttons, .st-key-tour_stops, .entries, "
    ".st-key-room_open"
)

# Of a picture's legend: its rows, pixels beyond its picture, and the height of its lowest letters.
LEGEND = """() => {
  const entries = [...document.querySelectorAll(".legend [data-left]")];
  const boxes = entries.map(entry => entry.querySelector("text").getBoundingClientRect());
  const { right } = entries[0].closest(".plot").querySelector("svg").getBoundingClientRect();
  const tops = boxes.map(box => box.top).sort((one, other) => one - other);
  return [
    1 + tops.filter((top, at) => at && top > tops[at - 1] + 6).length,
    Math.max(...boxes.map(box => box.right - right)),
    Math.min(...boxes.map(box => box.height)),
  ];
}"""
TOPS = """() => [...document.querySelectorAll(".plot svg text")]
  .map((text) => text.getBoundingClientRect().top)"""


def check(person: Visitor) -> None:
    assert person.page.evaluate(TOO_WIDE) == []
    assert person.page.evaluate(CUT_OFF) == []
    for picture in person.page.locator(".plot").all():
        expect(picture).to_have_attribute("role", "group")
        expect(picture).to_have_attribute("aria-label", re.compile(r"\S+\s+\S+\s+\S+"))
    assert person.page.locator(DRAWN).count() > 0


def grave_problems(person: Visitor, rules: dict[str, Any]) -> list[tuple[str, str]]:
    """The serious problems that axe-core finds: the rule, and an element that breaks it."""
    return [
        (problem["id"], problem["nodes"][0]["html"][:200])
        for problem in Axe().run(person.page, options=rules).response["violations"]
        if problem["impact"] in GRAVE
    ]


def check_look(person: Visitor, look: str, rules: dict[str, Any], title: str) -> None:
    """Check that the page, its pictures and its menus have the colours of light, or of dark."""
    person.page.wait_for_function(LOOKS, arg=look)
    behind = person.page.evaluate(BEHIND)
    channels = [int(part) for part in behind.removeprefix("rgb(").rstrip(")").split(", ")]
    assert (sum(channels) < 3 * 60) == (look == "dark")
    assert grave_problems(person, rules) == [], (title, look)


def test_every_page_on_a_light_laptop(visit: Callable[..., Visitor]) -> None:
    person = visit("/glossary")
    person.page.add_init_script(NOTE_SHIFTS)
    for page, (_, title) in PAGES.items():
        person.page.emulate_media(reduced_motion="no-preference")
        check_first_load(person, "/" if page == "home" else f"/{page}")
        check(person)
        assert person.page.evaluate(UNEVEN) == []
        for key in MAIN.get(page, ()):
            box = person.element(key).bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= LAPTOP["height"], key
        person.page.emulate_media(reduced_motion="reduce")
        check_look(person, "light", ALL, title)
        if page in WITH_STAGE:
            check_stage(person, page)


# In the dark, only the colours are others.
def test_every_page_on_a_dark_phone(visit: Callable[..., Visitor]) -> None:
    person = visit("/glossary", color_scheme="dark", **PHONE)
    person.page.add_init_script(NOTE_SHIFTS)
    for page, (_, title) in PAGES.items():
        check_first_load(person, "/" if page == "home" else f"/{page}")
        check(person)
        check_look(person, "dark", COLOURS, title)
        if page in ("home", *WITH_STAGE):
            assert measured(person)["begins"] <= 360, page


def test_pages_on_a_phone(visit: Callable[..., Visitor]) -> None:
    person = visit(ADDRESSES[0], **PHONE)
    check(person)
    for address in ADDRESSES[1:]:
        person.open(address)
        check(person)
    person.open("/masks")
    assert person.page.evaluate(WHOLE, "one_mask")


@pytest.mark.all
def test_every_picture_of_positions_on_a_phone(visit: Callable[..., Visitor]) -> None:
    person = visit("/positions", **PHONE)
    for aspect, label in reversed(ASPECTS.items()):  # it opens on the first
        person.page.get_by_role("radio", name=label, exact=True).click()
        person.wait_for_parameter("aspect", aspect)
        person.settle()
        check(person)


@pytest.mark.parametrize("path", ["/positions?aspect=waves", "/masks"])
def test_a_legend_can_be_read_on_a_phone(visit: Callable[..., Visitor], path: str) -> None:
    person = visit(path, **PHONE)
    for rows, window in ((2, PHONE["viewport"]), (1, LAPTOP)):
        person.page.set_viewport_size(window)
        person.settle()
        found, beyond, lowest = person.page.evaluate(LEGEND)
        assert found == rows
        assert beyond <= 0
        assert lowest > 12


def test_the_framed_cell_is_in_view_on_a_phone(visit: Callable[..., Visitor]) -> None:
    words = "The old man with the hat sleeps on the red sofa."
    shown = {"weights": "translator", "src": words, "stack_shows": "lens"}
    person = visit(address_of("stack", **shown, word=7), **PHONE)
    scrolled = "() => document.querySelector('.st-key-lens_picture .scroll').scrollLeft > 20"
    person.page.wait_for_function(scrolled)
    assert person.page.evaluate(IN_VIEW, "lens_picture")
    assert person.page.evaluate(UNCUT) < 1
    person.open(address_of("stack", **shown, word=0))
    assert person.page.evaluate(IN_VIEW, "lens_picture")


def test_level_names_need_no_room_for_slanted_ones(visit: Callable[..., Visitor]) -> None:
    words = "unbelievably extraordinary misunderstandings happened"
    address = address_of("stack", weights="reverse", src=words, stack_shows="lens")
    lower, higher = visit(address).page.evaluate(SHRUNK)
    assert lower == pytest.approx(higher, abs=1)
    assert lower > 20
    slanted = visit(address, **PHONE)
    assert slanted.page.evaluate(SHRUNK) == pytest.approx([0, 0], abs=1)


def test_a_picture_begins_on_the_first_screen_of_a_laptop_at_200_percent(
    visit: Callable[..., Visitor],
) -> None:
    person = visit("/masks", viewport={"width": 683, "height": 384})
    for name, key in (("masks", "one_mask"), ("training", "loss"), ("lab", "lab_a")):
        person.open(f"/{name}")
        box = person.element(key).bounding_box()
        assert box["y"] <= 320, name  # a sixth of the screen is left for it
        sizes = person.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert sizes[0] <= sizes[1], f"{name} scrolls sideways"
        for within_reach in (".corner select", ".head .pages a[aria-current]"):
            expect(person.page.locator(within_reach)).to_be_in_viewport(ratio=1)
        answer = person.page.locator(".st-key-answer_on_show").bounding_box()
        assert answer["width"] > 200, name


def test_texts_of_pictures_stay_where_they_are_in_webkit(visit: Callable[..., Visitor]) -> None:
    """There, texts do not inherit the baseline of their group: as if they were given another.

    (Styles in a layer yield to the app's own.)
    """
    person = visit("/masks")
    before = person.page.evaluate(TOPS)
    person.page.add_style_tag(
        content="@layer { .plot :is(text, tspan) { dominant-baseline: auto } }"
    )
    assert len(before) > 50
    assert person.page.evaluate(TOPS) == before
