"""What a picture shows, for its caption: sentence, weights, and the choices of the page."""

from typing import Final

from explorer.text import Answer
from explorer.ui.controls.choices import on_show
from explorer.ui.settings import Settings

# By key: the choice in words.
_WORDS: Final = {
    "attention": "{} attention",
    "layer": "layer {}",
    "head": "head {}",
    "query": "query {}",
    "key": "key {}",
    "stop": "stop {}",
    "word": "word {}",
    "base": "base {}",
    "formula": "{} formula",
    "positions": "{} positions",
    "method": "{}",
    "at": "word {}",
    "writing_layer": "layer {}",
    "learning": "{} attention",
    "learning_layer": "layer {}",
    "replay": "step {}",
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
    named = (
        f"untrained weights, seed {settings.request.seed}"
        if learnt is None
        else f"{', '.join(dict.fromkeys((learnt.name, learnt.title)))}: {learnt.quality}"
    )
    layers = f"{config.n_encoder_layers} + {config.n_decoder_layers} layers"
    dropout = (
        "" if settings.dropout_seed is None else f", dropout on (seed {settings.dropout_seed})"
    )
    return f"Weights: {named}; d_model {config.d_model}, {config.n_heads} heads, {layers}{dropout}"


def choices_in_words() -> list[tuple[str, str, str]]:
    """The choices of the page that say what its pictures show: key, words, value."""
    return [
        (key, _WORDS[key], str(value))
        for key, value in on_show().items()
        if key in _WORDS and value is not None
    ]
