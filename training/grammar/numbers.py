"""Numbers, prices, dates and times in both languages."""

import random
from typing import Final

_ONES: Final = (
    ("zero", "null"), ("one", "eins"), ("two", "zwei"), ("three", "drei"), ("four", "vier"),
    ("five", "fünf"), ("six", "sechs"), ("seven", "sieben"), ("eight", "acht"), ("nine", "neun"),
    ("ten", "zehn"), ("eleven", "elf"), ("twelve", "zwölf"), ("thirteen", "dreizehn"),
    ("fourteen", "vierzehn"), ("fifteen", "fünfzehn"), ("sixteen", "sechzehn"),
    ("seventeen", "siebzehn"), ("eighteen", "achtzehn"), ("nineteen", "neunzehn"),
)  # fmt: skip
_TENS: Final = (
    ("twenty", "zwanzig"), ("thirty", "dreißig"), ("forty", "vierzig"), ("fifty", "fünfzig"),
    ("sixty", "sechzig"), ("seventy", "siebzig"), ("eighty", "achtzig"), ("ninety", "neunzig"),
)  # fmt: skip
_ENGLISH_ORDINALS: Final = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_GERMAN_ORDINALS: Final = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
MONTHS: Final = (
    ("January", "Januar"), ("February", "Februar"), ("March", "März"), ("April", "April"),
    ("May", "Mai"), ("June", "Juni"), ("July", "Juli"), ("August", "August"),
    ("September", "September"), ("October", "Oktober"), ("November", "November"),
    ("December", "Dezember"),
)  # fmt: skip
DAYS: Final = (
    ("Monday", "Montag"), ("Tuesday", "Dienstag"), ("Wednesday", "Mittwoch"),
    ("Thursday", "Donnerstag"), ("Friday", "Freitag"), ("Saturday", "Samstag"),
    ("Sunday", "Sonntag"),
)  # fmt: skip
Both = tuple[str, str]  # English and German


def in_words(n: int) -> Both:
    """A number from 0 to 999,999 in words."""
    english, german = english_words(n), german_words(n)
    return english, german + "s" if german.endswith("ein") else german


def english_words(n: int) -> str:
    """Two hundred and forty-one."""
    if n >= 1000:
        rest = n % 1000
        link = " and " if 0 < rest < 100 else " "
        return english_words(n // 1000) + " thousand" + (link + english_words(rest) if rest else "")
    if n >= 100:
        head = english_words(n // 100) + " hundred"
        return head + (f" and {english_words(n % 100)}" if n % 100 else "")
    if n < 20:
        return _ONES[n][0]
    return _TENS[n // 10 - 2][0] + (f"-{_ONES[n % 10][0]}" if n % 10 else "")


def german_words(n: int) -> str:
    """Zweihunderteinundvierzig; what ends in one ends in "ein", as before a noun."""
    if n >= 1000:
        return german_words(n // 1000) + "tausend" + (german_words(n % 1000) if n % 1000 else "")
    if n >= 100:
        return german_words(n // 100) + "hundert" + (german_words(n % 100) if n % 100 else "")
    if n < 20:
        return "ein" if n == 1 else _ONES[n][1]
    ones = f"{german_words(n % 10)}und" if n % 10 else ""
    return ones + _TENS[n // 10 - 2][1]


def in_digits(n: float, decimals: int = 0) -> Both:
    """1,234.5 and 1.234,5."""
    english = f"{n:,.{decimals}f}"
    return english, english.translate(str.maketrans(",.", ".,"))


def number(dice: random.Random, low: int = 2, high: int = 100) -> Both:
    """A whole number in digits or, if it is small, in words."""
    n = dice.randint(low, high)
    return in_words(n) if n < 1000 and dice.random() < 0.4 else in_digits(n)


def quantity(dice: random.Random) -> Both:
    """A whole number of any size, from two: small ones are more frequent."""
    return number(dice, 2, dice.choice((12, 30, 100, 1000, 10_000, 1_000_000)))


def decimal(dice: random.Random) -> Both:
    """A number with one or two decimals."""
    decimals = dice.choice((1, 2))
    return in_digits(dice.randint(1, 9999) / 10**decimals, decimals)


def price(dice: random.Random) -> Both:
    """A sum of money."""
    english, german, sign = dice.choice(
        (("euros", "Euro", "€"), ("dollars", "Dollar", "$"), ("pounds", "Pfund", "£"),
         ("francs", "Franken", ""), ("yen", "Yen", "¥"))
    )  # fmt: skip
    amount, betrag = decimal(dice) if dice.random() < 0.4 else quantity(dice)
    if "." in amount:
        amount, betrag = in_digits(dice.randint(101, 99_999) / 100, 2)
    if sign and amount[0].isdigit() and dice.random() < 0.3:
        return f"{sign}{amount}", f"{betrag} {sign if sign in '€$' else german}"
    return f"{amount} {english}", f"{betrag} {german}"


def clock(dice: random.Random) -> Both:
    """A time of the day, without a preposition."""
    hour, minute = dice.randint(1, 12), dice.choice((0, 0, 15, 30, 45, dice.randint(1, 59)))
    (english, german), (_, german_next) = in_words(hour), in_words(hour % 12 + 1)
    way = dice.random()
    if way < 0.35:
        hour = dice.randint(0, 23)
        return f"{hour}:{minute:02}", f"{hour}:{minute:02} Uhr"
    if way < 0.5:
        half, shift = dice.choice((("a.m.", 0), ("p.m.", 12)))
        return f"{hour}:{minute:02} {half}", f"{hour % 12 + shift}:{minute:02} Uhr"
    if minute == 30:
        return f"half past {english}", f"halb {german_next}"
    if minute == 15:
        return f"a quarter past {english}", f"Viertel nach {german}"
    if minute == 45:
        return f"a quarter to {english_words(hour % 12 + 1)}", f"Viertel vor {german_next}"
    if minute and minute % 5 == 0 and minute < 30:
        return f"{english_words(minute)} past {english}", f"{german_words(minute)} nach {german}"
    return f"{english} o'clock", f"{german_words(hour)} Uhr"


def year(dice: random.Random) -> str:
    """A year, which looks the same in both."""
    return str(dice.choice((dice.randint(1900, 2030), dice.randint(1000, 2100))))


def date(dice: random.Random) -> Both:
    """The day of a month, as after "on" and "am", sometimes with its year."""
    day, (english, german) = dice.randint(1, 28), dice.choice(MONTHS)
    english_date = dice.choice(
        (f"{day} {english}", f"{english} {day}", f"{english} {day}{_th(day)}",
         f"the {day}{_th(day)} of {english}")
    )  # fmt: skip
    if dice.random() < 0.5:
        when = year(dice)
        comma = "," if english_date.startswith(english) else ""
        return f"{english_date}{comma} {when}", f"{day}. {german} {when}"
    return english_date, f"{day}. {german}"


def ordinal(dice: random.Random, high: int = 20) -> Both:
    """First, and the German stem, which endings follow."""
    n = dice.randint(1, high)
    return english_ordinal(n), german_ordinal(n)


def english_ordinal(n: int) -> str:
    """Twenty-first."""
    head, dash, last = english_words(n).rpartition("-")
    if last in _ENGLISH_ORDINALS:
        return head + dash + _ENGLISH_ORDINALS[last]
    return head + dash + (last[:-1] + "ieth" if last.endswith("y") else last + "th")


def german_ordinal(n: int) -> str:
    """Einundzwanzigst, without an ending."""
    if n < 20:
        return _GERMAN_ORDINALS.get(n) or german_words(n) + "t"
    return german_words(n) + "st"


def _th(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
