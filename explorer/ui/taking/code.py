"""The code for the pictures of a page, with its sentences, model and choices."""

from collections.abc import Callable
from typing import Any, Final

from explorer.export.code import Scene, picture_code
from explorer.names import ATTENTION_KINDS
from explorer.text import Answer
from explorer.tokenizer import IdTokenizer, TextTokenizer
from explorer.ui.controls.choices import on_show
from explorer.ui.settings import Settings
from explorer.weights.catalogue import (
    TRANSLATOR,
    UNTRAINED,
    Pretrained,
    Shipped,
    TrainedHere,
    tokenizer,
)
from explorer.weights.huggingface.shelf import shown_name
from explorer.weights.pieces import SubwordTokenizer

Call = tuple[str, dict[str, Any], int]  # the method, its arguments, the number of the picture


def scene(settings: Settings) -> Scene | None:
    """What `explorer.explore` needs for this page; None where it cannot make the same."""
    source, config = settings.request.source, settings.config
    untrained = source == UNTRAINED
    if settings.dropout_seed is not None and not untrained:
        return None
    read = _tokenizer(settings)
    if read is None:
        return None
    expression, imports = read
    typed = [None if isinstance(text, Answer) else text for text in settings.targets]
    model, note = _model(settings)
    return Scene(
        sources=settings.sources,
        targets=typed if any(text is not None for text in typed) else None,
        model=model,
        note=note,
        config=config if untrained else None,
        seed=settings.request.seed,
        tokenizer=expression,
        imports=imports,
        side=settings.side,
        length=settings.length,
        dropout_seed=settings.dropout_seed,
        row=min(settings.row, len(settings.batch().src) - 1),
    )


def code_for(settings: Settings, key: str) -> str | None:
    """The code for the picture with this key; None where there is none."""
    found, make = scene(settings), _CALLS.get(key)
    call = None if make is None else make(on_show())
    if found is None or call is None:
        return None
    method, arguments, number = call
    given = {name: value for name, value in arguments.items() if value is not None}
    return picture_code(found, method, given, number)


def _model(settings: Settings) -> tuple[str, str]:
    """The name of a trained model for `explorer.load`, and where it comes from."""
    source = settings.request.source
    if isinstance(source, Shipped):
        return source.name, ""
    if isinstance(source, TrainedHere):
        return "weights.safetensors", "The file that the Training page saves."
    if isinstance(source, Pretrained) and source.token:
        return "my-model", "The folder of the files that you loaded."
    if isinstance(source, Pretrained):
        name = shown_name(source.name)
        return name, f"Added once, in a terminal: transformer-explorer add {name}"
    return "", ""


def _tokenizer(settings: Settings) -> tuple[str, list[str]] | None:
    """The expression for the tokenizer, and its imports; nothing for the model's own."""
    source, read = settings.request.source, settings.tokenizer
    if read == tokenizer(source):
        return "", []
    if isinstance(read, TextTokenizer | IdTokenizer):
        return repr(read), [f"from explorer.tokenizer import {type(read).__name__}"]
    if isinstance(read, SubwordTokenizer):
        return f'explorer.load("{TRANSLATOR}").tokenizer', []
    return None


def _place(shown: dict[str, Any]) -> dict[str, Any]:
    """Kind, layer and head, which count from 0 in code."""
    if shown.get("attention") not in ATTENTION_KINDS:
        return {}
    return {
        "kind": shown["attention"],
        "layer": shown["layer"] - 1,
        "head": shown.get("head", 1) - 1,  # Step by step offers none where there is only one
    }


def _attention(number: int) -> Callable[[dict[str, Any]], Call | None]:
    def call(shown: dict[str, Any]) -> Call:
        hide = {"hide_pad": True} if shown.get("hide_pad") else {}
        return "attention", _place(shown) | hide, number

    return call


def _heads(shown: dict[str, Any]) -> Call:
    place = _place(shown)
    place.pop("head", None)
    return "heads", place, 0


def _masks(which: str) -> Callable[[dict[str, Any]], Call | None]:
    return lambda shown: ("masks", {"which": which}, 0)


def _one_mask(shown: dict[str, Any]) -> Call | None:
    which = {"decoder": "target", "cross": "cross"}.get(shown.get("attention", ""))
    return None if which is None else ("masks", {"which": which}, 0)


def _positions(aspect: str) -> Callable[[dict[str, Any]], Call | None]:
    def call(shown: dict[str, Any]) -> Call | None:
        given = {"aspect": aspect, "base": shown.get("base"), "formula": shown.get("formula")}
        if aspect == "inputs":
            if shown.get("input") != "sentence":
                return None
            return "positions", given | {"scaled": shown.get("scaled")}, 0
        first = {"first": shown.get("dimension")} if aspect == "waves" else {}
        return "positions", given | {"length": shown.get("positions")} | first, 0

    return call


def _steps(number: int) -> Callable[[dict[str, Any]], Call | None]:
    def call(shown: dict[str, Any]) -> Call | None:
        changed = (
            shown.get("unscaled"),
            shown.get("unmasked"),
            shown.get("temperature", 1.0) != 1.0,
            shown.get("off_head"),
        )
        if shown.get("case") != "model" or any(changed):
            return None
        cell = {name: shown.get(name) for name in ("query", "key", "form", "which")}
        return "steps", {"step": shown.get("step")} | _place(shown) | cell, number

    return call


def _stack(number: int) -> Callable[[dict[str, Any]], Call | None]:
    def call(shown: dict[str, Any]) -> Call:
        change = {"change": True} if number == 0 and shown.get("stop_shows") == "change" else {}
        return (
            "stack",
            {"stop": shown.get("stop", 0), "measure": shown.get("stream")} | change,
            number,
        )

    return call


def _decode(number: int) -> Callable[[dict[str, Any]], Call | None]:
    def call(shown: dict[str, Any]) -> Call:
        names = {"width": "width", "heat": "temperature", "top_k": "top_k", "top_p": "top_p"}
        options = {
            ours: shown[key] for key, ours in names.items() if shown.get(key) not in (None, "all")
        }
        if "dice" in shown:
            options["seed"] = shown["dice"]
        given = {"method": shown["method"], "at": shown["at"] - 1}
        layer = {"layer": shown["writing_layer"] - 1, "head": shown.get("head", 1) - 1}
        beam = shown["method"] == "beam"
        return "decode", given | layer | options, number if beam or number < 1 else number - 1

    return call


_CALLS: Final[dict[str, Callable[[dict[str, Any]], Call | None]]] = {
    "one_head": _attention(0),
    "all_heads": _attention(1),
    "heads_view": _heads,
    "one_mask": _one_mask,
    "all_target_masks": _masks("targets"),
    "src_mask": _masks("source"),
    "encoding": _positions("encoding"),
    "waves": _positions("waves"),
    "similarity": _positions("similarity"),
    "inputs": _positions("inputs"),
    "head_weights": _steps(0),
    "step_picture": _steps(1),
    "stop_picture": _stack(0),
    "stream_picture": _stack(1),
    "lens_picture": _stack(2),
    "next_words": _decode(0),
    "tree": _decode(1),
    "alignment": _decode(2),
}
