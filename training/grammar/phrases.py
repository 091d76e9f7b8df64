"""Noun phrases and names in both languages, with the features that their sentence needs."""

import random
import re
from dataclasses import dataclass
from typing import Final

from training.grammar.inflection import (
    CASES,
    adjective_ending,
    article,
    pronoun,
)
from training.grammar.lexicon import Noun, adjectives, names, nouns

_VOWEL: Final = re.compile(  # as it is spoken
    r"(?!uni|use|eu|uk|ufo|usb)[aeiou]|hono|hour", re.IGNORECASE
)
_SYLLABLES: Final = (
    "ba", "be", "bi", "bo", "bu", "da", "de", "di", "do", "du", "fa", "fe", "fi", "ga", "go",
    "ha", "he", "hi", "ho", "ja", "jo", "ka", "ke", "ki", "ko", "ku", "la", "le", "li", "lo",
    "lu", "ma", "me", "mi", "mo", "mu", "na", "ne", "ni", "no", "nu", "pa", "pe", "po", "ra",
    "re", "ri", "ro", "ru", "sa", "se", "si", "so", "su", "ta", "te", "ti", "to", "tu", "va",
    "ve", "vi", "wa", "we", "ya", "yo", "za", "ze", "zi", "zo", "cha", "sha", "tha", "quo",
    "bri", "cla", "dre", "fro", "gre", "kry", "sta", "tri",
)  # fmt: skip
_NAMED: Final = ("he", "she", "last", "city")
_WORDS: Final = ("person", "animal", "thing", "place")
_ENDS: Final = ["", "n", "r", "s", "l", "m", "x", "th", "ck", "ng", "nd", "rt", "v", "sky", "son"]
# English, and the German stem.
_ARTICLES: Final = (
    ("the", "der"), ("a", "ein"), ("my", "mein"), ("your", "dein"), ("his", "sein"),
    ("her", "ihr"), ("our", "unser"), ("their", "ihr"), ("this", "dies"),
    ("every", "jed"),
)  # fmt: skip
_USUAL: Final = (30, 22, 10, 3, 3, 3, 3, 2, 6, 2)
_OWNED: Final = (20, 0, 20, 6, 6, 6, 6, 4, 4, 0)
_NUMBERS: Final = (("two", "zwei"), ("three", "drei"), ("four", "vier"), ("five", "fünf"))


@dataclass(frozen=True, slots=True)
class Phrase:
    """A subject or an object."""

    english: str
    german: tuple[str, ...]  # nominative, accusative, dative, genitive
    gender: str  # m, f, n, or p for plural
    kind: str  # of its noun; "person" for names, "pronoun" for pronouns
    person: str = "er"  # ich, du, er or wir, which the verb agrees with
    english_object: str = ""  # him, where it is not the same as the subject
    indefinite: bool = False  # negated by kein

    def in_case(self, case: str) -> str:
        """Its German."""
        return self.german[CASES.index(case)]

    @property
    def object(self) -> str:
        """Its English as an object."""
        return self.english_object or self.english

    @property
    def plural(self) -> bool:
        """Whether the English verb has no s."""
        return self.person in ("wir", "du") or self.gender == "p"

    @property
    def again(self) -> "Phrase":
        """Its pronoun: it, he, she or they, of the same gender."""
        if self.gender == "p":
            english = ("they", "them")
        elif self.kind == "person":
            english = {"m": ("he", "him"), "f": ("she", "her"), "n": ("she", "her")}[self.gender]
        else:
            english = ("it", "it")
        he, him, to_him = (pronoun(self.gender, case) for case in ("nom", "acc", "dat"))
        person = "wir" if self.gender == "p" else "er"
        return Phrase(english[0], (he, him, to_him, ""), self.gender, "pronoun", person, english[1])


