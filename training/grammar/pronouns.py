"""Sentences in which a pronoun stands for a noun, and sentences of people and places."""

import random
from collections.abc import Callable
from typing import Final

from training.grammar.inflection import german_auxiliary, german_past, german_present
from training.grammar.lexicon import adjectives, names, nouns, verbs
from training.grammar.numbers import Both
from training.grammar.phrases import PRONOUNS, Phrase, name_phrase, noun_phrase, spaced

_WHERE: Final = (
    ("on the table", "auf dem Tisch"), ("under the bed", "unter dem Bett"),
    ("in the drawer", "in der Schublade"), ("on the shelf", "auf dem Regal"),
    ("in the cupboard", "im Schrank"), ("behind the door", "hinter der Tür"),
    ("in the kitchen", "in der Küche"), ("in my bag", "in meiner Tasche"),
    ("next to the lamp", "neben der Lampe"), ("on the floor", "auf dem Boden"),
    ("in the car", "im Auto"), ("under the sofa", "unter dem Sofa"),
    ("on the chair", "auf dem Stuhl"), ("in front of the window", "vor dem Fenster"),
    ("between the books", "zwischen den Büchern"), ("in the garden", "im Garten"),
)  # fmt: skip
_TO: Final = (
    ("on the table", "auf den Tisch"), ("under the bed", "unter das Bett"),
    ("in the drawer", "in die Schublade"), ("on the shelf", "ins Regal"),
    ("in the cupboard", "in den Schrank"), ("in my bag", "in meine Tasche"),
    ("on the floor", "auf den Boden"), ("in the box", "in die Kiste"),
)  # fmt: skip
_ACROSS: Final = (
    ("wide", "breit"), ("dangerous", "gefährlich"), ("long", "lang"), ("wet", "nass"),
    ("steep", "steil"),
)  # fmt: skip
_TIRED: Final = (
    ("tired", "müde"), ("old", "alt"), ("weak", "schwach"), ("slow", "langsam"), ("sick", "krank"),
    ("small", "klein"), ("young", "jung"), ("scared", "ängstlich"),
)  # fmt: skip
_PORTABLE: Final = ("thing", "clothes", "text")


def crossed(dice: random.Random) -> Both:
    """The animal didn't cross the street because it was too tired. … because it was too wide."""
    who = noun_phrase(dice, dice.choice(("animal", "animal", "vehicle")), only="the", plain=True)
    what = noun_phrase(dice, "way", only="the", plain=True)
    of_way = who.kind == "vehicle" or dice.random() < 0.5
    english, german = dice.choice(_ACROSS if of_way else _TIRED)
    again = what.again if of_way else who.again
    was, war = "were" if again.plural else "was", german_auxiliary("war", again.person)
    did_not, past, no = dice.choice(
        (("did not", "überquerte", "nicht"), ("didn't", "überquerte", "nicht"),
         ("couldn't", "konnte", "nicht überqueren"))
    )  # fmt: skip
    return (
        f"{who.english} {did_not} cross {what.english} "
        f"because {again.english} {was} too {english}.",
        f"{who.in_case('nom')} {german_past(past, who.person)} {what.in_case('acc')} {no}, "
        f"weil {again.in_case('nom')} zu {german} {war}.",
    )


def fits(dice: random.Random) -> Both:
    """The ball doesn't fit into the box because it is too big. … because it is too small."""
    what = _portable(dice, only="the")
    into = noun_phrase(dice, "container", only="the", plain=True)
    large = dice.random() < 0.5
    again = what.again if large else into.again
    big, groß = ("too big", "zu groß") if large else ("too small", "zu klein")
    do, passt = ("don't", "passen") if what.plural else ("doesn't", "passt")
    be, ist = ("are", "sind") if again.plural else ("is", "ist")
    return (
        f"{what.english} {do} fit into {into.english} because {again.english} {be} {big}.",
        f"{what.in_case('nom')} {passt} nicht in {into.in_case('acc')}, "
        f"weil {again.in_case('nom')} {groß} {ist}.",
    )


