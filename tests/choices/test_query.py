"""Addresses: values are corrected before a widget gets them, and written back."""

import string
from typing import Any

import pytest

from explorer.choices.parameters import AROUND, PARAMETERS
from explorer.choices.query import VERSION, read_address, write_address
from explorer.markdown import literal
from explorer.runtime.device import available_devices


def test_the_usual_values_are_left_out_and_possible() -> None:
    assert write_address({}, PARAMETERS) == {}
    for key, parameter in PARAMETERS.items():
        usual, domain = parameter.of({}), parameter.within({})
        assert usual is None or domain.read(domain.write(usual)) == usual, key


def test_only_the_keys_that_are_asked_for_are_written() -> None:
    chosen = {"d_model": 128, "layer": 2}
    weights = {"weights": "translator", **VERSION}
    assert write_address(chosen, ["layer"]) == {"layer": "2"} | weights
    assert write_address(chosen, AROUND) == {"d_model": "128"} | weights
    assert write_address({"weights": "copy"}, []) == {}
    with_text = write_address({"weights": "copy"}, [], {"src": "x"})
    assert with_text == {"src": "x", "weights": "copy", **VERSION}


def test_an_address_without_weights_means_the_usual_ones() -> None:
    assert read_address({}) == ({}, [])
    assert read_address({"utm_source": "mail"}) == ({}, [])
    for params in ({"src": "x"}, {"layer": "2"}, {"questions": "4", "lang": "de"}):
        assert read_address(params | VERSION)[0].keys() == params.keys()


def test_an_address_without_a_version_has_two_pairs_and_their_pad() -> None:
    before = {"pairs": 2, "hide_pad": False}
    assert read_address({"src": "x", "lang": "de"})[0] == {"src": "x", "lang": "de", **before}
    assert read_address({"pairs": "3", "hide_pad": "true"})[0] == {"pairs": 3, "hide_pad": True}
    assert read_address({"layer": "2", **VERSION})[0] == {"layer": 2}
    assert read_address({"weights": "untrained"})[0] == {"weights": "untrained", **before}


@pytest.mark.parametrize(
    ("given_", "chosen"),
    [
        ({"d_model": "abc"}, {}),
        ({"d_model": "inf"}, {}),
        ({"d_model": "64.0"}, {}),
        ({"d_model": "7"}, {"d_model": 8}),
        ({"d_model": "5000"}, {"d_model": 1024}),
        ({"d_model": "9" * 5000}, {}),
        ({"heads": "7"}, {"heads": 4}),
        ({"heads": "abc"}, {"heads": 4}),
        ({"heads": "7", "d_model": "30"}, {"heads": 6, "d_model": 30}),
        ({"heads": "8", "d_model": "61"}, {"heads": 1, "d_model": 61}),
        ({"heads": "64", "d_model": "1024"}, {"heads": 32, "d_model": 1024}),
        ({"head": "5", "d_model": "61"}, {"head": 1, "d_model": 61}),
        ({"layer": "3"}, {"layer": 2}),
        ({"layer": "5", "dec": "5", "attention": "cross"}, {"layer": 5, "dec": 5,
                                                            "attention": "cross"}),
        ({"layer": "5", "dec": "5"}, {"layer": 2, "dec": 5}),
        ({"pair": "3"}, {"pair": 2}),
        ({"pair": "20", "pairs": "20"}, {"pair": 16, "pairs": 20}),
        ({"side": "up"}, {}),
        ({"dropout": "0.4"}, {}),
        ({"device": "toaster"}, {}),
        ({"seed": "1000000"}, {"seed": 999_999}),
        ({"task": "quotes"}, {}),
        ({"tgt2": "x"}, {"tgt2": "x"}),
        ({"lr": "1,234"}, {}),
        ({"lr": "nan"}, {}),
        ({"top_k": "4"}, {}),
        ({"at": "0"}, {"at": 1}),
        ({"run": "../../etc"}, {}),
        ({"hide_pad": "yes"}, {}),
    ],
)  # fmt: skip
def test_impossible_values_are_corrected_with_a_note(
    given_: dict[str, str], chosen: dict[str, Any]
) -> None:
    untrained = {} if "weights" in given_ else {"weights": "untrained"}
    found, notes = read_address(untrained | given_ | VERSION)
    assert found == untrained | chosen
    wrong = {key for key in given_ if key in PARAMETERS and str(chosen.get(key)) != given_[key]}
    assert len(notes) == len(wrong)
    for note in notes:
        (key,) = [key for key in wrong if f"link's {key}=" in note]
        limited = PARAMETERS[key].limited_by_page
        used = "another value" if limited else str(chosen.get(key, "another value"))
        assert f"{used} is used" in note


