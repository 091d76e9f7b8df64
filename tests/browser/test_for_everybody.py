"""By keyboard alone, on a projector, on paper: the cells of pictures, the words, presenter mode."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from explorer.choices.pages import PAGES
from explorer.glossary import WORDS
from tests.browser.visitor import PHONE, Visitor, address_of

RING = """key => {
  const [ring, picture] = [".ring", ".plot svg"].map(name =>
    document.querySelector(`.st-key-${key} ${name}`).getBoundingClientRect());
  const [{ columns, rows }] = document.querySelector(`.st-key-${key} .plot`).picture.maps;
  const share = (edges, at) => (at - edges[0]) / (edges.at(-1) - edges[0]);
  return { row: share(rows, ring.top + ring.height / 2 - picture.top),
           column: share(columns, ring.left + ring.width / 2 - picture.left) };
}"""
SIZES = """() => {
  const plot = document.querySelector(".st-key-one_head .plot");
  const text = document.querySelector(".st-key-heading p");
  const { svg } = plot.picture;
  const times = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [parseFloat(getComputedStyle(text).fontSize), times, plot.getBoundingClientRect().bottom];
}"""


def cells(person: Visitor, key: str) -> tuple[Callable[[str], None], Callable[[str], None]]:
    """Goes to a picture's cells; returns how to press a key and how to expect what is spoken."""
    picture = person.page.locator(f".st-key-{key}")
    picture.locator(".cells").focus()

    def expect_spoken(text: str) -> None:
        expect(picture.locator(".spoken")).to_have_text(re.compile(text))

    return person.page.keyboard.press, expect_spoken


def test_the_cells_of_a_heatmap_are_walked_by_keyboard(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("attention", pairs=1, attention="decoder", src="a b", tgt="x y z"))
    press, expect_spoken = cells(person, "one_head")
    expect_spoken(r"query BOS → x, key BOS, weight 1\.0000")
    press("ArrowRight")
    expect_spoken(r"query BOS → x, key x, weight 0\.0000.*masked: the key is in the future")
    press("ArrowDown")
    weights = person.numbers("one_head")
    expect_spoken(rf"query x → y, key x, weight {weights[1, 1]:.4f}")
    place = person.page.evaluate(RING, "one_head")
    assert place == pytest.approx({"row": 1.5 / 4, "column": 1.5 / 4}, abs=0.02)
    press("Control+End")
    expect_spoken(rf"query z → EOS, key z, weight {weights[3, 3]:.4f}")
    # The cell stays while somebody types, as far as it still exists.
    person.field("src").fill("a b c")
    person.wait_for_parameter("src", "a b c")
    person.settle()
    press, expect_spoken = cells(person, "one_head")
    expect_spoken("query z → EOS, key z")
    person.field("tgt").fill("x y")
    person.wait_for_labels("one_head", "x", ["BOS", "x", "y"])
    press, expect_spoken = cells(person, "one_head")
    expect_spoken("query y → EOS, key y")


def test_arrows_go_on_to_the_next_heatmap_and_enter_chooses(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("training", pairs=1, src="a b", tgt="x", learning="encoder"))
    press, expect_spoken = cells(person, "learning_heads")
    expect_spoken("head 1, query a, key a")
    press("End")
    press("ArrowRight")
    expect_spoken("head 2, query a, key a")
    press("ArrowDown")
    press("ArrowDown")
    expect_spoken("head 4, query a, key a")
    press("Enter")
    expect(person.page.locator(".st-key-learning_head .plot")).to_have_attribute(
        "aria-label", re.compile("head 4")
    )
    expect_spoken("head 4, query a, key a")  # still there