def found_where(dice: random.Random) -> Both:
    """Where is the key? It is on the table. I put it in the drawer."""
    what = _portable(dice, only=dice.choice(("the", "my", "your")))
    again, (english, german), (to, hin) = what.again, dice.choice(_WHERE), dice.choice(_TO)
    be, ist = ("are", "sind") if what.plural else ("is", "ist")
    it, es = again.english.capitalize(), again.in_case("nom").capitalize()
    asked, frage = f"where {be} {what.english}?", f"wo {ist} {what.in_case('nom')}?"
    return dice.choice(
        (
            (asked, frage),
            (f"{what.english} {be} {english}.", f"{what.in_case('nom')} {ist} {german}."),
            (f"{asked} {it} {be} {english}.", f"{frage} {es} {ist} {german}."),
            (f"{asked} I put {again.object} {to}.",
             f"{frage} Ich habe {again.in_case('acc')} {hin} gelegt."),
        )
    )  # fmt: skip


def then_it(dice: random.Random) -> Both:
    """I bought a lamp, but it is too heavy. I have a dog. Do you want to see it?"""
    kind = dice.choice(("thing", "clothes", "vehicle", "text", "tech", "animal", "food"))
    noun = dice.choice([noun for noun in nouns(kind) if noun.german_plural])
    what = noun_phrase(dice, kind, noun=noun, only=dice.choice(("a", "a", "my", "the")))
    again = what.again
    adjective = dice.choice([word for word in adjectives(kind) if " " not in word.english])
    be, ist = ("are", "sind") if what.plural else ("is", "ist")
    it, es, ihn = again.english, again.in_case("nom"), again.in_case("acc")
    them, sie = what.object, what.in_case("acc")
    do, geht, gefällt = (
        ("don't", "funktionieren", "gefallen") if what.plural
        else ("doesn't", "funktioniert", "gefällt")
    )  # fmt: skip
    ways = [
        (f"I have bought {them}, but {it} {be} too {adjective.english}.",
         f"ich habe {sie} gekauft, aber {es} {ist} zu {adjective.german}."),
        (f"I have {them}. Do you want to see {again.object}?",
         f"ich habe {sie}. Willst du {ihn} sehen?"),
        (f"if you like {them}, you can keep {again.object}.",
         f"wenn dir {what.in_case('nom')} {gefällt}, kannst du {ihn} behalten."),
        (f"he looked for {them}, but he couldn't find {again.object}.",
         f"er suchte {sie}, aber er konnte {ihn} nicht finden."),
    ]  # fmt: skip
    if kind in ("thing", "tech", "vehicle"):
        ways.append(
            (f"{what.english} {be} {adjective.english}, but {it} {do} work.",
             f"{what.in_case('nom')} {ist} {adjective.german}, aber {es} {geht} nicht.")
        )  # fmt: skip
    if not what.plural:
        ways.append(
            (f"this is {what.english}. {it.capitalize()} is very {adjective.english}.",
             f"das ist {what.in_case('nom')}. {es.capitalize()} ist sehr {adjective.german}.")
        )  # fmt: skip
    return dice.choice(ways)


def introduced(dice: random.Random) -> Both:
    """My name is Priya. This is Kofi Mensah. He comes from Ghana. Ana lives in Lisbon."""
    who, place = (
        name_phrase(dice, invented=0.4),
        dice.choice(names(dice.choice(("city", "country")))),
    )
    name, owned = who.english, who.in_case("gen")
    he, er = who.again.english, who.again.in_case("nom")
    his, friend = ("his", "ein Freund") if who.gender == "m" else ("her", "eine Freundin")
    there, dort = place.english, place.german
    other = name_phrase(dice, invented=0.4).english
    relation = noun_phrase(dice, "person", only=his, plain=True)
    brother, bruder = (
        text.split(" ", 1)[1] for text in (relation.english, relation.in_case("nom"))
    )
    are, sind = ("are", "sind") if relation.plural else ("is", "ist")
    return dice.choice(
        (
            (f"my name is {name}.", f"ich heiße {name}."),
            (f"I'm {name}.", f"ich bin {name}."),
            (f"I am {name} from {there}.", f"ich bin {name} aus {dort}."),
            (f"hello, my name is {name}.", f"hallo, ich heiße {name}."),
            (f"hi {name}, how are you?", f"hallo {name}, wie geht es dir?"),
            (f"good morning, {name}!", f"guten Morgen, {name}!"),
            (f"{name} lives in {there}.", f"{name} wohnt in {dort}."),
            (f"{name} and {other} live in {there}.", f"{name} und {other} wohnen in {dort}."),
            (f"{name} comes from {there}.", f"{name} kommt aus {dort}."),
            (f"where does {name} live?", f"wo wohnt {name}?"),
            (f"do you know {name}?", f"kennst du {name}?"),
            (f"have you seen {name} today?", f"hast du {name} heute gesehen?"),
            (f"this is {name}. {he.capitalize()} lives in {there}.",
             f"das ist {name}. {er.capitalize()} wohnt in {dort}."),
            (f"{name}'s {brother} {are} here.", f"{owned} {bruder} {sind} hier."),
            (f"{name} is {other}'s friend.", f"{name} ist {friend} von {other}."),
            (f"{name} is calling {relation.english}.",
             f"{name} ruft {relation.in_case('acc')} an."),
            (f"we are traveling to {there} with {name}.", f"wir reisen mit {name} nach {dort}."),
            (f"{name} has never been to {there}.", f"{name} war noch nie in {dort}."),
            (f"I would like to fly to {there}.", f"ich möchte nach {dort} fliegen."),
            (f"how far is it to {there}?", f"wie weit ist es nach {dort}?"),
            (f"{name} was born in {there}.", f"{name} wurde in {dort} geboren."),
            (f"{name} wrote a letter to {other}.", f"{name} schrieb {other} einen Brief."),
            (f"Mr {name.split()[-1]} is waiting for you.",
             f"Herr {name.split()[-1]} wartet auf Sie."),
            (f"Mrs {name.split()[-1]} is not at home.",
             f"Frau {name.split()[-1]} ist nicht zu Hause."),
            (f"{name} and I are friends.", f"{name} und ich sind Freunde."),
            (f"{name}, can you help me?", f"{name}, kannst du mir helfen?"),
            (f"is {there} a beautiful place?", f"ist {dort} ein schöner Ort?"),
        )
    )  # fmt: skip


