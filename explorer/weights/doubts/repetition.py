"""Whether a German translation says a word twice for no reason."""

import re
from typing import Final

from explorer.weights.doubts.known_words import WORD, words_of

_SHORTEST: Final = 5  # letters: shorter words are often needed twice
# So are these, whatever the source says: “a black and a white dog”, “if I had …, I would have …”.
_OFTEN_TWICE: Final = re.compile(
    r"(?:ein|kein|mein|dein|sein|ihr|unser|euer|eur|dies|jed|welch|manch|viel|ander|all|einig)"
    r"e?[mnrs]?"
    r"|(?:hab|hat|hätt|werd|wurd|würd|word|könn|konn|kann|müss|muss|soll|woll|will|dürf|durf"
    r"|mög|moch|möch|lass|mach|weiss)(?:e|en|est|et|st|t|te|ten|test|tet)?"
    r"|w[aä]r(?:e|en|st|t)?|(?:jemand|irgend)\w*|ihnen|denen|schon|nichts?|etwas|immer|wieder"
    r"|durch|gegen|bitte|gleich|genau|desto|davon"
)
_SHORT_VERBS: Final = {"go", "do"}
_ENGLISH_HELPERS: Final = {"the", "and", "was", "his", "her", "you", "for", "are", "has", "had"}


def repeated(source: str, translation: str) -> str:
    """The first word that a translation says again, without a reason in its source; or none.

    A reason is any word that the source has twice, but for very short ones and helpers. Inflected
    words count as the same: “question” and “questions”.
    """
    stems = [
        word[:4]
        for word in words_of(source)
        if (len(word) > 2 or word in _SHORT_VERBS) and word not in _ENGLISH_HELPERS
    ]
    if len({*stems}) < len(stems):
        return ""
    seen = set()
    for word in WORD.findall(translation):
        same = word.casefold()
        if same in seen:
            return str(word)
        if len(same) >= _SHORTEST and not _OFTEN_TWICE.fullmatch(same):
            seen.add(same)
    return ""
