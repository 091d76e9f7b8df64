"""The answer that the page *Decoding* shows: by which method, and with whose words."""

from dataclasses import replace
from typing import Any
from zlib import crc32

from explorer.answers.asking import limit_of
from explorer.choices.parameters import Decoding, Frame
from explorer.choices.settings import Settings
from explorer.runtime.engine import engine
from explorer.runtime.generation import DecodingOptions, Generation, generate
from explorer.text import Answer
from explorer.ui.controls.choices import chosen, on_show, value
from explorer.ui.frame.running import tell
from explorer.views.decoding import Writing, beginning, writes_nothing

Places = tuple[tuple[int, int], ...]  # in an answer, from 0, each with the id that is written there


def options_on_show(settings: Settings) -> DecodingOptions:
    """The chosen method with its options."""
    method = value(Decoding.method)
    if method == "beam":
        return DecodingOptions(method, width=value(Decoding.width))
    if method == "greedy":
        return DecodingOptions(method, instead=own_words(settings))
    top_k: Any = value(Decoding.top_k)
    return DecodingOptions(
        method,
        temperature=value(Decoding.heat),
        top_k=None if top_k == "all" else top_k,
        top_p=value(Decoding.top_p),
        seed=value(Decoding.dice),
    )


def written(settings: Settings, options: DecodingOptions) -> Generation:
    """The answer to the source on show."""
    batch, row = settings.batch(), settings.row
    source, has_encoder = settings.sources[row], settings.config.has_encoder
    _, prompt = beginning(settings.tokenizer, batch, row, source, has_encoder=has_encoder)
    return generate(
        engine(),
        settings.request,
        batch.sources[row : row + 1],
        replace(options, limit=limit_of(settings, batch, row)),
        specials=batch.specials,
        prompt=prompt,
        tell=tell,
    )


def answer_here(settings: Settings) -> Answer | None:
    """The answer on show, unless it is the greedy one, which all pages show."""
    options = options_on_show(settings)
    if options == DecodingOptions() or writes_nothing(settings.tokenizer):
        return None
    words = written(settings, options).words
    return Answer.of(
        [word.chosen for word in words],
        settings.batch().specials,
        [float(word.probabilities[word.chosen]) for word in words],
    )


def own_words(settings: Settings) -> Places:
    """The words that the visitor has put into the answer to this sentence of this model."""
    of, *places = (chosen(Decoding.own_words) or "").split("-")
    if of != _name(settings):
        return ()
    on_show()[Decoding.own_words.key] = chosen(Decoding.own_words)
    pairs = (tuple(map(int, place.split("."))) for place in places)
    return tuple((at, word) for at, word in pairs if word < settings.config.tgt_vocab_size)


def with_own_word(settings: Settings, writing: Writing, word: int) -> str | None:
    """The choice that puts a word into the place in focus: the model goes on from there."""
    places = [place for place in own_words(settings) if place[0] < writing.at]
    if word != writing.word.candidates.argmax():
        places.append((writing.at, word))
    return "-".join([_name(settings), *(f"{at}.{id_}" for at, id_ in places)]) if places else None


def _name(settings: Settings) -> str:
    """The sentence and the model, in four digits: in another answer, the words are out of place."""
    text = f"{value(Frame.weights)} {settings.sources[settings.row]}"
    return f"{crc32(text.encode(errors='replace')) & 0xFFFF:04x}"