@pytest.mark.parametrize(
    ("given_", "chosen"),
    [
        ({"heat": "2"}, {"heat": 2.0}),
        ({"top_p": "1"}, {"top_p": 1.0}),
        ({"dropout": ".10"}, {"dropout": 0.1}),
        ({"base": "1000.0"}, {"base": 1000}),
        ({"lr": "0.0200"}, {"lr": 0.02}),
        ({"d_model": "+096"}, {"d_model": 96}),
        ({"clip": "0"}, {"clip": 0.0}),
        ({"top_k": "all"}, {"top_k": "all"}),
    ],
)
def test_a_number_may_be_written_in_any_way(given_: dict[str, str], chosen: dict[str, Any]) -> None:
    assert read_address(given_ | VERSION) == (chosen, [])


def test_a_language_is_no_choice_of_weights() -> None:
    assert read_address({"lang": "de"}) == ({"lang": "de"}, [])
    assert write_address({"weights": "translator", "lang": "ko"}, ["lang"]) == {"lang": "ko"}
    assert read_address({"language": "de"}) == ({"lang": "de"}, [])  # as people type it
    assert read_address({"language": "de", "lang": "fr"}) == ({"lang": "fr"}, [])
    assert read_address({"language": "Python"}) == ({}, [])
    chosen, notes = read_address({"lang": "<b>"})
    assert chosen == {}
    assert notes == [
        "The link's lang=<b> is not possible (one of en, de, es, fr, ko, zh): another value is "
        "used."
    ]


def test_a_target_in_a_link_is_to_be_read() -> None:
    assert read_address({"tgt": "x", **VERSION})[0] == {"tgt": "x", "typed_target": True}
    assert read_address({"tgt": "x", "typed_target": "false"})[0]["typed_target"] is False
    assert read_address({"tgt": "", **VERSION})[0] == {"tgt": ""}
    # Of an untrained model every target is typed. That must not outlive it.
    untrained = {"weights": "untrained", "tgt": "x"}
    assert read_address(untrained | VERSION)[0] == untrained


def test_the_shape_of_the_weights_limits_dependent_choices() -> None:
    wide = {"head": "8", "layer": "4"}
    assert read_address({"weights": "translator", **wide})[1] == []
    assert len(read_address({"weights": "reverse", **wide})[1]) == 2


def test_unknown_parameters_are_ignored_and_sentences_stay_unchanged() -> None:
    params = {"src": "<b>x</b> ", "tgt3": "9" * 2000, "utm_source": "mail", "": "?"}
    assert read_address(params | VERSION) == ({"src": "<b>x</b> ", "tgt3": "9" * 2000}, [])


@pytest.mark.parametrize("broken", ["line1\nline2", "line1\r\nline2", "line1\rline2"])
def test_a_line_break_is_a_space_since_no_field_of_one_line_can_show_it(broken: str) -> None:
    """The HTML standard: the value of a text field has its line feeds and returns stripped."""
    assert read_address({"src": broken, "other_sentence": broken, **VERSION}) == (
        {"src": "line1 line2", "other_sentence": "line1 line2"},
        [],
    )


def test_a_page_that_does_not_exist_is_named() -> None:
    chosen, (note,) = read_address({"no_page": "noäge", "layer": "1", **VERSION})
    assert note.startswith("There is no page “noäge”: this is Home.")
    assert chosen == {"layer": 1}


def test_a_note_is_text_whatever_the_link_says() -> None:
    (note,) = read_address({"norm": "[x](http://evil) <b>*pre*</b> " + string.punctuation})[1]
    assert "\\[x\\]" in literal(note)
    assert len(note) < 150


def test_devices_are_those_of_this_machine() -> None:
    for device in available_devices():
        assert read_address({"device": device, **VERSION}) == ({"device": device}, [])
