"""What a picture shows, for its caption: sentence, weights, and the choices of the page."""

from collections.abc import Mapping
from typing import Final

from explorer.analysis.attention import ATTENTION_NAMES
from explorer.languages import mark, tr, tr_n
from explorer.text import Answer
from explorer.ui.controls.choices import on_show
from explorer.ui.outside import quality_here
from explorer.ui.settings import Settings

# By key: the choice in words, or the words of each value.
_WORDS: Final[dict[str, str | Mapping[str, str]]] = {
    "attention": ATTENTION_NAMES,
    "layer": mark("layer {value}"),
    "head": mark("head {value}"),
    "query": mark("query {value}"),
    "key": mark("key {value}"),
    "stop": mark("stop {value}"),
    "word": mark("word {value}"),
    # Translators: the base of the exponent in the formula of the positional encoding.
    "base": mark("base {value}"),
    "formula": {"paper": mark("paper formula"), "doubled": mark("doubled formula")},
    "positions": mark("{value} positions"),
    "method": {
        "greedy": mark("greedy"),
        "sampling": mark("sampling"),
        "beam": mark("beam"),
    },
    "at": mark("word {value}"),
    "writing_layer": mark("layer {value}"),
    "learning": ATTENTION_NAMES,
    "learning_layer": mark("layer {value}"),
    "replay": mark("step {value}"),
}


def about(settings: Settings) -> list[str]:
    """The sentence on show and the weights, a line each."""
    batch = settings.batch()
    row = min(settings.row, len(batch.src) - 1)
    source = settings.sources[row].strip()
    target = settings.targets[row]
    if isinstance(target, Answer):
        words = batch.tgt_names([i for i in target.ids if i != batch.pad_id])
        target = settings.tokenizer.join(words)
    sentence = f"“{source}”" + (f" → “{target.strip()}”" if target.strip() else "")
    return [sentence, weights_in_words(settings)]


def weights_in_words(settings: Settings) -> str:
    """Which weights the pictures show, and the shape of their model."""
    config, learnt = settings.config, settings.learnt
    if learnt is None:
        named = tr("untrained weights, seed {seed}", seed=settings.request.seed)
    else:
        # The weights of a task have its name.
        same = learnt.task is not None and learnt.task.title == learnt.name
        names = [learnt.title] if same else dict.fromkeys((learnt.shown_name, learnt.title))
        named = f"{', '.join(names)}: {quality_here(settings)}"
    values = {
        "weights": named,
        "d_model": config.d_model,
        "heads": tr_n("{n} head", "{n} heads", config.n_heads),
        "encoder": config.n_encoder_layers,
        "decoder": config.n_decoder_layers,
    }
    if settings.dropout_seed is None:
        return tr(
            "Weights: {weights}; d_model {d_model}, {heads}, {encoder} + {decoder} layers", **values
        )
    return tr(
        "Weights: {weights}; d_model {d_model}, {heads}, {encoder} + {decoder} layers, dropout on "
        "(seed {seed})",
        **values,
        seed=settings.dropout_seed,
    )


def choices_in_words() -> list[tuple[str, str | dict[str, str], str]]:
    """The choices of the page that say what its pictures show: key, words, value.

    The words have a place for the value, or there are words for each value.
    """
    return [
        (key, _in_words(_WORDS[key]), str(value))
        for key, value in on_show().items()
        if key in _WORDS and value is not None
    ]


def _in_words(words: str | Mapping[str, str]) -> str | dict[str, str]:
    if isinstance(words, str):
        return tr(words)
    return {value: tr(said) for value, said in words.items()}