def of_something(dice: random.Random) -> Both:
    """The color of the car; the owner of this house."""
    english, german = dice.choice(
        (("color", "die Farbe"), ("price", "der Preis"), ("size", "die Größe"),
         ("owner", "der Besitzer"), ("name", "der Name"), ("age", "das Alter"),
         ("weight", "das Gewicht"), ("end", "das Ende"), ("beginning", "der Anfang"))
    )  # fmt: skip
    kind = {"end": "text", "beginning": "text", "age": "person"}.get(
        english, dice.choice(("thing", "vehicle", "animal", "place"))
    )
    if english == "owner":
        kind = "place"
    what = noun_phrase(dice, kind, only=dice.choice(("the", "this")), plain=dice.random() < 0.7)
    if kind == "text" or dice.random() < 0.4:
        adjective = dice.choice((("interesting", "interessant"), ("important", "wichtig")))
        return f"the {english} of {what.object} is {adjective[0]}.", (
            f"{german} {what.in_case('gen')} ist {adjective[1]}."
        )
    return f"do you know the {english} of {what.object}?", (
        f"kennst du {german.replace('der ', 'den ', 1).replace('Name', 'Namen')} "
        f"{what.in_case('gen')}?"
    )


def likes(dice: random.Random) -> Both:
    """I like cats. She likes to read novels."""
    who = dice.choice([person for person in PRONOUNS if person.person != "du"])
    many = who.plural or who.person == "ich"
    kind = dice.choice(("animal", "food", "drink", "text", "person", "place"))
    noun = dice.choice(nouns(kind))
    english, german = (
        (noun.english_plural, noun.german_plural)
        if noun.german_plural else (noun.english, noun.german)
    )  # fmt: skip
    mag = {"ich": "mag", "er": "mag", "wir": "mögen"}[who.person]
    if dice.random() < 0.5:
        return f"{who.english} {'like' if many else 'likes'} {english}.", (
            f"{who.in_case('nom')} {mag} {german}."
        )
    verb = dice.choice([verb for verb in verbs() if "person" in verb.subjects and not verb.objects])
    return f"{who.english} {'like' if many else 'likes'} to {verb.english}.", (
        spaced(f"{who.in_case('nom')} {german_present(verb, who.person)} gern {verb.prefix}.")
    )


def _portable(dice: random.Random, *, only: str) -> Phrase:
    kind = dice.choice(_PORTABLE)
    heavy = {*nouns("heavy")}
    noun = dice.choice([noun for noun in nouns(kind) if noun not in heavy])
    return noun_phrase(dice, kind, noun=noun, only=only, plain=True)


PATTERNS: Final[dict[Callable[[random.Random], Both], int]] = {
    crossed: 3, fits: 2, found_where: 3, then_it: 5, introduced: 12, of_something: 2, likes: 3,
}  # fmt: skip
