"""English as people type it: without capitals, stops or apostrophes, abbreviated, mistyped."""

import random
import re
from typing import Final

_SHORTER: Final = {
    "you": "u", "are": "r", "your": "ur", "please": "pls", "because": "cuz", "thanks": "thx",
    "people": "ppl", "about": "abt", "going to": "gonna", "want to": "wanna", "got to": "gotta",
    "okay": "ok", "birthday": "bday", "tonight": "2nite", "see you": "cu", "tomorrow": "tmrw",
}  # fmt: skip
_BESIDE: Final = {
    letter: row[max(0, at - 1) : at] + row[at + 1 : at + 2]
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for at, letter in enumerate(row)
}
_MISSPELT: Final = {
    "friend": "freind", "receive": "recieve", "believe": "beleive", "weird": "wierd",
    "really": "realy", "weather": "wether", "tomorrow": "tommorow", "definitely": "definately",
    "beautiful": "beatiful", "because": "becuase", "their": "thier", "which": "wich",
    "different": "diffrent", "probably": "probaly", "until": "untill", "neighbour": "nieghbour",
    "necessary": "neccessary", "you're": "your", "they're": "there", "of course": "ofcourse",
    "interesting": "intresting", "restaurant": "restaraunt", "a lot": "alot", "where": "were",
}  # fmt: skip
_WORD: Final = re.compile(r"[A-Za-z]{4,}")


def as_typed(sentence: str, dice: random.Random) -> str:
    """The sentence as somebody might type it; what it means stays the same."""
    way = dice.random()
    if way < 0.3:  # only the last stop is missing
        return sentence.rstrip(".!") or sentence
    if way < 0.38:
        return sentence.upper()
    if way < 0.55:
        return mistyped(sentence, dice)
    for ways in (_SHORTER, _MISSPELT):
        if dice.random() < 0.3:
            sentence = _replaced(sentence, ways)
    if dice.random() < 0.7:
        sentence = sentence.lower()
    if dice.random() < 0.6:
        sentence = sentence.replace("'", "").replace("’", "")
    if dice.random() < 0.6:
        sentence = sentence.rstrip(".!?") or sentence
    if dice.random() < 0.2:
        sentence = sentence.replace(",", "")
    return mistyped(sentence, dice) if dice.random() < 0.2 else sentence


def mistyped(sentence: str, dice: random.Random) -> str:
    """One slip of a finger within a word, after its first letter.

    A word with a capital letter stays as it is: it may be a name, which is to be copied.
    """
    words = [found for found in _WORD.finditer(sentence) if found[0].islower()]
    if not words:
        return sentence
    word = dice.choice(words)
    at = word.start() + dice.randrange(1, len(word[0]) - 1)
    here, after = sentence[at], sentence[at + 1]
    put = dice.choice(
        [
            after + here,  # exchanged
            after,  # left out
            here + here + after,  # doubled
            dice.choice(_BESIDE[here]) + after,  # the key beside it
        ]
    )
    return sentence[:at] + put + sentence[at + 2 :]


def _replaced(sentence: str, ways: dict[str, str]) -> str:
    for phrase, typed in ways.items():
        sentence = re.sub(rf"\b{phrase}\b", typed, sentence, flags=re.IGNORECASE)
    return sentence
