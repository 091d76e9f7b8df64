"""Words that a translation says twice, and its source once."""

import pytest

from explorer.weights.doubts.repetition import repeated


@pytest.mark.parametrize(
    ("source", "translation", "word"),
    [
        ("She found pleasure in reading.", "Sie fand Vergnügen, das Lesen zu lesen.", "lesen"),
        ("He eats it.", "Er isst die Butter, er isst die BUTTER.", "BUTTER"),
        ("He eats it.", "Er isst die Butter.", ""),
        ("He asks questions and answers a question.", "Er fragt Fragen und Fragen.", ""),
        ("The dog and the cat see the mouse.", "Der Hund und der Hund und die Maus.", ""),
        ("The dog and the cat see the mouse.", "Der Hund und die Hunde und die Hunde.", "Hunde"),
        ("I have a black and a white cat.", "Ich habe einen schwarzen und einen weißen.", ""),
        ("If I had it, I'd go.", "Wenn ich es hätte, hätte ich nichts, nichts.", ""),
        ("Go, go, go!", "Gehen, gehen, gehen!", ""),
        ("He waits.", "Er muss warten und warten.", "warten"),
        ("", "", ""),
    ],
)
def test_repeated_words_are_found(source: str, translation: str, word: str) -> None:
    assert repeated(source, translation) == word