_I: Final = Phrase("I", ("ich", "mich", "mir", ""), "m", "pronoun", "ich", "me")
PRONOUNS: Final = (
    _I,
    _I,
    Phrase("you", ("du", "dich", "dir", ""), "m", "pronoun", "du", "you"),
    Phrase("he", ("er", "ihn", "ihm", ""), "m", "pronoun", "er", "him"),
    Phrase("she", ("sie", "sie", "ihr", ""), "f", "pronoun", "er", "her"),
    Phrase("we", ("wir", "uns", "uns", ""), "p", "pronoun", "wir", "us"),
    Phrase("they", ("sie", "sie", "ihnen", ""), "p", "pronoun", "wir", "them"),
)


def noun_phrase(
    dice: random.Random, kind: str, *, noun: Noun | None = None, only: str = "", plain: bool = False
) -> Phrase:
    """A random noun of a kind with an article, often with an adjective.

    `only` may be "the", "a" or another article to take. `plain` leaves the adjective out.
    """
    noun = noun or dice.choice(nouns(kind))
    counted = bool(noun.german_plural)
    many = counted and dice.random() < (0.0 if only in ("a", "every") else 0.2)
    english, stem = dice.choices(_ARTICLES, _OWNED if kind == "body" else _USUAL)[0]
    if only:
        english, stem = next(both for both in _ARTICLES if both[0] == only)
    number = ""
    if not counted and english in ("a", "every"):
        english, stem = "", ""
    if many and english in ("a", "every"):
        (english, number), stem = dice.choice(_NUMBERS), ""
    if many and english == "this":
        english = "these"
    gender = "p" if many else noun.gender
    known = () if plain else adjectives(kind)
    adjective = dice.choice(known) if known and dice.random() < 0.35 else None
    forms = []
    for case in CASES:
        words = [article(stem, gender, case), number]
        if adjective:
            words.append(adjective.stem + adjective_ending(stem, gender, case))
        words.append(noun.plural(case) if many else noun.singular(case))
        forms.append(" ".join(word for word in words if word))
    english_words = [adjective.english] if adjective else []
    english_words.append(noun.english_plural if many else noun.english)
    if english == "a":
        english = "an" if _VOWEL.match(english_words[0]) else "a"
    return Phrase(
        " ".join(word for word in (english, *english_words) if word),
        tuple(forms),
        gender,
        kind,
        "wir" if many else "er",
        indefinite=english in ("a", "an", "") and not number,
    )


def name_phrase(dice: random.Random, *, invented: float = 0.3) -> Phrase:
    """A person's name, which no translation changes."""
    sex = dice.choice(("he", "she"))
    name = made_up(dice) if dice.random() < invented else dice.choice(names(sex)).english
    if dice.random() < 0.35:
        last = made_up(dice) if dice.random() < invented else dice.choice(names("last")).english
        name = f"{name} {last}"
    gender = "m" if sex == "he" else "f"
    owned = name + ("'" if name[-1] in "sxzß" else "s")
    return Phrase(name, (name, name, name, owned), gender, "person")


def made_up(dice: random.Random) -> str:
    """A name that nobody has: of syllables, or of the ends of two names or two words.

    Words are in it so that their pieces are copied, too: Pettersson has nothing to do with letters.
    """
    if dice.random() < 0.6:
        if dice.random() < 0.5:
            one, other = (dice.choice(nouns(kind)).english for kind in dice.choices(_WORDS, k=2))
        else:
            one, other = (dice.choice(names(kind)).english for kind in dice.choices(_NAMED, k=2))
        joined = one[: (len(one) + 1) // 2] + other[len(other) // 2 :]
        return "".join(filter(str.isalpha, joined)).capitalize()
    parts = dice.choices(_SYLLABLES, k=dice.choice((1, 2, 2, 3)))
    return ("".join(parts) + dice.choice(_ENDS)).capitalize()


def someone(dice: random.Random) -> Phrase:
    """A pronoun, a name or a person."""
    way = dice.random()
    if way < 0.5:
        return dice.choice(PRONOUNS)
    return name_phrase(dice) if way < 0.75 else noun_phrase(dice, "person")


def spaced(text: str) -> str:
    """One space between words, where parts of a sentence may be missing, and none before stops."""
    return re.sub(r" ([.?,])", r"\1", " ".join(text.split()))
