"""Every German word that the grammar may write."""

from collections.abc import Iterator

from training.grammar.inflection import PERSONS, german_past, german_present
from training.grammar.lexicon import all_adjectives, all_nouns, names, verbs
from training.grammar.numbers import german_ordinal, german_words

_ENDINGS = ("", "e", "en", "er", "es", "em")


def german_forms() -> Iterator[str]:
    """The words in all their forms, with numbers up to 999: larger ones are made of these."""
    for noun in (noun for listed in all_nouns().values() for noun in listed):
        yield from (noun.german, noun.singular("acc"), noun.singular("gen"))
        yield from (noun.german_plural, noun.plural("dat"))
    for verb in verbs():
        yield from (verb.whole, verb.participle)
        for person in PERSONS:
            for form in (german_present(verb, person), german_past(verb.past, person)):
                yield from (form, verb.prefix + form)  # er ruft an, weil er anruft
    for adjective in (adjective for listed in all_adjectives().values() for adjective in listed):
        yield adjective.german
        yield from (adjective.stem + ending for ending in _ENDINGS)
    for kind in ("he", "she", "last", "city", "country"):
        for name in names(kind):
            yield from (name.german, name.german + "s")
    for n in range(1000):
        yield german_words(n)
        yield from (german_ordinal(n) + ending for ending in ("e", "en", "er"))
