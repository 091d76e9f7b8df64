"""Clauses in both languages: verb, object, time, and the German order of words."""

import random
from dataclasses import dataclass
from typing import Final

from training.grammar.inflection import (
    article,
    english_ing,
    english_third,
    german_auxiliary,
    german_past,
    german_present,
)
from training.grammar.lexicon import Name, Verb, names, verbs
from training.grammar.phrases import Phrase, noun_phrase, someone

# A tense or modal verb, and how often it is drawn.
_TENSES: Final = {
    "present": 20, "going on": 10, "past": 30, "perfect": 12, "future": 12,
    "can": 4, "must": 2, "have to": 4, "want to": 4, "may": 1, "should": 3, "would like to": 3,
    "could": 2, "had to": 3, "wanted to": 2,
}  # fmt: skip
_GERMAN_MODALS: Final = {
    "can": "können", "must": "müssen", "have to": "müssen", "want to": "wollen", "may": "dürfen",
    "should": "sollte", "would like to": "möchte",
    "could": "konnte", "had to": "musste", "wanted to": "wollte",
}  # fmt: skip
_WISHES: Final = ("want to", "would like to", "wanted to")  # things have none
_WHEN: Final = {
    "past": "past", "could": "past", "had to": "past", "wanted to": "past", "future": "future",
    "can": "future", "must": "future", "have to": "future", "want to": "future",
    "would like to": "future", "present": "present", "going on": "present",
}  # fmt: skip
_STATES: Final = (
    "see", "need", "forget", "know", "love", "hate", "hear", "understand", "believe", "trust",
    "recognize", "miss", "find", "lose", "doubt", "envy", "admire", "respect", "despise",
    "distrust", "notice", "pity", "agree",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause whose parts can be put in the order of a statement, a question or a side clause."""

    subject: Phrase
    auxiliary: str  # English: does, has, will, …
    verb: str  # English, after the auxiliary
    plain: str  # English, in a statement without auxiliary, or nothing
    rest: str  # English: object and time
    finite: str  # German
    pronoun: str  # an object that stands before everything else
    middle: str  # time, object, nicht
    prefix: str  # what comes off the finite verb
    tail: str  # participle or infinitive

    @property
    def english(self) -> str:
        """As a statement."""
        return _joined(self.subject.english, self.plain or self.bare, self.rest)

    @property
    def bare(self) -> str:
        """The English verb with its auxiliary."""
        return _joined(self.auxiliary, self.verb)

    @property
    def english_question(self) -> str:
        """After a question word, or alone."""
        if self.auxiliary.endswith("not"):  # with "cannot"
            first = self.auxiliary.removesuffix("not").strip()
            subject = f"{self.subject.english} not"
        else:
            first, subject = self.auxiliary, self.subject.english
        return _joined(first, subject, self.verb, self.rest)

    @property
    def german(self) -> str:
        """As a statement: the finite verb in the second place."""
        return _joined(self.subject.in_case("nom"), self.finite, self._end)

    @property
    def german_inverted(self) -> str:
        """After something else, or as a question: the finite verb before the subject."""
        return _joined(self.finite, self.subject.in_case("nom"), self._end)

    @property
    def german_side(self) -> str:
        """In a side clause: the finite verb at the end."""
        return _joined(self.subject.in_case("nom"), self.german_predicate)

    @property
    def german_predicate(self) -> str:
        """A side clause without its subject."""
        return _joined(self.pronoun, self.middle, self.tail, self.prefix + self.finite)

    @property
    def _end(self) -> str:
        return _joined(self.pronoun, self.middle, self.prefix, self.tail)


def clause(
    dice: random.Random,
    *,
    subject: Phrase | None = None,
    verb: Verb | None = None,
    tense: str = "",
    thing: Phrase | None = None,
    negated: bool | None = None,
) -> Clause:
    """A clause that is random except for the given parts."""
    verb = verb or dice.choice(verbs())
    subject = subject or random_subject(dice, verb)
    tense = tense or dice.choices(list(_TENSES), list(_TENSES.values()))[0]
    if tense == "going on" and verb.english.split()[0] in _STATES:
        tense = "present"
    if subject.kind not in ("person", "pronoun", "animal") and tense in _WISHES:
        tense = "past"
    thing = thing or random_object(dice, verb)
    negated = dice.random() < 0.18 if negated is None else negated
    when = Name("", "")
    if tense in _WHEN and dice.random() < 0.3:
        when = dice.choice(names(_WHEN[tense]))
    auxiliary, english, plain = _english_verb(subject, verb, tense)
    if negated:
        auxiliary, plain = _negated(auxiliary, dice), ""
    finite, prefix, tail = _german_verb(dice, subject, verb, tense, negated)
    before, german_thing, no = "", "", "nicht" if negated else ""
    if thing is not None:
        german_thing = thing.in_case(verb.case)
        if negated and thing.indefinite:
            german_thing, no = with_kein(thing, verb.case), ""
        elif negated and thing.english.startswith("every "):
            german_thing, no = f"nicht {german_thing}", ""
        if thing.kind == "pronoun":
            before, german_thing = german_thing, ""
    return Clause(
        subject=subject,
        auxiliary=auxiliary,
        verb=english,
        plain=plain,
        rest=_joined(thing.object if thing else "", when.english),
        finite=finite,
        pronoun=before,
        middle=_joined(when.german, german_thing, no),
        prefix=prefix,
        tail=tail,
    )


def random_subject(dice: random.Random, verb: Verb) -> Phrase:
    """A subject for the verb."""
    kind = dice.choice(verb.subjects)
    return someone(dice) if kind == "person" else noun_phrase(dice, kind)


def random_object(dice: random.Random, verb: Verb) -> Phrase | None:
    """An object for the verb, or nothing."""
    if not verb.objects:
        return None
    kind = dice.choice(verb.objects)
    if kind == "person" and dice.random() < 0.5:
        return someone_else(dice)
    return noun_phrase(dice, kind)


def someone_else(dice: random.Random) -> Phrase:
    """An object that cannot be the subject, too: him, her, them, a name or a person."""
    while True:
        found = someone(dice)
        if found.person == "er" or found.english == "they":
            return found


def with_kein(thing: Phrase, case: str) -> str:
    """The German of an indefinite phrase that is negated."""
    german = thing.in_case(case)
    if german.startswith("ein"):
        return "k" + german
    return f"{article('kein', thing.gender, case)} {german}"


def english_be(subject: Phrase) -> str:
    """Am, are or is."""
    return "am" if subject.person == "ich" else "are" if subject.plural else "is"


def _english_verb(subject: Phrase, verb: Verb, tense: str) -> tuple[str, str, str]:
    """The auxiliary, what follows it, and the verb of a statement without auxiliary."""
    many, base = subject.plural or subject.person == "ich", verb.english
    do = "do" if many else "does"
    if tense == "present":
        return do, base, base if many else english_third(base)
    if tense == "past":
        return "did", base, verb.english_past
    if tense == "perfect":
        return "have" if many else "has", verb.english_participle, ""
    if tense == "going on":
        return english_be(subject), english_ing(base), ""
    if tense == "future":
        return "will", base, ""
    if tense in ("have to", "want to"):
        form = tense if many else {"have to": "has to", "want to": "wants to"}[tense]
        return do, f"{tense} {base}", f"{form} {base}"
    if tense in ("had to", "wanted to"):
        plain = {"had to": "have to", "wanted to": "want to"}[tense]
        return "did", f"{plain} {base}", f"{tense} {base}"
    if tense == "would like to":
        return "would", f"like to {base}", ""
    return tense, base, ""


def _negated(auxiliary: str, dice: random.Random) -> str:
    if auxiliary in ("am", "may") or dice.random() < 0.4:
        return "cannot" if auxiliary == "can" else f"{auxiliary} not"
    return {"will": "won't", "can": "can't"}.get(auxiliary, auxiliary + "n't")


def _german_verb(
    dice: random.Random, subject: Phrase, verb: Verb, tense: str, negated: bool
) -> tuple[str, str, str]:
    """The finite verb, the prefix that comes off it, and the participle or infinitive."""
    person = subject.person
    if tense in ("present", "going on"):
        return german_present(verb, person), verb.prefix, ""
    if tense == "future":
        return german_auxiliary("werden", person), "", verb.whole
    if tense in _GERMAN_MODALS:
        modal = "dürfen" if tense == "must" and negated else _GERMAN_MODALS[tense]
        return german_auxiliary(modal, person), "", verb.whole
    if tense == "past" and person == "er" and dice.random() < 0.5:
        return german_past(verb.past, person), verb.prefix, ""
    return german_auxiliary(verb.auxiliary, person), "", verb.participle


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
