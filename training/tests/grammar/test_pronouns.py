"""A pronoun has the gender of its noun, and a name stays as it is."""

import random
import re

from training.grammar.pronouns import crossed, fits, introduced, then_it

CROSSED = re.compile(r"(die|der|das) \S+ überquerte?n? (den|die|das) \S+ nicht, weil (\w+) ")
FITS = re.compile(r"(der|die|das) \S+ passt nicht in (den|die|das) \S+, weil (\w+) zu (\w+) ist")


def test_a_pronoun_has_the_gender_of_its_noun() -> None:
    dice, seen = random.Random(5), set()
    of_article = {"der": "er", "die": "sie", "das": "es"}
    for _ in range(400):
        english, german = crossed(dice)
        found = CROSSED.match(german)
        if not found:
            continue
        of_way = re.search(r"wide|dangerous|long|wet|steep", english.split("because")[1])
        noun = {"den": "der"}.get(found[2], found[2]) if of_way else found[1]
        if of_way and english.split(" because ")[1].startswith("they"):
            noun = "die"
        assert found[3] == of_article[noun], (english, german)
        seen.add((bool(of_way), found[3]))
    assert len(seen) == 6


def test_the_inner_thing_is_too_big_and_the_outer_too_small() -> None:
    dice, seen = random.Random(3), set()
    of_article = {"der": "er", "den": "er", "die": "sie", "das": "es"}
    for _ in range(300):
        english, german = fits(dice)
        if found := FITS.match(german):
            assert found[4] == ("groß" if "too big" in english else "klein")
            if " they " not in english:
                assert found[3] == of_article[found[1] if found[4] == "groß" else found[2]]
                seen.add(found[3])
    assert seen == {"er", "sie", "es"}


def test_a_name_is_the_same_in_both() -> None:
    dice = random.Random(7)
    for _ in range(500):
        english, german = introduced(dice)
        if found := re.match(r"my name is (.+)\.", english):
            assert german == f"ich heiße {found[1]}."


def test_that_it_is_said_again_with_er_sie_or_es() -> None:
    dice, seen = random.Random(8), set()
    for _ in range(300):
        _, german = then_it(dice)
        if found := re.match(r"ich habe (ein|eine|einen) .* gekauft, aber (\w+) ist", german):
            assert found[2] == {"ein": "es", "eine": "sie", "einen": "er"}[found[1]]
            seen.add(found[2])
    assert seen == {"er", "sie", "es"}
