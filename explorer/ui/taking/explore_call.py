"""Sentences and model of a page, for the code that draws its pictures again."""

from explorer.choices.settings import Settings
from explorer.export.code import ExploreCall
from explorer.text import Answer
from explorer.tokenizer import IdTokenizer, TextTokenizer
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


def explore_call(settings: Settings) -> ExploreCall | None:
    """The arguments of `explorer.explore` for this page; None where it cannot make the same."""
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
    return ExploreCall(
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
        row=settings.row,
        hide_pad=settings.hide_pad and settings.can_hide_pad,
    )


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