def test_a_word_explains_itself_and_leads_to_its_page(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("masks", src="mine"))
    page, explanation = person.page, person.page.locator(".explanation")
    word = page.locator('.st-key-heading a[href="glossary#pad"]')
    expect(explanation).not_to_be_visible()
    word.hover()
    expect(explanation).to_have_text(f"PAD {WORDS['pad'].says}")
    page.keyboard.press("Escape")
    expect(explanation).not_to_be_visible()
    page.keyboard.press("Tab")
    word.focus()
    expect(explanation).to_be_visible()
    expect(word).to_have_attribute("aria-describedby", "explanation")
    page.keyboard.press("Enter")
    expect(page.locator("#pad")).to_be_focused()
    assert person.parameters["src"] == "mine"  # the same visit
    page.get_by_role("searchbox").fill("  QUERIES ")
    shown = page.locator(".word-list section:visible h2")
    assert "query" in shown.all_inner_texts()
    assert "PAD" not in shown.all_inner_texts()
    page.get_by_role("searchbox").fill("<b>")
    expect(page.locator(".found")).to_contain_text("No word found")


def test_a_tap_explains_a_word_and_its_anchor_is_an_address(visit: Callable[..., Visitor]) -> None:
    person = visit("/masks", **PHONE)
    person.page.locator('.st-key-heading a[href="glossary#pad"]').tap()
    expect(person.page.locator(".explanation")).to_be_visible()
    assert person.address.startswith("/masks")
    box = person.page.locator(".explanation").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    person.open("/glossary#softmax")
    expect(person.page.locator("#softmax")).to_be_in_viewport()


def test_presenter_mode_enlarges_and_survives_a_page_turn(visit: Callable[..., Visitor]) -> None:
    address = address_of("attention", weights="reverse")
    person = visit(address, viewport={"width": 1920, "height": 1080})
    usual = person.page.evaluate(SIZES)
    field = person.field("src")
    field.press("p")  # a letter like any other
    expect(person.page.locator(".head .shelf")).to_be_visible()
    field.blur()
    person.page.keyboard.press("p")
    expect(person.page.locator(".head .shelf")).not_to_be_visible()
    person.settle()
    row, sentence = person.page.locator(".st-key-sentences").bounding_box(), field.bounding_box()
    assert sentence["width"] > 0.7 * row["width"]
    assert person.answer.bounding_box()["y"] >= sentence["y"] + sentence["height"]
    font, times, bottom = person.page.evaluate(SIZES)
    assert font == pytest.approx(1.5 * usual[0])
    assert times > 1.3
    assert bottom < 1080  # the whole picture is on the screen
    person.page.keyboard.press("b")
    expect(person.page.locator("h1")).to_have_text("How does it know the order?")
    person.page.reload()
    person.settle()
    expect(person.page.locator(".head .shelf")).not_to_be_visible()
    person.page.keyboard.press("Escape")
    expect(person.page.locator(".head .shelf")).to_be_visible()
    person.page.get_by_role("button", name="Presenter mode").click()
    expect(person.page.locator(".head .shelf")).not_to_be_visible()
    person.page.get_by_role("button", name="Leave presenter mode").click()
    expect(person.page.locator(".head .shelf")).to_be_visible()


