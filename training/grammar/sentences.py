"""Draws pairs of an English sentence and its German translation; docstrings are examples."""

import random
from collections.abc import Callable
from typing import Final

from training.corpus import Pair
from training.grammar import counted, pronouns
from training.grammar.clauses import clause, english_be, random_object, someone_else
from training.grammar.inflection import german_auxiliary, relative_pronoun
from training.grammar.lexicon import adjectives, nouns, verbs
from training.grammar.numbers import Both
from training.grammar.phrases import PRONOUNS, Phrase, noun_phrase, someone, spaced

_NOUN_KINDS: Final = ("thing", "clothes", "text", "food", "vehicle", "animal", "person", "tech",
                      "field", "place", "way", "nature", "abstract")  # fmt: skip
_NOT_PASSIVE: Final = ("need", "know", "miss", "meet", "lose", "see", "forget", "hate", "drink")
_DEGREES: Final = (
    ("", ""), ("", ""), ("very", "sehr"), ("too", "zu"), ("really", "wirklich"), ("not", "nicht"),
    ("not very", "nicht sehr"),
)  # fmt: skip
_UNREAL_VERBS: Final = ("sell", "show", "buy", "repair", "clean", "visit", "need", "use")
_BEFORE_THAT: Final = (
    ("I think that", "ich glaube, dass"), ("I know that", "ich weiß, dass"),
    ("I hope that", "ich hoffe, dass"), ("He says that", "er sagt, dass"),
    ("She believes that", "sie glaubt, dass"), ("We heard that", "wir haben gehört, dass"),
    ("It is possible that", "es ist möglich, dass"), ("I am sure that", "ich bin sicher, dass"),
    ("Everybody knows that", "jeder weiß, dass"), ("I'm glad that", "ich bin froh, dass"),
    ("It's a pity that", "es ist schade, dass"),
)  # fmt: skip
_BEFORE_WHETHER: Final = (
    ("I don't know whether", "ich weiß nicht, ob"), ("I don't know if", "ich weiß nicht, ob"),
    ("Do you know if", "weißt du, ob"), ("She asked me whether", "sie fragte mich, ob"),
    ("Nobody knows whether", "niemand weiß, ob"), ("Can you tell me if", "kannst du mir sagen, ob"),
)  # fmt: skip
_QUESTION_WORDS: Final = (
    ("why", "warum"), ("when", "wann"), ("where", "wo"), ("how", "wie"), ("how often", "wie oft"),
)  # fmt: skip
_CONJUNCTIONS: Final = (
    ("because", "weil"), ("although", "obwohl"), ("while", "während"), ("before", "bevor"),
    ("until", "bis"), ("so that", "damit"),
)  # fmt: skip


def statement(dice: random.Random) -> Both:
    """The dog has bitten my brother."""
    made = clause(dice)
    return made.english + ".", made.german + "."


def question(dice: random.Random) -> Both:
    """Why did she sell the car?"""
    made = clause(dice)
    if dice.random() < 0.5:
        return made.english_question + "?", made.german_inverted + "?"
    english, german = dice.choice(_QUESTION_WORDS)
    return f"{english} {made.english_question}?", f"{german} {made.german_inverted}?"


def who_or_what(dice: random.Random) -> Both:
    """Who has eaten the cake? What did he eat?"""
    verb = dice.choice([verb for verb in verbs() if verb.objects and "person" in verb.subjects])
    if dice.random() < 0.5:
        nobody = Phrase("who", ("wer", "", "", ""), "m", "person")
        made = clause(dice, subject=nobody, verb=verb, negated=False)
        return made.english + "?", made.german + "?"
    someone_there = random_object(dice, verb)
    human = someone_there is not None and someone_there.kind in ("person", "pronoun")
    forms = ("wer", "wen", "wem", "") if human else ("was", "was", "was", "")
    asked = Phrase("", forms, "m", "pronoun")
    made = clause(dice, verb=verb, thing=asked, negated=False)
    german = f"{asked.in_case(verb.case)} {made.finite} {made.subject.in_case('nom')} {made.middle}"
    return f"{'who' if human else 'what'} {made.english_question}?", (
        spaced(f"{german} {made.prefix} {made.tail}?")
    )


def side_clause(dice: random.Random) -> Both:
    """I don't know whether he has found the key."""
    made = clause(dice)
    if dice.random() < 0.35:
        english, german = dice.choice(_BEFORE_WHETHER)
    elif dice.random() < 0.35:
        ask, frage = dice.choice(_QUESTION_WORDS)
        english, german = f"I don't know {ask}", f"ich weiß nicht, {frage}"
    else:
        english, german = dice.choice(_BEFORE_THAT)
    end = "?" if english.startswith(("Do you", "Can you")) else "."
    return f"{english} {made.english}{end}", f"{german} {made.german_side}{end}"


