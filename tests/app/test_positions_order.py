"""The order question of the sentence on show, asked of a trained model."""

from streamlit.testing.v1 import AppTest

from tests.app.driving import answer_on_top, numbers, open_page, pictures

SENTENCE = "I know that the dog has eaten the fish."


def answers(at: AppTest) -> list[list[str]]:
    """Those without positions, and those with them: two orders each."""
    return [
        [
            line.partition(" → ")[2].replace("\\", "")
            for element in at.markdown
            for line in element.value.splitlines()
            if line.startswith(f"- positions {which}")
        ]
        for which in ("off", "on")
    ]


def test_a_translator_without_positions_cannot_tell_who_has_eaten_whom() -> None:
    at = open_page("positions", weights="translator", src=SENTENCE, pairs=1, aspect="order")
    alike, disambiguated = answers(at)
    assert str(answer_on_top(at)).rstrip(".") in disambiguated[0]
    assert disambiguated[0] != disambiguated[1]
    assert alike[0] == alike[1] != disambiguated[0]
    # Each word keeps its vector: “dog” and “fish” have changed places, 4 and 8.
    order = [0, 1, 2, 3, 8, 5, 6, 7, 4, 9]
    without, with_them = (
        numbers(pictures(at)["order"], panel)[order, range(10)] for panel in (0, 1)
    )
    assert without.max() < 1e-4 < with_them.min()


def test_order_comes_first_unless_the_address_is_about_the_encoding() -> None:
    for weights in ("translator", "reverse", "untrained"):
        assert "order" in pictures(open_page("positions", weights=weights))
    assert "encoding" in pictures(open_page("positions", weights="translator", positions=20))
