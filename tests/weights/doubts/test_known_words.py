"""Words that a translator has put together itself."""

import pytest

from explorer.weights.doubts.known_words import invented

KNOWN = {"der", "hund", "ist", "gross", "ich", "heisse"}  # casefold: ß is ss


@pytest.mark.parametrize(
    ("source", "translation", "words"),
    [
        ("The dog is big.", "Der Hund ist groß.", []),
        ("THE DOG IS BIG.", "DER HUND IST GROSS.", []),
        ("The dog is big.", "Der Hund ist quampelt, ist Hundel.", ["quampelt", "Hundel"]),
        ("I am Wimbledon.", "Ich heiße Wimbledon.", []),
        ("I am Wimbledon.", "Ich heiße Wimbeldon.", ["Wimbeldon"]),
        ("Priya's dog is big.", "Priyas Hund ist groß.", []),
        ("42", "Der Hund ist 42, Ω1.", ["Ω"]),
        ("", "", []),
    ],
)
def test_words_neither_known_nor_copied_are_invented(
    source: str, translation: str, words: list[str]
) -> None:
    assert invented(source, translation, KNOWN) == words