def two_clauses(dice: random.Random) -> Both:
    """She is sad because her cat ran away. If he calls, we will wait."""
    first, second = clause(dice), clause(dice)
    way = dice.random()
    if way < 0.5:
        english, german = dice.choice(_CONJUNCTIONS)
        return (
            f"{first.english} {english} {second.english}.",
            f"{first.german}, {german} {second.german_side}.",
        )
    if way < 0.75:
        english, german = dice.choice((("and", "und"), ("but", "aber")))
        return f"{first.english}, {english} {second.english}.", (
            f"{first.german}, {german} {second.german}."
        )
    first = clause(dice, tense="present")
    return (
        f"if {first.english}, {second.english}.",
        f"wenn {first.german_side}, {second.german_inverted}.",
    )


def unreal(dice: random.Random) -> Both:
    """If I had a boat, I would sell it."""
    person = dice.choice(PRONOUNS)
    thing = noun_phrase(dice, dice.choice(("vehicle", "thing", "animal", "place")), only="a")
    verb = dice.choice([verb for verb in verbs() if verb.english in _UNREAL_VERBS])
    second = clause(dice, subject=person, verb=verb, tense="future", thing=thing.again,
                    negated=dice.random() < 0.3)  # fmt: skip
    would = {"will": "would", "won't": "wouldn't", "will not": "would not"}[second.auxiliary]
    finite = german_auxiliary("würde", person.person)
    he, has = person.in_case("nom"), german_auxiliary("hätte", person.person)
    no = "nicht" if second.auxiliary != "will" else ""
    return (
        f"if {person.english} had {thing.english}, {person.english} {would} {second.verb} "
        f"{thing.again.object}.",
        spaced(f"wenn {he} {thing.in_case('acc')} {has}, {finite} {he} "
               f"{thing.again.in_case('acc')} {no} {verb.whole}."),
    )  # fmt: skip


def relative(dice: random.Random) -> Both:
    """The letter that she wrote is long. Do you know the man who stole the car?"""
    verb = dice.choice([verb for verb in verbs() if verb.objects])
    kind = dice.choice(verb.objects)
    known = adjectives(kind)
    if not known or dice.random() < 0.4:
        person = noun_phrase(dice, "person", only="the", plain=True)
        of_people = [verb for verb in verbs() if "person" in verb.subjects]
        made = clause(dice, subject=person, verb=dice.choice(of_people))
        there = f"who {made.plain or made.bare} {made.rest}".strip()
        der = relative_pronoun(person.gender, "nom")
        german = f"{person.in_case('acc')}, {der} {made.german_predicate}"
        return f"do you know {person.english} {there}?", f"kennst du {german}?"
    thing = noun_phrase(dice, kind, only=dice.choice(("the", "this")), plain=True)
    made = clause(dice, verb=verb, thing=Phrase("", ("", "", "", ""), "m", "pronoun"))
    that = "who" if kind == "person" else dice.choice(("that", "which", ""))
    adjective = dice.choice(known)
    pronoun = relative_pronoun(thing.gender, verb.case)
    are, sind = english_be(thing), german_auxiliary("sein", thing.person)
    return (
        spaced(f"{thing.english} {that} {made.english} {are} {adjective.english}."),
        spaced(f"{thing.in_case('nom')}, {pronoun} {made.german_side}, {sind} "
               f"{adjective.german}."),
    )  # fmt: skip


def passive(dice: random.Random) -> Both:
    """The bridge was built last year. The thief must be found."""
    verb = dice.choice([verb for verb in verbs() if verb.objects and verb.case == "acc"
                        and verb.english.split()[0] not in _NOT_PASSIVE])  # fmt: skip
    thing = noun_phrase(dice, dice.choice(verb.objects))
    by, von = "", ""
    if dice.random() < 0.35:
        agent = noun_phrase(dice, dice.choice(verb.subjects))
        by, von = f"by {agent.object}", f"von {agent.in_case('dat')}"
    be, he, done = english_be(thing), thing.in_case("nom"), verb.participle
    many, person = thing.plural, thing.person
    english, finite, tail = dice.choice(
        (
            (be, german_auxiliary("werden", person), done),
            (f"{be} being", german_auxiliary("werden", person), done),
            ("were" if many else "was", german_auxiliary("wurde", person), done),
            ("were" if many else "was", german_auxiliary("wurde", person), done),
            (("have" if many else "has") + " been", german_auxiliary("sein", person),
             done + " worden"),
            ("will be", german_auxiliary("werden", person), done + " werden"),
            ("must be", german_auxiliary("müssen", person), done + " werden"),
            ("can be", german_auxiliary("können", person), done + " werden"),
        )
    )  # fmt: skip
    return (
        spaced(f"{thing.english} {english} {verb.english_participle} {by}."),
        spaced(f"{he} {finite} {von} {tail}."),
    )


