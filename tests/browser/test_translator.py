"""The translator in the browser: a sentence is translated while somebody types it."""

from collections.abc import Callable

from playwright.sync_api import expect

from explorer.names import EOS
from explorer.weights.loaded import load
from tests.browser.visitor import Visitor, address_of, rows_of

TYPED = "My dog is sleeping under the table."


def pieces(person: Visitor) -> list[str]:
    return person.page.locator(".answer-pieces bdi").all_text_contents()


def test_the_translation_and_its_pieces_follow_what_is_typed(visit: Callable[..., Visitor]) -> None:
    loaded = load("translator")
    person = visit(address_of("attention", weights="translator", src="My", pairs=1))
    person.field("src").click()
    person.page.keyboard.press("End")
    person.page.keyboard.type(TYPED.removeprefix("My"), delay=30)
    (translation,) = loaded.answer([TYPED])
    person.expect_answer(translation)
    written = loaded.tokenizer.split(translation)
    person.wait_for_labels("one_head", "y", rows_of(*written))
    assert pieces(person) == [*written, EOS]
    shares = person.page.locator(".answer-pieces small").all_text_contents()
    assert all(0 < float(share) <= 1 for share in shares)
    assert len(shares) == len(written) + 1


def test_on_a_phone_the_whole_answer_is_on_the_screen(visit: Callable[..., Visitor]) -> None:
    source = "If I had more time on Thursday, I would learn to play the cello with my grandmother."
    address = address_of("attention", weights="translator", src=source, pairs=1)
    person = visit(address, viewport={"width": 390, "height": 844})
    found = person.page.locator(".answer-pieces li")
    assert found.count() > 15
    for piece in found.all():
        expect(piece).to_be_in_viewport(ratio=1)
