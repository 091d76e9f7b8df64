"""Every page with every kind of setting, each opened once and asked for everything.

No run fails, the pictures are drawn and described, the address says what was asked for, every text
is translated, and nothing of it stays when it is forgotten.
"""

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Final

import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer.choices.pages import PAGES
from explorer.drawing.plotly import figure
from explorer.drawing.theme import LIGHT
from explorer.runtime import engine
from explorer.transformer import Transformer
from explorer.weights import trained_here
from explorer.weights.checkpoints import load, shipped
from tests.app.driving import (
    OF_MODELS,
    components,
    memory_of,
    open_page,
    pictures,
    session_of,
    state_of,
    texts,
)
from tests.app.marked import speak_marked, unmarked

PICTURES = {
    "home": {"model_map"},
    "tour": set(),  # a list of stops
    "tokens": {"src_ids"},
    "masks": {"one_mask", "row_at_work"},
    "positions": {"order"},
    "attention": {"heads_view", "one_head"},
    "steps": {"step_table", "step_picture"},
    "stack": {"lens_picture"},
    "training": {"learning_head", "learning_heads", "loss"},
    "decoding": {"newest_decoder", "newest_cross", "next_words"},
    "why": {"why_words", "why_waterfall", "why_parts"},
    "predict": set(),  # nothing is drawn before it is predicted
    "lab": {"lab_a", "lab_b"},  # their difference only where both have as many words
    "room": set(),  # two doors
    "glossary": {"word_list"},
}
LIKE_LLAMA: Final[dict[str, Any]] = {
    "norm": "pre", "norm_kind": "rms", "activation": "silu", "gated": True,
    "position_kind": "rotary", "bias": False, "d_k": 5,
}  # fmt: skip
LIKE_T5: Final[dict[str, Any]] = {
    "norm": "pre", "norm_kind": "rms", "position_kind": "t5", "bias": False, "divide": False,
    "multiply": False, "tying": "all",
}  # fmt: skip
# Sentences without a letter: all texts with letters belong to the interface.
IN_MARKS = {
    "lang": "de", "typed_target": True, "order_a": "11 22", "order_b": "22 11",
    **state_of([("11 22 33", "44 55"), ("66", "77")]),
}  # fmt: skip
TOY = ["2 3 4 5 6 7 8 9", "1 6 2 8 4 1 8 1", "1 1 1 1 5 1 1 1"]
MANY = [(" ".join(["word"] * 129), "ja"), *((f"word{n} here", f"Wort{n}") for n in range(1, 18))]


@cache
def extreme(value: float) -> dict[str, Any]:
    """A model whose weights all have this size, with the signs of a trained one's.

    What is not finite cannot be made JSON of: a page that tried would fail.
    """
    found = load(shipped("reverse"))
    weights = {name: value * torch.sign(w) for name, w in found.model.state_dict().items()}
    model = Transformer(found.model.config, weights=weights)
    return {"weights": "here", "run": trained_here.keep(replace(found, model=model))}


def in_turn(*rows: Any) -> Callable[[str], Any]:
    """Another of these for each page."""
    return lambda page: rows[OF_MODELS.index(page) % len(rows)]


SETTINGS: Final[dict[str, Any]] = {
    "untrained": IN_MARKS,
    "trained": {**IN_MARKS, "weights": "reverse"},
    "ids": state_of([(row, row) for row in TOY], tokens="ids", pad_id=1),
    "characters, PAD on the left, with dropout": {
        "d_model": 61, "heads": 1, "side": "left", "length": 30, "dropout": 0.3, "dropout_seed": 5,
        "drawer": "code",
        **state_of([("a bc", ""), ("d", "e")], tokens="characters"),
    },
    "like Llama, beyond the limits": {
        **LIKE_LLAMA, "enc": 1, "dec": 1, "d_model": 32, "d_ff": 16, **state_of(MANY),
    },
    "like T5, the smallest, markup": {
        **LIKE_T5, "d_model": 8, "heads": 8, "enc": 1, "dec": 1, "d_ff": 1,
        **state_of([("<b>x</b> & <pad> $y$ `z`", "**b** :red[x]")]),
    },
    "trained, padded, with dropout": {
        "weights": "german", "side": "left", "dropout": 0.5,
        **state_of([("der Hund schläft", ""), ("der Bagger schläft", "")], pair=2, length=30),
    },
    "trained on a task": in_turn(*({"weights": name} for name in ("numbers", "quotes", "sort"))),
    "an encoder alone": {"weights": "bert"},
    "a decoder alone": {"weights": "gpt2"},
    "pretrained": in_turn(*({"weights": name} for name in ("t5", "marian", "letters"))),
    "weights that overflow": lambda _: extreme(3e38),
    "weights of odd sizes": in_turn(*(lambda v=v: extreme(v) for v in (1e4, 1e-45, 0.0))),
}  # fmt: skip
MARKS: Final[dict[str, Any]] = {  # each of the others is slow
    **dict.fromkeys(("untrained", "trained"), ()),
    **dict.fromkeys(("trained, padded, with dropout", "weights of odd sizes"), pytest.mark.all),
}
PRETRAINED = ("an encoder alone", "a decoder alone", "pretrained")


