"""The links to the recorded pages: their choices, and which parts are unfolded."""

from typing import Any, Final

from explorer.choices.parameters import PARAMETERS, TEXT_KEYS
from explorer.views.positions import OF_ENCODING

SENTENCE: Final = {"src": "the cat that I saw was tired", "tgt": "tired was saw I that cat the"}
SMALL: Final = {"d_model": 32, "heads": 2, "enc": 1, "dec": 1, "weights": "untrained"}
PADDED: Final = {"pairs": 2, "src2": "a dog", "tgt2": "dog a", "length": 9}
REVERSE: Final = {"weights": "reverse"}
TASK: Final = {**REVERSE, **SENTENCE}
LONG: Final = {"weights": "translator", "src": "I think that the old man has never seen the sea."}
TAKE: Final = {"drawer": "take"}

# Where a choice has words of its own, it is a link of its own; else two are enough.
LINKS: Final[dict[str, list[dict[str, Any]]]] = {
    "home": [{**SMALL, **SENTENCE, **PADDED, "enc": 3, "side": "left"}, {**LONG, **TAKE, "at": 4}],
    "tour": [{"tour": 13}],
    "tokens": [
        {**TASK, **PADDED, "tokens": "subwords", **TAKE},
        {**SMALL, **PADDED, "pad_id": 7},
    ],
    "masks": [
        *({**TASK, **PADDED, "attention": k, **TAKE} for k in ("encoder", "decoder", "cross")),
        {**TASK, **PADDED, "rule": "columns", "additive_length": 5, "query": 3, "key": 4},
    ],
    "positions": [
        *({**SMALL, "aspect": a} for a in (*OF_ENCODING, "inputs")),
        {**REVERSE, "aspect": "order"},
        {**SMALL, "formula": "doubled", "positions": 20, "base": 100, "dimension": 3, **TAKE},
    ],
    "attention": [
        *({**TASK, **TAKE, "attention": k, "layer": 1, "head": 2} for k in ("encoder", "decoder")),
        {**REVERSE, **PADDED, "query": 3, "key": 2, "drawer": "numbers", "hide_pad": True},
        {**TASK, "attention": "encoder", "layer": 2, "drawer": "heads"},
    ],
    "steps": [
        *({**TASK, "step": s} for s in ("x", "qkv", "scores", "mask", "softmax", "context")),
        {**TASK, "form": "matrix", "step": "concat", **TAKE},
        {**REVERSE, "case": "two_heads"},
        {**TASK, "unscaled": True, "off_head": 1, "step": "out"},
    ],
    "stack": [
        *({**TASK, "stack_shows": shows} for shows in ("stop", "stream")),
        {**TASK, "word": 2, **TAKE},
        {**TASK, "stop": 5, "stop_shows": "change", "word": 2},
    ],
    "training": [
        {**REVERSE, "task": "german", "learning": "encoder", "learning_layer": 2, **TAKE},
        {"drawer": "options"},
    ],
    "decoding": [
        {**TASK, "method": "beam", "width": 3, "writing_layer": 1, **TAKE},
        {**LONG, "method": "sampling", "heat": 2.0, "top_k": 10, "dice": 3},
    ],
    "why": [
        *({**TASK, "ask": ask, **TAKE} for ask in ("words", "heads", "score")),
        {**LONG, "ask": "difference"},
        {**LONG, "why_at": 4, "rival": "Donaudampfschiff"},
    ],
    "predict": [
        {"kind": "cross_row", **TASK},
        {"topic": "steps", "questions": 5, "question": 2, "another_set": True, **TASK},
        {"topic": "why", "question": 3, **TASK},
    ],
    "lab": [{**TASK, "differs": differs} for differs in ("sentence", "head", "mistake")],
    "room": [],
    "glossary": [{"term": "beam-search"}],
}


def links_to(page: str) -> list[dict[str, Any]]:
    """All recorded links to a page, first as a newcomer finds it; their names differ."""
    return [{}, *LINKS[page]]


def name_of(link: dict[str, Any]) -> str:
    """A readable name of a link; unfolded parts, which no address contains, in brackets."""
    kept = {key: value for key, value in link.items() if key in PARAMETERS or key in TEXT_KEYS}
    unfolded = [f"[{key}]" for key in link if key not in kept]
    return " ".join([*(f"{key}={value}" for key, value in kept.items()), *unfolded]) or "(nothing)"