def quality(dice: random.Random) -> Both:
    """My sister was very tired. Is the soup too hot? The cat is not old."""
    kind = dice.choice(_NOUN_KINDS)
    subject = someone(dice) if kind == "person" else noun_phrase(dice, kind, plain=True)
    adjective = dice.choice([word for word in adjectives(kind) if word.german != "anders"
                             and word.stem not in ("erst", "letzt")])  # fmt: skip
    how, wie = dice.choice(_DEGREES)
    person, he = subject.person, subject.in_case("nom")
    are, sind = english_be(subject), german_auxiliary("sein", person)
    were, waren = "were" if subject.plural else "was", german_auxiliary("war", person)
    be, ist = dice.choice(((are, sind), (were, waren)))
    if dice.random() < 0.2:
        return (
            spaced(f"{be} {subject.english} {how.replace('not', '')} {adjective.english}?"),
            spaced(f"{ist} {he} {wie.replace('nicht', '')} {adjective.german}?"),
        )
    return (
        spaced(f"{subject.english} {be} {how} {adjective.english}."),
        spaced(f"{he} {ist} {wie} {adjective.german}."),
    )


def giving(dice: random.Random) -> Both:
    """She gave the boy a book. I will show you the garden."""
    english, past, done, geben, gegeben = dice.choice(
        (("give", "gave", "given", "geben", "gegeben"),
         ("show", "showed", "shown", "zeigen", "gezeigt"),
         ("send", "sent", "sent", "schicken", "geschickt"),
         ("lend", "lent", "lent", "leihen", "geliehen"),
         ("bring", "brought", "brought", "bringen", "gebracht"))
    )  # fmt: skip
    subject = dice.choice([person for person in PRONOUNS if person.person != "du"])
    whom = someone_else(dice)
    thing = noun_phrase(dice, dice.choice(("thing", "text", "clothes", "food")))
    he, person = subject.in_case("nom"), subject.person
    has, will, can = (german_auxiliary(verb, person) for verb in ("haben", "werden", "können"))
    many = subject.plural or subject.person == "ich"
    does, finite, tail = dice.choice(
        ((past, has, gegeben), (f"{'have' if many else 'has'} {done}", has, gegeben),
         (f"will {english}", will, geben), (f"can {english}", can, geben))
    )  # fmt: skip
    to, wem, was = whom.object, whom.in_case("dat"), thing.in_case("acc")
    if dice.random() < 0.3:
        return f"{subject.english} {does} {thing.english} to {to}.", (
            f"{he} {finite} {wem} {was} {tail}."
        )
    return f"{subject.english} {does} {to} {thing.english}.", f"{he} {finite} {wem} {was} {tail}."


def dictionary_entry(dice: random.Random) -> Both:
    """The dogs. A small house. Cheese. To read."""
    kind = dice.choice((*_NOUN_KINDS, "drink", "body"))
    way = dice.random()
    if way < 0.5:
        made = noun_phrase(dice, kind, plain=way < 0.3)
        return made.english, made.in_case("nom")
    noun = dice.choice(nouns(kind))
    if way < 0.8 or not noun.german_plural:
        return noun.english, noun.german
    return noun.english_plural, noun.german_plural


_PATTERNS: Final[dict[Callable[[random.Random], Both], int]] = {
    statement: 20, question: 10, who_or_what: 4, side_clause: 8, two_clauses: 7, unreal: 2,
    relative: 5, passive: 6, quality: 7, giving: 5, dictionary_entry: 6,
    **pronouns.PATTERNS, **counted.PATTERNS,
}  # fmt: skip


def random_pairs(dice: random.Random, count: int) -> list[Pair]:
    """`count` random pairs."""
    patterns = dice.choices(list(_PATTERNS), list(_PATTERNS.values()), k=count)
    return [_pair(*draw(dice), capital=draw is not dictionary_entry) for draw in patterns]


def _pair(english: str, german: str, *, capital: bool) -> Pair:
    if not capital:
        return Pair(english, german)
    english = english.replace("m..", "m.")  # p.m.
    return Pair(english[0].upper() + english[1:], german[0].upper() + german[1:])
