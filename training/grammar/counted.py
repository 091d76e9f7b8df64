"""Sentences with numbers, prices, dates and times."""

import random
from collections.abc import Callable
from typing import Final

from training.grammar.lexicon import nouns
from training.grammar.numbers import (
    DAYS,
    MONTHS,
    Both,
    clock,
    date,
    decimal,
    in_digits,
    in_words,
    number,
    ordinal,
    price,
    quantity,
    year,
)
from training.grammar.phrases import name_phrase, noun_phrase

_KINDS: Final = ("thing", "animal", "food", "clothes", "text", "vehicle", "person", "place", "tech",
                 "field")  # fmt: skip


def how_many(dice: random.Random) -> Both:
    """There are 365 pages in this book. She has seventeen cats."""
    noun = dice.choice([noun for noun in nouns(dice.choice(_KINDS)) if noun.german_plural])
    many, viele = quantity(dice)
    things, german = f"{many} {noun.english_plural}", f"{viele} {noun.german_plural}"
    dative = f"{viele} {noun.plural('dat')}"
    return dice.choice(
        (
            (f"I have {things}.", f"ich habe {german}."),
            (f"she has bought {things}.", f"sie hat {german} gekauft."),
            (f"there are {things} here.", f"hier sind {german}."),
            (f"we need {things}.", f"wir brauchen {german}."),
            (f"he saw {things}.", f"er sah {german}."),
            (f"more than {things}", f"mehr als {german}"),
            (f"they came with {things}.", f"sie kamen mit {dative}."),
            (f"how many {noun.english_plural} do you have?",
             f"wie viele {noun.german_plural} hast du?"),
            (f"{things} are not enough.", f"{german} sind nicht genug."),
            (f"I counted {things}.", f"ich zählte {german}."),
        )
    )  # fmt: skip


def costs(dice: random.Random) -> Both:
    """The coat costs 49.90 euros."""
    kind = dice.choice(("thing", "clothes", "food", "vehicle", "text", "tech"))
    what = noun_phrase(dice, kind, only=dice.choice(("the", "this")), plain=dice.random() < 0.7)
    cost, kostet = ("cost", "kosten") if what.plural else ("costs", "kostet")
    paid, gezahlt = price(dice)
    he, him = what.in_case("nom"), what.in_case("acc")
    do = "do" if what.plural else "does"
    return dice.choice(
        (
            (f"{what.english} {cost} {paid}.", f"{he} {kostet} {gezahlt}."),
            (f"I paid {paid} for {what.object}.", f"ich habe {gezahlt} für {him} bezahlt."),
            (f"how much {do} {what.english} cost?", f"wie viel {kostet} {he}?"),
            (f"he sold {what.object} for {paid}.", f"er verkaufte {him} für {gezahlt}."),
            (f"that is {paid}.", f"das macht {gezahlt}."),
        )
    )  # fmt: skip


def at_what_time(dice: random.Random) -> Both:
    """The train leaves at half past ten."""
    when, um = clock(dice)
    day, tag = dice.choice(DAYS)
    return dice.choice(
        (
            (f"it is {when}.", f"es ist {um}."),
            (f"it's {when}.", f"es ist {um}."),
            (f"the train leaves at {when}.", f"der Zug fährt um {um} ab."),
            (f"the bus arrives at {when}.", f"der Bus kommt um {um} an."),
            (f"the film begins at {when}.", f"der Film beginnt um {um}."),
            (f"I get up at {when}.", f"ich stehe um {um} auf."),
            (f"we will meet on {day} at {when}.", f"wir treffen uns am {tag} um {um}."),
            (f"the shop opens at {when}.", f"der Laden öffnet um {um}."),
            (f"she went to bed at {when}.", f"sie ging um {um} ins Bett."),
            (f"can you call me at {when}?", f"kannst du mich um {um} anrufen?"),
            (f"is it already {when}?", f"ist es schon {um}?"),
            (f"the lesson ends at {when} on {day}.", f"der Unterricht endet am {tag} um {um}."),
        )
    )  # fmt: skip


