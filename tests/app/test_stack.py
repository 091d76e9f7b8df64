"""The page of the stack: every stop is drawn, and put in numbers, as torch.nn computes it."""

import re
from typing import Any

import numpy as np
import pytest

from tests.app.driving import components, numbers, open_page, pictures, state_of, texts
from tests.app.stack_by_torch import MODELS, PAIRS, ByTorch, Wanted
from tests.app.stops import SHOWN, go, value_of
from tests.figures.reading import labels


def known_columns(title: str, values: np.ndarray) -> np.ndarray:
    """What of a stop is drawn: of the vocabulary only the ids that are words by now."""
    words = len({word for _, sentence in PAIRS for word in sentence.split()})
    is_output = title in ("output: logits", "output: probabilities")
    return values[:, : min(SHOWN, 4 + words) if is_output else SHOWN]


def check_table(table: dict[str, Any], wanted: Wanted, words: list[str]) -> None:
    """The table says of every token what its numbers are."""
    values = wanted.values.astype(np.float64)
    mean = values.sum(axis=1) / values.shape[1]
    columns = [
        mean,
        np.sqrt(((values - mean[:, None]) ** 2).sum(axis=1) / values.shape[1]),
        np.sqrt((values**2).sum(axis=1)),
    ]
    header = ["token", "mean", "std", "vector norm"]
    if wanted.before is not None:
        columns.append(np.sqrt(((values - wanted.before) ** 2).sum(axis=1)))
        header.append("change")
    assert table["header"] == header
    assert [line[0] for line in table["rows"]] == [f"{n} · {w}" for n, w in enumerate(words)]
    shown = [[value_of(cell) for cell in line[1:]] for line in table["rows"]]
    np.testing.assert_allclose(
        shown, np.transpose(columns), atol=0.0005 + 5e-5, err_msg=wanted.title
    )


@pytest.mark.parametrize(("name", "row"), [("post-norm", 0), ("pre-norm", 1), ("deeper", 1)])
def test_every_stop_is_torchs(name: str, row: int) -> None:
    settings = MODELS[name]
    way = ByTorch(settings, row).way
    at = open_page("stack", **state_of(PAIRS, pair=row + 1), **settings)
    assert at.selectbox(key="stop").options == [f"{n} · {w.title}" for n, w in enumerate(way)]
    pad = ["PAD"] * row
    words = [*PAIRS[row][0].split(), *3 * pad]
    for number, wanted in enumerate(way):
        go(at, number)
        picture = pictures(at)["stop_picture"]
        drawn = known_columns(wanted.title, wanted.values)
        np.testing.assert_allclose(numbers(picture), drawn, atol=2e-5, err_msg=wanted.title)
        shape = "({}, {})".format(*wanted.values.shape)
        assert f"Shape {shape}" in picture["caption"]
        assert shape in picture["alt"]
        assert f"Largest number {np.abs(drawn).max():.3f}" in picture["alt"]
        zeros = (wanted.values == 0).mean()  # a small feed-forward may have none of its units on
        said = f"{zeros:.0%} of the numbers are" if zeros else "No number is"
        assert picture["caption"].endswith(f"{said} exactly 0.")
        part, stop = wanted.title.split(": ")
        assert f"**{part.capitalize()}: {stop}**" in texts(at)
        check_table(components(at)["token-statistics"], wanted, words)
        if part == "memory":  # what follows are the target's tokens
            end = ["EOS", *2 * pad] if row else []
            words = ["BOS", *PAIRS[row][1].split(), *end]


@pytest.mark.parametrize("name", ["post-norm", "pre-norm"])
def test_change_is_the_difference_to_what_a_stop_was_made_from(name: str) -> None:
    settings = MODELS[name]
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings)
    for number, wanted in enumerate(ByTorch(settings, 0).way):
        go(at, number, stop_shows="change")
        picture = pictures(at)["stop_picture"]
        shown = known_columns(wanted.title, wanted.values)
        if wanted.before is None:
            assert "stop_shows" not in [control.key for control in at.segmented_control]
            assert "Change from" not in picture["caption"]
            np.testing.assert_allclose(numbers(picture), shown, atol=2e-5, err_msg=wanted.title)
        else:
            moved = wanted.values - wanted.before
            np.testing.assert_allclose(
                numbers(picture), moved[:, :SHOWN], atol=4e-5, err_msg=wanted.title
            )
            assert "Change from its input." in picture["caption"]


