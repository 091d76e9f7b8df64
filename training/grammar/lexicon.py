"""The words that sentences are made of, from the files in training/pairs/lexicon."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from training.corpus import PAIRS

FOLDER: Final = PAIRS / "lexicon"
_LIKE: Final = {"clothes": "thing", "vehicle": "thing", "drink": "food"}  # in their adjectives
_ANY: Final = ("person", "animal", "thing", "place", "vehicle", "text", "clothes", "nature")
_GENDERS: Final = {"der": "m", "die": "f", "das": "n"}


@dataclass(frozen=True)
class Noun:
    """A noun in both languages; without plural, its plural forms are empty."""

    english: str
    english_plural: str
    german: str
    german_plural: str
    gender: str  # m, f or n
    weak: bool  # der Löwe, den Löwen

    def singular(self, case: str) -> str:
        """Its German form in the nominative, accusative, dative or genitive."""
        if self.weak and case != "nom":
            return self.german_plural
        if case == "gen" and self.gender != "f":
            return self.german + self._genitive_ending()
        return self.german

    def _genitive_ending(self) -> str:
        if self.german.endswith("nis") or self.german_plural == self.german + "se":
            return "ses"  # des Busses
        if re.search(r"[^a]us$", self.german):  # des Zirkus
            return ""
        if re.search(r"(s|ß|z|x|sch)$", self.german):
            return "es"
        short = re.fullmatch(r"[^aeiouyäöü]*([aeiouyäöü]+)[^aeiouyäöü]+", self.german.lower())
        return "es" if short and self.german_plural != self.german + "s" else "s"

    def plural(self, case: str) -> str:
        """Its German plural form."""
        bare = case != "dat" or re.search(r"[nsaiou]$", self.german_plural)
        return self.german_plural if bare else self.german_plural + "n"


@dataclass(frozen=True)
class Adjective:
    """An adjective in both languages."""

    english: str
    german: str
    stem: str  # what endings follow: teuer, ein teures Haus


@dataclass(frozen=True)
class Verb:
    """A verb in both languages, and which nouns it goes with."""

    subjects: tuple[str, ...]  # kinds of nouns
    english: str
    english_past: str
    english_participle: str
    infinitive: str  # without its prefix
    prefix: str  # what comes off: an|rufen, er ruft an
    present: str  # er ...
    past: str  # er ...
    participle: str
    auxiliary: str  # haben or sein
    objects: tuple[str, ...]  # kinds of nouns, or nothing
    case: str  # of its object

    @cached_property
    def whole(self) -> str:
        """The infinitive as one word."""
        return self.prefix + self.infinitive


@dataclass(frozen=True)
class Name:
    """A name in both languages."""

    english: str
    german: str


@cache
def nouns(kind: str) -> tuple[Noun, ...]:
    """The nouns of a kind."""
    if named := _members().get(kind):
        by_name: dict[str, Noun] = {}
        for noun in (noun for section in all_nouns().values() for noun in section):
            by_name.setdefault(noun.english, noun)
        return tuple(by_name[name] for name in named if name in by_name)
    return all_nouns()[kind]


@cache
def adjectives(kind: str) -> tuple[Adjective, ...]:
    """The adjectives that go with all nouns of a kind."""
    found = all_adjectives()
    own = found.get(_LIKE.get(kind, kind), ())
    return own + (found["any"] if kind in _ANY else ())


@cache
def all_adjectives() -> dict[str, tuple[Adjective, ...]]:
    """The adjectives of every kind of noun."""
    found: dict[str, list[Adjective]] = {}
    for section, (english, german) in _sections("adjectives.txt"):
        word, _, stem = german.partition("|")
        found.setdefault(section, []).append(Adjective(english, word, stem or word))
    return {section: tuple(listed) for section, listed in found.items()}


@cache
def verbs() -> tuple[Verb, ...]:
    """All verbs."""
    return tuple(_verb(parts) for _, parts in _sections("verbs.txt"))


@cache
def names(kind: str) -> tuple[Name, ...]:
    """The names of a kind: he, she, last, city or country; and what tells when, of a tense."""
    for file in ("names.txt", "adverbs.txt"):
        for _, (found, listed) in _sections(file):
            if found == kind:
                both = [name.strip().partition("=") for name in listed.split(",")]
                return tuple(Name(english, german or english) for english, _, german in both)
    raise KeyError(kind)


@cache
def all_nouns() -> dict[str, tuple[Noun, ...]]:
    """The nouns of every kind."""
    found: dict[str, list[Noun]] = {}
    for section, (english, german, plural) in _sections("nouns.txt"):
        word, _, plural_word = english.partition("/")
        article, _, noun = german.partition(" ")
        plural = plural.removeprefix("-")
        found.setdefault(section, []).append(
            Noun(
                english=word,
                english_plural=(plural_word or _plural(word)) if plural else "",
                german=noun.removesuffix("*"),
                german_plural=plural,
                gender=_GENDERS[article],
                weak=noun.endswith("*"),
            )
        )
    return {section: tuple(listed) for section, listed in found.items()}


@cache
def _members() -> dict[str, list[str]]:
    return {
        kind: [name.strip() for name in listed.split(",")]
        for _, (kind, listed) in _sections("kinds.txt")
    }


def _verb(parts: list[str]) -> Verb:
    subjects, english, past, participle, german, present, german_past, done, aux, objects = parts
    prefix, bar, rest = german.removeprefix("+").partition("|")
    return Verb(
        subjects=tuple(subjects.split("+")),
        english=english,
        english_past=past,
        english_participle=participle,
        infinitive=rest if bar else prefix,
        prefix=prefix if bar else "",
        present=present.split(" ")[0],
        past=german_past.split(" ")[0],
        participle=done,
        auxiliary={"h": "haben", "s": "sein"}[aux],
        objects=() if objects == "-" else tuple(objects.split("+")),
        case="dat" if german.startswith("+") else "acc",
    )


def _plural(word: str) -> str:
    if re.search(r"(s|x|ch|sh)$", word):
        return word + "es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else word + "s"


def _sections(name: str) -> Iterator[tuple[str, list[str]]]:
    """Each line of a file, with the heading above it."""
    section = ""
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            section = line.removeprefix("# ")
        elif line:
            yield section, line.split("\t")