def on_what_day(dice: random.Random) -> Both:
    """She was born on 9 March 2017. The war ended in 1945."""
    when, am = date(dice)
    that_year, (month, monat) = year(dice), dice.choice(MONTHS)
    day, tag = dice.choice(DAYS)
    name = name_phrase(dice).english
    first, erst = ordinal(dice, 31)
    return dice.choice(
        (
            (f"she was born on {when}.", f"sie wurde am {am} geboren."),
            (f"{name} was born on {when}.", f"{name} wurde am {am} geboren."),
            (f"my birthday is on {when}.", f"mein Geburtstag ist am {am}."),
            (f"today is {when}.", f"heute ist der {am}."),
            (f"the meeting is on {day}, {when}.", f"die Besprechung ist am {tag}, dem {am}."),
            (f"we are moving on {when}.", f"wir ziehen am {am} um."),
            (f"the house was built in {that_year}.", f"das Haus wurde {that_year} gebaut."),
            (f"he died in {that_year}.", f"er starb {that_year}."),
            (f"the war ended in {that_year}.", f"der Krieg endete im Jahr {that_year}."),
            (f"in {month} it often rains.", f"im {monat} regnet es oft."),
            (f"we have been living here since {month}.", f"wir wohnen seit {monat} hier."),
            (f"the shop is closed on {day}s.", f"der Laden ist {tag.lower()}s geschlossen."),
            (f"I will come back in {month}.", f"ich komme im {monat} zurück."),
            (f"see you on {day}!", f"bis {tag}!"),
            (f"his {first} birthday", f"sein {erst}er Geburtstag"),
            (f"the {first} day", f"der {erst}e Tag"),
            (f"today is the {first}.", f"heute ist der {erst}e."),
        )
    )  # fmt: skip


def measured(dice: random.Random) -> Both:
    """The tower is 83 meters high. 2.5 percent. Seventeen plus four is twenty-one."""
    many, viele = decimal(dice) if dice.random() < 0.3 else quantity(dice)
    few, wenige = number(dice, 2, 95)
    a, b = dice.randint(2, 60), dice.randint(2, 40)
    sum_of = in_words if dice.random() < 0.5 else in_digits
    (one, eins), (two, zwei), (all_, alle) = sum_of(a), sum_of(b), sum_of(a + b)
    (less, weniger) = sum_of(a + b + dice.randint(1, 9))
    first, erst = ordinal(dice)
    floor, stock = ordinal(dice, 12)
    return dice.choice(
        (
            (f"the tower is {many} meters high.", f"der Turm ist {viele} Meter hoch."),
            (f"the river is {many} kilometers long.", f"der Fluss ist {viele} Kilometer lang."),
            (f"the box weighs {many} kilograms.", f"die Kiste wiegt {viele} Kilogramm."),
            (f"he is {few} years old.", f"er ist {wenige} Jahre alt."),
            (f"my aunt is {few}.", f"meine Tante ist {wenige}."),
            (f"{many} percent of the people", f"{viele} Prozent der Menschen"),
            (f"the temperature is {few} degrees.", f"die Temperatur beträgt {wenige} Grad."),
            (f"{one} plus {two} is {all_}.", f"{eins} plus {zwei} ist {alle}."),
            (f"{all_} minus {two} is {one}.", f"{alle} minus {zwei} ist {eins}."),
            (f"{less} is more than {all_}.", f"{weniger} ist mehr als {alle}."),
            (f"we live in room {few}.", f"wir wohnen in Zimmer {wenige}."),
            (f"open the book on page {few}.", f"öffnet das Buch auf Seite {wenige}."),
            (f"the office is on the {floor} floor.", f"das Büro ist im {stock}en Stock."),
            (f"he came {first}.", f"er wurde {erst}er."),
            (f"I have been waiting for {few} minutes.", f"ich warte seit {wenige} Minuten."),
            (f"in {few} days", f"in {wenige} Tagen"),
            (f"{few} weeks ago", f"vor {wenige} Wochen"),
            (f"it takes {few} hours.", f"es dauert {wenige} Stunden."),
            (f"my phone number is {a}{b} {a + b}.", f"meine Telefonnummer ist {a}{b} {a + b}."),
            (f"the city has {many} inhabitants.", f"die Stadt hat {viele} Einwohner.")
            if "." not in many else (f"the sum is {many}.", f"die Summe ist {viele}."),
            (f"the model has {few} layers.", f"das Modell hat {wenige} Schichten."),
            (many, viele),
        )
    )  # fmt: skip


PATTERNS: Final[dict[Callable[[random.Random], Both], int]] = {
    how_many: 4, costs: 4, at_what_time: 4, on_what_day: 5, measured: 5,
}  # fmt: skip
