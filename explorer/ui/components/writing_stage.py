"""The whole model in one drawing: a sentence is read, and its answer is written piece by piece."""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from explorer.analysis.lines import Lines
from explorer.analysis.writing import Writing, WritingStep
from explorer.drawing.labels import disambiguated
from explorer.figures.describe import share_in_words
from explorer.languages import tr, tr_n
from explorer.names import ATTENTION_KINDS, SPECIALS, AttentionKind
from explorer.ui.components.component import component, theme_here

_component = component(
    "writing_stage",
    '<section class="writing" tabindex="0" role="group"><div class="picture">'
    '<div class="captions"></div><div class="words"><svg></svg></div></div>'
    '<div class="side"><span class="buttons"></span><p class="says" aria-live="polite"></p>'
    '<div class="rivals"></div></div></section>',
    together=True,
)
LEAST: Final = 0.03  # weights of the step on show below this get no line
MAX_LINES: Final = 6  # of one step


def writing_stage(
    writing: Writing,
    stacks: Mapping[AttentionKind, Lines],
    rivals: Sequence[Sequence[str]],
    *,
    head_in_words: str,
    by_model: bool,
    aligns: bool,
    on_asked: Callable[[int], None],
) -> None:
    """Draw how the answer comes about. It plays once, and follows buttons and arrow keys.

    If the attention `aligns`, the word that it looks at most stands below each piece. A click on a
    piece tells `on_asked` the position that writes it.
    `stacks` are the lines of the encoder and of the decoder, whichever the model has. `rivals` are
    the names of each step's likeliest pieces. With `by_model` the model has chosen what was
    written; else somebody typed it.
    """
    theme, places = theme_here(), {step.position for step in writing.steps}
    _component(
        key="writing_stage",
        data={
            "keys": writing.keys,
            "stacks": {
                kind: {
                    "words": lines.words,
                    "layers": lines.n_layers,
                    "lines": _packed(lines),
                }
                for kind, lines in stacks.items()
            },
            "steps": [
                _step(step, of_rivals)
                | {"named": named, "from": _source(writing, step) if aligns else ""}
                for step, of_rivals, named in zip(
                    writing.steps, rivals, _names(writing), strict=True
                )
            ],
            "end": writing.end,
            "hues": {kind: theme.hue(kind) for kind in ATTENTION_KINDS}
            | {"looked": theme.hue("cross" if len(stacks) == 2 else next(iter(stacks)))},
            "captions": dict(_captions(stacks, head_in_words, by_model=by_model)),
            "texts": _texts(stacks, head_in_words, by_model=by_model),
        },
        on={"asked": lambda at: on_asked(at) if isinstance(at, int) and at in places else None},
    )


def _packed(lines: Lines) -> str:
    """For each line, the bytes: layer, query, key, weight.

    Words after the 256th have no lines.
    """
    shown = (lines.places < 256).all(axis=1)
    weights = np.round(255 * lines.weights[shown])
    packed = np.column_stack([lines.places[shown], weights]).astype(np.uint8)
    return base64.b64encode(packed.tobytes()).decode()


def _names(writing: Writing) -> Iterable[dict[str, str]]:
    """The words of each step as sentences name them: with positions where they occur twice."""
    keys = disambiguated(writing.keys, positions=writing.key_positions)
    at = [step.position for step in writing.steps]
    reads = disambiguated([step.reads for step in writing.steps], positions=at)
    after = [position + 1 for position in at]
    writes = disambiguated([step.writes for step in writing.steps], positions=after)
    for step, read, written in zip(writing.steps, reads, writes, strict=True):
        looks = _strongest(step.looks)
        yield {"reads": read, "writes": written, "key": keys[looks[0][0]] if looks else ""}


def _step(step: WritingStep, names: Sequence[str]) -> dict[str, object]:
    looks = _strongest(step.looks)
    named = [(name, share) for name, (_, share) in zip(names, step.rivals, strict=True)]
    others = [(tr("all others"), step.rest)] if step.rest else []
    return {
        "writes": step.writes,
        "row": step.row,
        "at": step.position,
        "looks": looks,
        "most": share_in_words(looks[0][1]) if looks else "",
        "rivals": [_rival(*rival) for rival in named],
        "rest": [_rival(*rival) for rival in others],
    }


def _source(writing: Writing, step: WritingStep) -> str:
    """The word that a piece translates; nothing if one of the two is no word."""
    word = writing.keys[int(step.looks.argmax())]
    both_are_words = all(any(map(str.isalpha, name)) for name in (word, step.writes))
    return word if both_are_words and step.writes not in SPECIALS else ""


def _rival(name: str, share: float) -> tuple[str, float, str]:
    return name, round(share, 4), share_in_words(share)


def _captions(
    stacks: Mapping[AttentionKind, Lines], head_in_words: str, *, by_model: bool
) -> Iterable[tuple[AttentionKind, tuple[str, str]]]:
    """The caption beside each stack: its name, and what it does."""
    if encoder := stacks.get("encoder"):
        does = tr_n(
            "{n} layer: every word looks at every word",
            "{n} layers: every word looks at every word",
            encoder.n_layers,
        )
        yield "encoder", (tr("Encoder reads ↓"), does)
    if len(stacks) == 2:
        does = tr("the decoder looks at what was read ({head})", head=head_in_words)
        yield "cross", (tr("Cross-attention"), does)
    if decoder := stacks.get("decoder"):
        does = tr_n(
            "{n} layer: no word looks ahead", "{n} layers: no word looks ahead", decoder.n_layers
        )
        name = tr("Decoder writes ↑") if by_model else tr("Decoder is given ↑")
        yield "decoder", (name, does)


def _texts(
    stacks: Mapping[AttentionKind, Lines], head_in_words: str, *, by_model: bool
) -> dict[str, str]:
    return {
        "name": tr(
            "The answer, piece by piece, with {head}. Arrow keys step, Enter asks why.",
            head=head_in_words,
        ),
        "why": tr("Why this piece?"),
        "back": tr("Step back"),
        "next": tr("Next step"),
        "play": tr("Play"),
        "again": tr("Play from the beginning"),
        "pause": tr("Pause"),
        "looks": _looks(stacks, by_model=by_model),
        "looksNowhere": tr("The attention drawn here goes to nothing in particular."),
        "rivals": tr("Likeliest next pieces")
        if "decoder" in stacks
        else tr("What the model expects in place of “{reads}”"),
    }


def _looks(stacks: Mapping[AttentionKind, Lines], *, by_model: bool) -> str:
    if "decoder" not in stacks:
        return tr("From “{reads}”, the attention drawn here goes most to “{key}” ({weight}).")
    if by_model:
        return tr(
            "Where “{writes}” is written after “{reads}”, the attention drawn here goes most to "
            "“{key}” ({weight})."
        )
    return tr("Before “{writes}”, the attention drawn here goes most to “{key}” ({weight}).")


def _strongest(looks: np.ndarray) -> list[tuple[int, float]]:
    order = np.argsort(-looks, kind="stable")[:MAX_LINES]
    return [(int(key), round(float(looks[key]), 3)) for key in order if looks[key] >= LEAST]
