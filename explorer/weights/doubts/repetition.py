"""Whether a German translation says a word twice that its English source says once."""

import re
from typing import Final

from explorer.weights.doubts.known_words import WORD, words_of

_SHORTEST: Final = 5  # letters: shorter words are often needed twice
# So are these, whatever the source says: “a black and a white dog”, “if I had …, I would have …”.
_OFTEN_TWICE: Final = re.compile(
    r"(?:ein|kein|mein|dein|sein|ihr|unser|euer|eure|dies|jed|welch|manch|viel|ander)\w{0,4}"
    r"|(?:hab|hat|hätt|werd|wurd|würd|word|wär|war|könn|konn|müss|muss|soll|woll|dürf|durf|mög)\w*"
    r"|(?:moch|möch|lass|weiss|weiß)\w*"
    r"|(?:kann|mach|will|jemand|irgend|alle)\w*|ihnen|denen|schon"
    r"|nichts?|etwas|immer|wieder|durch|gegen|bitte|gleich|genau|desto|davon"
)
_ENGLISH_HELPERS: Final = {"the", "and", "was", "his", "her", "you", "for", "are", "has", "had"}


def repeated(source: str, translation: str) -> str:
    """The first word that a translation says again, though its source says nothing twice; or none.

    Inflected words of the source count as the same: “question” and “questions”.
    """
    told = [word[:4] for word in words_of(source) if len(word) > 2 and word not in _ENGLISH_HELPERS]
    if len({*told}) < len(told):
        return ""
    said = set()
    for word in WORD.findall(translation):
        same = word.casefold()
        if same in said:
            return str(word)
        if len(same) >= _SHORTEST and not _OFTEN_TWICE.fullmatch(same):
            said.add(same)
    return ""
