"""Words below a picture: broken into lines without a loss, and no longer than a caption."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np

from explorer.drawing.theme import LIGHT
from explorer.export.pictures import beginning, captioned, wrapped
from explorer.figures.causes import Words, by_words
from tests.render.drawings import drawings

WIDTH = 150  # pixels for 20 letters


def test_a_caption_is_broken_between_words_and_loses_none() -> None:
    text = "the weights of every head, averaged over all tokens that are not PAD"
    lines = wrapped(text, WIDTH)
    assert " ".join(lines) == text
    assert all(len(line) <= 20 for line in lines)
    for line, following in pairwise(lines):
        assert len(f"{line} {following.split()[0]}") > 20  # no word more would have had room


def test_lines_stay_lines_and_a_long_word_stays_whole() -> None:
    long = "a" * 40
    assert wrapped(f"one\n\n{long} two", WIDTH) == ["one", "", long, "two"]


def test_chinese_is_broken_between_characters_but_not_before_a_sign() -> None:
    # 20 letters' room is eleven characters, of 1.8 each; the comma stays with what it follows.
    assert wrapped("一二三四五六七八九十零，一二", WIDTH) == ["一二三四五六七八九十", "零，一二"]


def test_of_a_long_description_the_first_whole_sentences_are_taken() -> None:
    assert beginning("Short. And whole.") == "Short. And whole."
    first, second = f"{'a' * 98}. ", f"{'b' * 98}. "
    assert beginning(f"{first}{second}{first}") == f"{first}{second}".strip()
    one, two = f"{'一' * 99}。", f"{'二' * 99}。"
    assert beginning(f"{one}{two}{one}") == f"{one}{two}"
    assert beginning("a" * 300) == f"{'a' * 220}…"


def test_the_words_stand_below_the_picture() -> None:
    _, drawing = next(drawings(["a", "b", "c", "d"]))
    root = ElementTree.fromstring(captioned(drawing, LIGHT, "in words", "Page: <b>\nwhat it shows"))
    lines = root.findall("{*}text")
    assert [line.text for line in lines] == ["Page: <b>", "what it shows"]
    assert [line.get("font-weight") for line in lines] == ["bold", None]
    below = drawing.height
    assert all(below < float(str(line.get("y"))) < float(str(root.get("height"))) for line in lines)


def test_numbers_beside_each_other_keep_apart_in_broad_letters() -> None:
    names, numbers = [*"abcdefghijklmnopqr"], np.full((1, 18), -0.05)
    side = Words(title="", color="red", labels=names, values=numbers, texts=[["−0.05"] * 18])
    drawing = by_words(["without it" * 3], [side], in_nats=[True])
    root = ElementTree.fromstring(captioned(drawing, LIGHT, "", ""))
    area = next(root.iterfind(".//{*}svg[@class='area']"))
    places = [text.get("x", "") for text in area.iterfind(".//{*}text") if text.text == "−0.05"]
    left, right, *_ = (float(place.rstrip("%")) * float(area.get("width", "")) for place in places)
    assert (right - left) / 100 > 11 * 3.06  # the width of −0.05 in DejaVu Sans