NOTES_RUNS = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  new MutationObserver(() => { window.hasRun = true; })
    .observe(app, { attributeFilter: ["data-test-script-state"] });
}"""


def test_single_keys_can_be_switched_off(visit: Callable[..., Visitor]) -> None:
    person = visit("/masks")
    shelf = person.page.locator(".head .shelf")
    person.page.keyboard.press("?")
    choice = person.page.get_by_role("checkbox", name="Single keys work")
    choice.uncheck()
    person.page.reload()
    person.settle()
    person.page.evaluate(NOTES_RUNS)
    for key in "pnbw?r":
        person.page.keyboard.press(key)
    person.settle()
    expect(shelf).to_be_visible()
    expect(choice).not_to_be_visible()
    assert person.address.startswith("/masks")
    assert not person.page.evaluate("() => window.hasRun")  # Streamlit's own R
    person.press("Keyboard")
    choice.check()
    choice.blur()
    person.page.keyboard.press("r")
    person.page.wait_for_function("() => window.hasRun")
    person.page.keyboard.press("p")
    expect(shelf).not_to_be_visible()


def test_on_paper_there_are_no_controls_and_nothing_is_cut(visit: Callable[..., Visitor]) -> None:
    sheet = {"width": 960, "height": 700}  # no other test takes a window of this size
    person = visit(address_of("attention"), color_scheme="dark", viewport=sheet)
    person.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    person.page.emulate_media(media="print")
    expect(person.page.locator(".plot").first).to_be_visible()
    for control in (".stButtonGroup", ".stSelectbox", ".stButton", ".st-key-page_head"):
        for found in person.page.locator(control).all():
            expect(found).not_to_be_visible()
    for plot in person.page.locator(".plot").all():
        box = plot.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 961


def test_another_tab_has_the_same_choices(visit: Callable[..., Visitor]) -> None:
    person = visit(address_of("masks", src="mine"))
    person.field("src").fill("yours")
    person.wait_for_parameter("src", "yours")
    query = person.address.removeprefix("/masks")
    for link, to in ((".pages a >> nth=2", "/positions"), (".places a >> nth=0", "/")):
        with person.context.expect_page() as opened:
            person.page.locator(f".head {link}").click(modifiers=["Control"])
        assert opened.value.url == person.url + to + query
        opened.value.close()
    assert person.address == f"/masks{query}"


def test_on_a_phone_one_list_has_all_pages(visit: Callable[..., Visitor]) -> None:
    person = visit("/masks", **PHONE)
    button, pages = person.page.locator(".head .all_pages"), person.page.locator("#all_pages")
    expect(button).to_have_accessible_name("Read · Masks")
    button.tap()
    expect(pages.get_by_role("link")).to_have_count(len(PAGES))
    pages.get_by_role("link", name="Decoding").tap()
    expect(pages).not_to_be_visible()
    expect(button).to_have_accessible_name("Run · Decoding")
    person.page.locator(".head .page_before a").tap()
    expect(button).to_have_accessible_name("Run · Training")


def test_the_first_keys_lead_to_the_question(visit: Callable[..., Visitor]) -> None:
    person = visit("/positions?aspect=encoding", fresh=True)
    person.page.keyboard.press("Tab")
    person.page.keyboard.press("Enter")
    expect(person.page.locator("h1")).to_be_focused()
    person.page.locator('[data-testid="stSkipToContent"]').focus()
    for _ in range(2):  # past the container of the page
        person.page.keyboard.press("Tab")
    link = person.page.locator(".head .places a").first
    expect(link).to_be_focused()
    expect(link).to_have_css("outline-style", "solid")
    person.page.locator(".st-key-wave_options button").press("Enter")
    base = person.page.locator(".st-key-base input[type=range]")
    expect(base).to_have_attribute("aria-valuetext", "10000")
    base.press("ArrowLeft")
    expect(base).to_have_attribute("aria-valuetext", "1000")


def test_an_unfolded_part_is_next_by_keyboard(visit: Callable[..., Visitor]) -> None:
    person = visit("/masks")
    button = person.page.locator(".st-key-model_settings button")
    button.press("Enter")
    expect(person.page.get_by_test_id("stPopoverBody")).to_be_focused()
    expect(person.page.get_by_label("Weights", exact=True)).to_be_visible()
    person.page.keyboard.press("Tab")
    expect(person.page.get_by_label("Weights", exact=True)).to_be_focused()
    person.page.keyboard.press("Escape")
    expect(button).to_be_focused()


@pytest.mark.parametrize(
    ("page", "pressed", "goes_to"),
    [
        ("predict?weights=reverse&topic=positions", "Check", "Look at it"),
        ("training", "Train", "Pause"),
    ],
)
def test_the_focus_stays_where_a_button_was(
    visit: Callable[..., Visitor], page: str, pressed: str, goes_to: str
) -> None:
    person = visit(f"/{page}")
    if page.startswith("predict"):
        person.page.locator(".st-key-page [role=radiogroup]").last.get_by_role("radio").first.check(
            force=True
        )
    button = person.page.get_by_role("button", name=pressed, exact=True)
    person.settle()
    button.focus()
    person.page.keyboard.press("Enter")
    expect(person.page.get_by_role("button", name=goes_to, exact=True)).to_be_focused()
