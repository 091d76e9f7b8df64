"""Addresses that say nothing possible are mended before a widget sees them."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.runtime.device import available_devices
from explorer.ui.settings import (
    ASPECTS,
    CASES,
    CHECKS,
    COLOURS,
    LIMITED_BY_PAGE,
    MISTAKES,
    STREAM_MEASURES,
    clean_query,
    default_heads,
)
from explorer.ui.steps.step_views import STEPS

# What the widgets accept, written down a second time.
WHOLE = {
    "pairs": (1, 20),
    "pad_id": (0, 999),
    "length": (1, 128),
    "d_model": (8, 1024),
    "enc": (1, 6),
    "dec": (1, 6),
    "d_ff": (1, 8192),
    "dropout_seed": (0, 999_999),
    "seed": (0, 999_999),
    "positions": (8, 256),
    "stop": (0, 999),
    "query": (0, 128),
    "key": (0, 128),
    "word": (0, 128),
    "longest": (4, 24),
    "steps": (50, 20_000),
    "warmup": (0, 10_000),
    "batch": (4, 256),
    "train_seed": (0, 999_999),
    "dice": (0, 999_999),
    "at": (1, 999),
    "writing_layer": (1, 6),
    "learning_layer": (1, 6),
}
DECIMAL = {"lr": (0.00001, 0.1), "smoothing": (0, 0.5), "clip": (0, 100), "lone": (0, 0.9)}
TASKS = {"reverse", "copy", "sort", "numbers", "german"}
CHOICES = {
    "tokens": {"words", "characters", "ids"},
    "side": {"right", "left"},
    "norm": {"post", "pre"},
    "dropout": {"0.0", "0.1", "0.2", "0.3", "0.5"},
    "attention": {"encoder", "decoder", "cross"},
    "scale": set(COLOURS),
    "hide_pad": {"true", "false"},
    "base": {"10", "100", "1000", "10000", "100000"},
    "formula": {"paper", "doubled exponent"},
    "scaled": {"true", "false"},
    "rule": set(MISTAKES),
    "aspect": set(ASPECTS),
    "input": {"sentence on show", "six ids, d_model 4"},
    "device": set(available_devices()),
    "case": set(CASES),
    "form": {"vector", "matrix"},
    "step": set(STEPS),
    "which": {"q", "k", "v"},
    "unscaled": {"true", "false"},
    "unmasked": {"true", "false"},
    "temperature": {"0.1", "0.25", "0.5", "1.0", "2.0", "4.0", "10.0"},
    "stop_shows": {"values", "change"},
    "stream": set(STREAM_MEASURES),
    "weights": {*TASKS, "quotes", "trained here", "untrained"},
    "typed_target": {"true", "false"},
    "task": {*TASKS, "your own pairs"},
    "schedule": {"warm-up, then to 0", "the paper's", "constant"},
    "learning": {"encoder", "decoder", "cross"},
    "method": {"greedy", "beam search", "sampling"},
    "width": {"1", "2", "3", "4", "6", "8"},
    "heat": {"0.1", "0.25", "0.5", "1.0", "2.0", "4.0", "10.0"},
    "top_k": {"1", "2", "3", "5", "10", "20", "all"},
    "top_p": {"0.1", "0.3", "0.5", "0.7", "0.8", "0.9", "0.95", "1.0"},
}
DIGITS = r"0|[1-9][0-9]{0,8}"
PLACES = r"[+-]?([0-9]{1,6}(\.[0-9]{0,12})?|\.[0-9]{1,12})"
NAMES = [*WHOLE, *DECIMAL, *CHOICES, "heads", "head", "off_head", "layer", "pair", "tgt"]
NUMBERS = st.one_of(
    st.integers(-5, 2000), st.integers(), st.floats(), st.floats(-0.1, 1).map("{:.3f}".format)
).map(str)
WORDS = st.sampled_from([*sorted(set().union(*CHOICES.values())), "", "+8", "08", "-0", "٣", "1_0"])
VALUES = st.one_of(st.text(), NUMBERS, WORDS)
ADDRESSES = st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text()), VALUES)


def possible(address: Mapping[str, str]) -> dict[str, set[int]]:
    """What the controls offer whose choices depend on other controls of the same address."""
    number = {name: int(value) for name, value in address.items() if re.fullmatch(DIGITS, value)}
    d_model = number.get("d_model", 64)
    heads = {count for count in range(1, 33) if d_model % count == 0}
    usual = max(count for count in heads if count <= 4)
    stack = "enc" if address.get("attention", "encoder") == "encoder" else "dec"
    return {
        "heads": heads,
        "head": set(range(1, number.get("heads", usual) + 1)),
        "off_head": set(range(1, number.get("heads", usual) + 1)),
        "layer": set(range(1, number.get(stack, 2) + 1)),
        "pair": set(range(1, min(16, number.get("pairs", 2)) + 1)),
    }


def accepted(name: str, value: str, address: Mapping[str, str]) -> bool:
    """Whether a widget takes the value as it stands in the (mended) address."""
    offers = possible(address)
    if name in WHOLE or name in offers:
        if not re.fullmatch(DIGITS, value):
            return False
        low, high = WHOLE.get(name, (0, 10**6))
        return low <= int(value) <= high and (name not in offers or int(value) in offers[name])
    if name in DECIMAL:
        low, high = DECIMAL[name]
        return bool(re.fullmatch(PLACES, value)) and low <= float(value) <= high
    return name not in CHOICES or value in CHOICES[name]


def test_every_checked_parameter_is_known_here() -> None:
    assert set(CHECKS) <= set(NAMES)


@given(ADDRESSES)
@example({"d_model": "8", "heads": "9999"})
@example({"d_model": "abc", "heads": "64"})
def test_every_value_that_survives_is_one_the_widgets_accept(params: dict[str, str]) -> None:
    clean, notes = clean_query(params)
    # A link with a target wants it to be read, where the model could answer in its place.
    added = {"typed_target"} if params.get("tgt") else set()
    assert set(params) >= set(clean) - added
    assert not added or "typed_target" in clean
    assert all(accepted(name, value, clean) for name, value in clean.items())
    kept = {name for name in params if clean.get(name) == params[name]}
    assert len(notes) == len(set(params) - kept)
    assert clean_query(clean) == (clean, [])  # mended once, mended for good


@given(ADDRESSES)
def test_what_is_possible_stays_and_so_does_what_is_nobodys_business(
    params: dict[str, str],
) -> None:
    clean, _ = clean_query(params)
    for name, value in params.items():
        if accepted(name, value, clean):
            assert clean[name] == value


@pytest.mark.parametrize(
    ("given_", "clean"),
    [
        ({"d_model": "abc"}, {}),
        ({"d_model": "inf"}, {}),
        ({"d_model": "1e999"}, {}),
        ({"d_model": "nan"}, {}),
        ({"d_model": "６４"}, {}),
        ({"d_model": "64.0"}, {}),
        ({"d_model": "7"}, {"d_model": "8"}),
        ({"d_model": "-3"}, {"d_model": "8"}),
        ({"d_model": "5000"}, {"d_model": "1024"}),
        ({"d_model": "9" * 5000}, {}),
        ({"heads": "7"}, {"heads": "4"}),
        ({"heads": "abc"}, {"heads": "4"}),
        ({"heads": "0"}, {"heads": "1"}),
        ({"heads": "3", "d_model": "30"}, {"heads": "3", "d_model": "30"}),
        ({"heads": "7", "d_model": "30"}, {"heads": "6", "d_model": "30"}),
        ({"heads": "8", "d_model": "61"}, {"heads": "1", "d_model": "61"}),
        ({"heads": "64", "d_model": "1024"}, {"heads": "32", "d_model": "1024"}),
        ({"heads": "8", "head": "8"}, {"heads": "8", "head": "8"}),
        ({"head": "5"}, {"head": "4"}),
        ({"head": "5", "d_model": "61"}, {"head": "1", "d_model": "61"}),
        ({"layer": "3"}, {"layer": "2"}),
        (
            {"layer": "5", "dec": "5", "attention": "cross"},
            {"layer": "5", "dec": "5", "attention": "cross"},
        ),
        ({"layer": "5", "dec": "5"}, {"layer": "2", "dec": "5"}),
        ({"pair": "3"}, {"pair": "2"}),
        ({"pair": "20", "pairs": "20"}, {"pair": "16", "pairs": "20"}),
        ({"dec": "99"}, {"dec": "6"}),
        ({"enc": "0"}, {"enc": "1"}),
        ({"side": "up"}, {}),
        ({"tokens": "Words"}, {}),
        ({"dropout": "0.4"}, {}),
        ({"device": "toaster"}, {}),
        ({"seed": "1000000"}, {"seed": "999999"}),
        ({"weights": "Reverse"}, {}),
        ({"weights": "your own pairs"}, {}),
        ({"task": "quotes"}, {}),
        ({"task": "your own pairs"}, {"task": "your own pairs"}),
        ({"tgt": "x"}, {"tgt": "x", "typed_target": "true"}),
        ({"tgt": "x", "typed_target": "false"}, {"tgt": "x", "typed_target": "false"}),
        ({"tgt": "x", "typed_target": "no"}, {"tgt": "x", "typed_target": "true"}),
        ({"tgt": ""}, {"tgt": ""}),
        ({"tgt2": "x"}, {"tgt2": "x"}),
        ({"steps": "10"}, {"steps": "50"}),
        ({"longest": "99"}, {"longest": "24"}),
        ({"lr": "0.02"}, {"lr": "0.02"}),
        ({"lr": "1"}, {}),
        ({"lr": "1e-3"}, {}),
        ({"lr": "nan"}, {}),
        ({"lr": "0"}, {}),
        ({"clip": "0"}, {"clip": "0"}),
        ({"lone": "0.95"}, {}),
        ({"smoothing": "٠"}, {}),
        ({"width": "5"}, {}),
        ({"top_k": "4"}, {}),
        ({"top_p": "1"}, {}),
        ({"at": "0"}, {"at": "1"}),
        ({"method": "beam"}, {}),
    ],
)
def test_explicit_cases(given_: dict[str, str], clean: dict[str, str]) -> None:
    found, notes = clean_query(given_)
    assert found == clean
    changed = [name for name in given_ if clean.get(name) != given_[name]]
    assert len(notes) == len(changed)
    for name, note in zip(changed, notes, strict=True):
        assert f"{name}={given_[name][:20]}" in note
        assert len(note) < 250
        if name in clean:
            # How many words or stops there are, only a page knows.
            used = "the nearest one" if name in LIMITED_BY_PAGE else clean[name]
            assert f"{used} is used" in note


def test_sentences_and_strangers_pass_untouched() -> None:
    params = {"src": "<b>x</b> ", "tgt3": "9" * 4000, "utm_source": "mail", "": "?"}
    assert clean_query(params) == (params, [])


@pytest.mark.parametrize(
    ("d_model", "wanted", "heads"),
    [(64, 4, 4), (64, 7, 4), (61, 4, 1), (62, 4, 2), (63, 4, 3), (96, 5, 4), (8, 32, 8), (8, 0, 1)],
)
def test_default_heads_divide_d_model(d_model: int, wanted: int, heads: int) -> None:
    assert default_heads(d_model, wanted) == heads