def check(at: AppTest, keys: set[str]) -> None:
    """Check that these pictures are drawn, and all are described."""
    assert components(at).keys() >= keys
    for key, picture in pictures(at).items():
        assert len(picture["alt"]) > 15, key
        assert picture["minWidth"] > 0, key
        figure(picture["drawing"], LIGHT)  # plotly finds nothing wrong with it


def keys_of(page: str, kind: str, choices: dict[str, Any]) -> set[str]:
    """The pictures that a page has for sure."""
    if kind in PRETRAINED or "here" in choices.values() or (page, kind) == ("decoding", "ids"):
        return set()  # or a sentence that says why not
    guesses = page == "stack" and "weights" in choices  # with which what has learnt begins
    return {"lens_picture"} if guesses else PICTURES[page]


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        pytest.param(page, kind, marks=MARKS.get(kind, pytest.mark.slow))
        for kind in SETTINGS
        for page in (PAGES if kind == "trained" else OF_MODELS)
    ],
)
def test_it_is_drawn_described_translated_and_forgotten(
    page: str, kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    choices = SETTINGS[kind]
    choices = choices(page) if callable(choices) else choices
    choices = choices() if callable(choices) else choices
    if kind in PRETRAINED:
        request.getfixturevalue("models")
        choices = {**choices, "src": "the cat sat"}
    if "lang" in choices:
        speak_marked(monkeypatch)
    built: list[weakref.ref[Transformer]] = []

    def build(*args: Any, **more: Any) -> Transformer:
        model = Transformer(*args, **more)
        built.append(weakref.ref(model))
        return model

    monkeypatch.setattr(engine, "Transformer", build)
    at = open_page(page, **choices)
    # Nothing is said but what these settings are the reason of.
    infos = "".join(info.value for info in at.info)
    assert all("until they overflow" in error.value for error in at.error)
    assert not at.error or "here" in choices.values()
    assert not at.warning
    if kind == "ids":
        assert ("have no BOS" in infos) == (page == "decoding")
    elif kind.startswith("like Llama"):
        assert "first 16 of 18 pairs" in infos
        assert "first 128 of 129 source tokens" in infos
    elif kind not in PRETRAINED and "here" not in choices.values():
        assert not infos or kind.startswith(("characters", "like T5", "trained, padded"))
    check(at, keys_of(page, kind, choices))
    assert "drawers" not in memory_of(at)  # what they would show holds on to a model
    if kind.startswith("like"):
        link = {name: str(choices[name]).lower() for name in LIKE_LLAMA if name in choices}
        assert link.items() <= at.query_params.items()
        assert "Not as in the paper: pre-norm, RMSNorm" in texts(at)
    if "lang" in choices:
        assert unmarked(at) == set()
    if kind.startswith("characters"):
        assert any("def " in code.value for code in at.code) or page == "home"
        assert not any("jaxtyping" in code.value for code in at.code)  # the source, no wrapper
    if kind.startswith("like T5"):
        at.run()
        kept = engine.engine()
        for held in (kept.models, kept.traces, kept.encoded, kept.results):
            held.clear()
        gc.collect()  # a callback that closes over a trace would keep its model alive
        assert [model() for model in built] == [None] * len(built)
        assert session_of(at)


@pytest.mark.parametrize("name", ["home", "attention", "glossary"])
def test_a_link_with_nothing_but_a_sentence_shows_what_the_app_shows(name: str) -> None:
    at = open_page(name, weights=None, src="I like you.")
    assert session_of(at).chosen.get("weights") in (None, "translator")
    assert at.query_params["weights"] == "translator"
    assert at.query_params["src"] == "I like you."
