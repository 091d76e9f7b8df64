"""The translator in the browser: a sentence is translated while somebody types it."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.visitor import Visitor, address_of


def pieces(person: Visitor) -> list[str]:
    return person.page.locator(".answer-pieces bdi").all_text_contents()


def test_on_a_phone_the_whole_answer_is_on_the_screen(visit: Callable[..., Visitor]) -> None:
    source = "If I had more time on Thursday, I would learn to play the cello with my grandmother."
    address = address_of("attention", weights="translator", src=source, pairs=1)
    person = visit(address, viewport={"width": 390, "height": 844})
    found = person.page.locator(".answer-pieces li")
    assert found.count() > 15
    for piece in found.all():
        expect(piece).to_be_in_viewport(ratio=1)
