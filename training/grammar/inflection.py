"""The endings of German articles, adjectives and verbs, and of English verbs."""

import re
from typing import Final

from training.grammar.lexicon import Verb

CASES: Final = ("nom", "acc", "dat", "gen")
# By gender (m, f, n and plural); the cases in the order of `CASES`.
_DEFINITE: Final = {
    "m": "der den dem des", "f": "die die der der", "n": "das das dem des", "p": "die die den der",
}  # fmt: skip
_AFTER_EIN: Final = {
    "m": "- en em es", "f": "e e er er", "n": "- - em es", "p": "e e en er",
}  # fmt: skip
_AFTER_DIES: Final = {
    "m": "er en em es", "f": "e e er er", "n": "es es em es", "p": "e e en er",
}  # fmt: skip
_WEAK: Final = {
    "m": "e en en en", "f": "e e en en", "n": "e e en en", "p": "en en en en",
}  # fmt: skip
_MIXED: Final = _WEAK | {"m": "er en en en", "n": "es es en en"}
_STRONG: Final = {
    "m": "er en em en", "f": "e e er er", "n": "es es em en", "p": "e e en er",
}  # fmt: skip
_LIKE_DIES: Final = ("dies", "jed", "welch")
_PRONOUNS: Final = {
    "m": "er ihn ihm", "f": "sie sie ihr", "n": "es es ihm", "p": "sie sie ihnen",
}  # fmt: skip
_RELATIVE: Final = {
    "m": "der den dem", "f": "die die der", "n": "das das dem", "p": "die die denen",
}  # fmt: skip
_AUXILIARIES: Final = {  # ich, du, er, wir
    "haben": ("habe", "hast", "hat", "haben"),
    "sein": ("bin", "bist", "ist", "sind"),
    "werden": ("werde", "wirst", "wird", "werden"),
    "können": ("kann", "kannst", "kann", "können"),
    "müssen": ("muss", "musst", "muss", "müssen"),
    "wollen": ("will", "willst", "will", "wollen"),
    "dürfen": ("darf", "darfst", "darf", "dürfen"),
}
PERSONS: Final = ("ich", "du", "er", "wir")
_DOUBLED: Final = re.compile(r"[^aeiou]*[aeiou][bdgmnprt]")  # put, putting


def article(stem: str, gender: str, case: str) -> str:
    """Der, ein, mein, kein, dieser …; nothing for no article.

    "der" and "dies" are as they are called; "ein" has no plural.
    """
    at = CASES.index(case)
    if not stem:
        return ""
    if stem == "der":
        return _DEFINITE[gender].split()[at]
    if stem == "ein" and gender == "p":
        return ""
    endings = _AFTER_DIES if stem in _LIKE_DIES else _AFTER_EIN
    return stem + endings[gender].split()[at].strip("-")


def adjective_ending(stem: str, gender: str, case: str) -> str:
    """The ending of an adjective after an article."""
    if stem == "der" or stem in _LIKE_DIES:
        endings = _WEAK
    elif not stem or (stem == "ein" and gender == "p"):
        endings = _STRONG
    else:
        endings = _MIXED
    return endings[gender].split()[CASES.index(case)]


def pronoun(gender: str, case: str) -> str:
    """Er, sie, es."""
    return _PRONOUNS[gender].split()[CASES.index(case)]


def relative_pronoun(gender: str, case: str) -> str:
    """The relative pronoun."""
    return _RELATIVE[gender].split()[CASES.index(case)]


def german_auxiliary(verb: str, person: str) -> str:
    """A form of haben, sein, werden or a modal verb, or of a past: würde, konnte.

    `person` is ich, du, er or wir.
    """
    if verb in _AUXILIARIES:
        return _AUXILIARIES[verb][PERSONS.index(person)]
    return german_past(verb, person)


def german_present(verb: Verb, person: str) -> str:
    """The finite form, without the prefix that comes off."""
    if person == "er":
        return verb.present
    if person == "wir":
        return verb.infinitive
    if person == "du":
        stem = verb.present.removesuffix("t")
        return stem + ("t" if re.search(r"[sßxz]$", stem) else "st")
    if verb.infinitive.endswith("eln"):
        return verb.infinitive.removesuffix("eln") + "le"
    return re.sub(r"(en|n)$", "e", verb.infinitive)


def german_past(form: str, person: str) -> str:
    """The past of a person, made of that of er."""
    if person in ("ich", "er"):
        return form
    if person == "wir":
        return form + ("n" if form.endswith("e") else "en")
    return form + ("est" if form[-1] in "dtsßz" else "st")


def english_third(phrase: str) -> str:
    """He sees, he washes, he gets up."""
    verb, space, rest = phrase.partition(" ")
    if re.search(r"(s|x|z|ch|sh|o)$", verb):
        verb += "es"
    elif re.search(r"[^aeiou]y$", verb):
        verb = verb[:-1] + "ies"
    else:
        verb += "s"
    return verb + space + rest


def english_ing(phrase: str) -> str:
    """Seeing, making, getting up."""
    verb, space, rest = phrase.partition(" ")
    if verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    elif _DOUBLED.fullmatch(verb):
        verb += verb[-1]
    return verb + "ing" + space + rest
