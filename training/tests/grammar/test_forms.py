"""The words of the grammar in all their forms."""

import random
from collections import Counter

from explorer.weights.doubts.known_words import invented, words_of
from training.grammar.forms import german_forms
from training.grammar.sentences import random_pairs

FORMS = {word for text in german_forms() for word in words_of(text)}


def test_nouns_verbs_adjectives_and_numbers_in_every_form() -> None:
    assert {"eichhörnchen", "löwen", "gärten", "anruft", "rufst", "angerufen", "teures", "vierzig",
            "zweiundzwanzigsten"} <= FORMS  # fmt: skip


def test_nearly_all_words_that_the_grammar_writes_are_known() -> None:
    """But for what stands in its patterns, which every corpus has."""
    drawn_words = (words_of(pair.target) for pair in random_pairs(random.Random(1), 8000))
    often = Counter(word for words in drawn_words for word in words)
    known = FORMS | {word for word, n in often.items() if n >= 2}
    pairs = random_pairs(random.Random(2), 2000)
    unknown = [word for pair in pairs for word in invented(pair.source, pair.target, known)]
    assert len(unknown) < 12, unknown