def test_the_zeros_that_are_counted_are_those_that_are_drawn() -> None:
    """A post-norm model hands on its last layer as memory: the change is 0 everywhere."""
    at = open_page("stack", **state_of(PAIRS, pair=1), stop_shows="change")
    picture = pictures(go(at, 11))["stop_picture"]
    assert (numbers(picture) == 0).all()
    assert "100% of the numbers are exactly 0" in picture["caption"]


def test_ids_are_named_as_the_sentences_name_them() -> None:
    """Typed ids have a PAD of their own, and neither BOS nor EOS."""
    state = state_of([("2 3 4 1", "3 2 1 1")], tokens="ids", pad_id=1)
    at = open_page("stack", **state)
    go(at, 28)
    picture = pictures(at)["stop_picture"]
    assert "1 · 2" in [line[0] for line in components(at)["token-statistics"]["rows"]]
    names = [re.sub("<[^>]*>", "", name) for name in labels(picture["spec"], "x").values()]
    assert names[0].endswith("0")
    assert names[1] == "PAD"
    assert names[2].endswith("2")


@pytest.mark.parametrize(("rate", "kept"), [(0.5, "50%"), (0.1, "90%")])
def test_dropout_sets_numbers_to_zero_and_says_so(rate: float, kept: str) -> None:
    way = ByTorch({}, 0).way
    at = open_page("stack", **state_of(PAIRS, pair=1), dropout=rate, dropout_seed=4)
    for number in (2, 14):
        assert way[number].title.endswith("+ position")
        picture = pictures(go(at, number))["stop_picture"]
        drawn = numbers(picture)
        dropped = drawn == 0
        assert dropped.mean() == pytest.approx(rate, abs=0.08)
        undropped = way[number].values / (1 - rate)
        np.testing.assert_allclose(drawn[~dropped], undropped[~dropped], rtol=1e-4, atol=1e-5)
        assert f"{100 * dropped.mean():.0f}% of the numbers are exactly 0" in picture["caption"]
        said = next(line for line in texts(at).splitlines() if line.startswith("Why are some"))
        assert f"kept with probability {kept} and scaled up by 1/{1 - rate}" in said
    before = numbers(pictures(go(at, 2))["stop_picture"])
    go(at, 2, dropout_seed=5)
    assert ((numbers(pictures(at)["stop_picture"]) == 0) != (before == 0)).any()
    go(at, 2, dropout=0.0)
    assert (numbers(pictures(at)["stop_picture"]) != 0).all()
    assert "Why are some" not in texts(at)
    assert "Switch dropout on" in texts(at)


def test_a_wide_model_sends_64_columns_and_computes_with_all() -> None:
    settings = {"d_model": 512, "heads": 8, "enc": 1, "dec": 1}
    way = ByTorch(settings, 0).way
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings)
    for number, wanted in enumerate(way):
        go(at, number)
        for key, picture in pictures(at).items():
            if key != "four_numbers":
                assert numbers(picture).shape[1] <= 64, (wanted.title, key)
        picture = pictures(at)["stop_picture"]
        if wanted.values.shape[1] == 512:
            assert "(7, 512)" in picture["caption"] or "(6, 512)" in picture["caption"]
            assert "dimensions 0 to 63 of 512" in picture["caption"]
            np.testing.assert_allclose(numbers(picture), wanted.values[:, :64], atol=1e-4)
        norm = np.linalg.norm(wanted.values.astype(np.float64), axis=1)
        rows = components(at)["token-statistics"]["rows"]
        np.testing.assert_allclose([value_of(row[3]) for row in rows], norm, atol=1e-3)
