"""The content of a picture, for its caption: sentence, weights, and the page's choices."""

from collections.abc import Mapping
from typing import Final

from explorer.analysis.attention import ATTENTION_NAMES
from explorer.answers.outside import quality_here
from explorer.choices.settings import Settings
from explorer.languages import mark, tr
from explorer.text import Answer
from explorer.ui.controls.choices import on_show
from explorer.views.about import sentence_in_words, weights_in_words

# By key: the choice in words, or the words of each value.
_WORDS: Final[dict[str, str | Mapping[str, str]]] = {
    "attention": ATTENTION_NAMES,
    "layer": mark("layer {n}"),
    "head": mark("head {n}"),
    "query": mark("query {n}"),
    "key": mark("key {n}"),
    "stop": mark("stop {n}"),
    "word": mark("position {n}"),
    # Translators: the base of the exponent in the formula of the positional encoding.
    "base": mark("base {n}"),
    "formula": {"paper": mark("paper formula"), "doubled": mark("doubled formula")},
    "positions": mark("{n} positions"),
    "method": {
        "greedy": mark("greedy"),
        "sampling": mark("sampling"),
        "beam": mark("beam"),
    },
    "at": mark("word {n}"),
    "writing_layer": mark("layer {n}"),
    "learning": ATTENTION_NAMES,
    "learning_layer": mark("layer {n}"),
    "replay": mark("step {n}"),
}


def about(settings: Settings) -> list[str]:
    """The sentence on show and the weights, a line each."""
    batch = settings.batch()
    source, target = settings.sources[settings.row].strip(), settings.targets[settings.row]
    if isinstance(target, Answer):
        target = settings.tokenizer.join(batch.tgt_names(target.ids))
    quality = "" if settings.learnt is None else quality_here(settings)
    return [
        sentence_in_words(source, target.strip()),
        weights_in_words(settings.request, settings.learnt, quality, settings.dropout_seed),
    ]


def choices_in_words() -> list[str]:
    """The choices of the page that say what its pictures show."""
    return [
        _in_words(_WORDS[key], value)
        for key, value in on_show().items()
        if key in _WORDS and value is not None
    ]


def _in_words(words: str | Mapping[str, str], value: object) -> str:
    if isinstance(words, str):
        return tr(words, n=value)
    return tr(words[str(value)]) if str(value) in words else str(value)
