"""The pictures of the positions page: the encoding, its waves, its sum with the input, its use."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float

from explorer import positional
from explorer.analysis.waves import waves as curves_of
from explorer.config import ModelConfig
from explorer.figures import positional as figures
from explorer.languages import mark, sentences, tr
from explorer.layers import EmbeddingTrace
from explorer.mistakes.parts import base_of
from explorer.names import PAD
from explorer.views.looks import usual_word
from explorer.views.picture import Call, Picture

Waves = tuple[float, str]  # base and formula
SHOWN_DIMENSIONS: Final = 128  # of input, encoding and sum: more cells would be too narrow


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """The paper's waves, or those of another base and formula, and what is looked at in them."""

    values: Float[np.ndarray, "length d_model"]
    base: float
    formula: str
    tokens: Sequence[str]  # of the sentence, at the first positions
    token: int
    first: int  # the fastest dimension that is drawn as a curve

    @classmethod
    def of(
        cls, length: int, d_model: int, waves: Waves, tokens: Sequence[str], token: int, first: int
    ) -> "Encoding":
        """The encoding of `length` positions."""
        base, formula = waves
        values = positional.sinusoidal(length, d_model, base_of(*waves)).numpy()
        return cls(
            values=values, base=base, formula=formula, tokens=tokens, token=token, first=first
        )

    def code(self, aspect: str, **more: object) -> Call:
        """The call that draws an aspect of this encoding."""
        arguments = {"aspect": aspect, "base": int(self.base), "formula": self.formula}
        return Call(method="positions", arguments=arguments | {"length": len(self.values)} | more)


def encoding_picture(encoding: Encoding) -> Picture:
    """Positions by dimensions, with the row of a token framed."""
    tokens, token = encoding.tokens, encoding.token
    length, d_model = encoding.values.shape
    ranges = np.ptp(encoding.values, axis=0)
    framed = (
        tr("Framed: position {position}, “{word}”.", position=token, word=tokens[token])
        if token < length
        else tr(
            "“{word}” stands at position {position}, below this picture.",
            position=token,
            word=tokens[token],
        )
    )
    caption = tr(
        "Left: fast waves that tell neighbours apart. Right: slow waves that tell near from "
        "far; {still} of {d_model} dimensions move by less than 0.01 over these {length} "
        "positions.",
        still=int((ranges < 0.01).sum()),
        d_model=d_model,
        length=length,
    )
    return Picture(
        key="encoding",
        title=tr("Positional encoding"),
        drawing=figures.encoding_heatmap(encoding.values, tokens=tokens, token=token),
        alt=tr(
            "Heatmap of {length} positions by {d_model} dimensions. Dimension 0 repeats every "
            "{turn:.2f} positions, the last moves by {last:.3f} in all.",
            length=length,
            d_model=d_model,
            turn=2 * math.pi,
            last=float(ranges[-1]),
        ),
        caption=sentences(caption, framed),
        code=encoding.code("encoding", word=None if token == usual_word(tokens) else token),
    )


def waves_picture(encoding: Encoding) -> Picture:
    """A few dimensions as curves."""
    first = encoding.first
    length, d_model = encoding.values.shape
    curves = curves_of(length, d_model, base_of(encoding.base, encoding.formula), first)
    apart = np.abs(curves.again - curves.here)
    furthest = int(apart.argmax())
    shared = tr(
        "Dimension {dimension} repeats: after {turn:.2f} positions (dotted, if the picture reaches "
        "that far) it has the value of position 0 again ({here:.2f} and {again:.2f}).",
        turn=curves.wavelength,
        dimension=first,
        here=float(curves.here[0]),
        again=float(curves.again[0]),
    )
    caption = (
        tr(
            "A wave of another length tells the two apart, dimension {dimension}: {here:.2f} and "
            "{again:.2f}. All dimensions together are a pattern that no other position has.",
            dimension=curves.dimensions[furthest],
            here=float(curves.here[furthest]),
            again=float(curves.again[furthest]),
        )
        if apart[furthest] >= 0.01
        else tr("None of these dimensions tells the two apart; faster ones do.")
    )
    return Picture(
        key="waves",
        title=tr("Positional waves"),
        drawing=figures.curves(
            encoding.values,
            curves.values,
            curves.at,
            curves.dimensions,
            marked=(0.0, curves.wavelength) if curves.wavelength <= length - 1 else (0.0,),
        ),
        alt=tr(
            "Waves of dimensions {dimensions} over {length} positions.",
            dimensions=curves.dimensions,
            length=length,
        ),
        caption=sentences(shared, caption),
        code=encoding.code("waves", first=first),
    )


def similarity_picture(encoding: Encoding) -> Picture:
    """The dot product of every two positions."""
    products = encoding.values @ encoding.values.T
    far = min(10, len(products) - 1)
    stripes = (
        tr(
            "Every stripe along the diagonal has one colour: the product depends only on the "
            "distance."
        )
        if encoding.values.shape[1] % 2 == 0
        else tr(
            "The stripes along the diagonal change a little: the last sine of an odd d_model has "
            "no cosine, so the product depends on more than the distance."
        )
    )
    here, one_apart, far_apart = (float(products[0, at]) for at in (0, 1, far))
    numbers = {"here": here, "one_apart": one_apart, "far": far, "far_apart": far_apart}
    examples = tr(
        "At position 0, ‖PE‖² = {here:.2f}; one position apart {one_apart:.2f}, {far} apart "
        "{far_apart:.2f}.",
        **numbers,
    )
    return Picture(
        key="similarity",
        title=tr("Positional similarity"),
        drawing=figures.similarity_heatmap(products),
        alt=tr(
            "PE(p)·PE(q) for {length} positions: {here:.2f} on the diagonal, {one_apart:.2f} one "
            "apart, {far_apart:.2f} {far} apart.",
            length=len(products),
            **numbers,
        ),
        caption=sentences(examples, stripes),
        code=encoding.code("similarity"),
    )


OF_ENCODING: Final[dict[str, tuple[str, Callable[[Encoding], Picture]]]] = {
    "encoding": (mark("encoding"), encoding_picture),
    "waves": (mark("waves"), waves_picture),
    "similarity": (mark("similarity"), similarity_picture),
}
"""The pictures of an encoding, for page, notebook, links and tests: their labels and functions."""


def position_of(
    trace: EmbeddingTrace, config: ModelConfig, waves: Waves
) -> Float[np.ndarray, "token d_model"]:
    """The vectors added to the embeddings; the paper's waves may be exchanged for others."""
    if config.positions == "sinusoidal":
        length = trace.embedded.shape[1]
        return positional.sinusoidal(length, config.d_model, base_of(*waves)).numpy()
    added: np.ndarray = trace.position_of(0).detach().cpu().numpy()
    return added


def inputs_picture(
    trace: EmbeddingTrace,
    tokens: Sequence[str],
    config: ModelConfig,
    waves: Waves,
    *,
    scaled: bool,
    of_sentence: bool = True,
) -> Picture:
    """Embeddings, `scaled` by √d_model or not, positions and their sum.

    With `of_sentence=False`, all dimensions are drawn, and there is no code for it.
    """
    position = position_of(trace, config, waves)
    word = (trace.scaled if scaled else trace.embedded)[0].cpu().numpy()
    d_model = word.shape[1]
    most = SHOWN_DIMENSIONS if of_sentence else d_model
    shown = slice(0, most)
    name = tr("embedding × √{d_model}", d_model=d_model) if scaled else tr("embedding")
    caption = _lengths_in_words(config, word, position, tokens, scaled=scaled)
    if d_model > most:
        part = tr("The first {most} of {d_model} dimensions.", most=most, d_model=d_model)
        caption = sentences(caption, part)
    panels = [
        (name, word[:, shown]),
        (tr("positional encoding"), position[:, shown]),
        (tr("sum"), (word + position)[:, shown]),
    ]
    base, formula = waves
    arguments = {"aspect": "inputs", "base": int(base), "formula": formula, "scaled": scaled}
    return Picture(
        key="inputs",
        title=tr("Input and position"),
        drawing=figures.three_panels(panels, tokens, dense=most > SHOWN_DIMENSIONS),
        alt=tr("{embedding}, positional encoding and their sum.", embedding=name),
        caption=caption,
        code=Call(method="positions", arguments=arguments) if of_sentence else None,
    )


def _lengths_in_words(
    config: ModelConfig,
    word: np.ndarray,
    position: np.ndarray,
    tokens: Sequence[str],
    *,
    scaled: bool,
) -> str:
    """The mean lengths of the vectors, and how the scaling changes them, in words."""
    real = [token != PAD for token in tokens]
    if not any(real):
        return tr("There are no words here whose vectors could be measured.")
    of_word, of_position = (
        float(np.linalg.norm(part[real], axis=1).mean()) for part in (word, position)
    )
    lengths = tr(
        "Mean vector length: {words:.2f} for words, {positions:.2f} for positions.",
        words=of_word,
        positions=of_position,
    )
    if not config.scale_embedding:
        return sentences(lengths, tr("This model does not scale its embeddings."))
    unscaled = of_word / math.sqrt(config.d_model) if scaled else of_word
    if of_position <= unscaled:  # then the word's vector is longer in both cases
        return lengths
    if scaled:
        lengths_without = tr(
            "Without × √d_model, the position would be {times:.1f} times as long as the word.",
            times=of_position / unscaled,
        )
        return sentences(lengths, lengths_without)
    return sentences(lengths, tr("Without × √d_model, the position is the longer one."))


def order_picture(
    gaps: Sequence[np.ndarray],
    labels: tuple[Sequence[str], Sequence[str]],
    largest: tuple[float, float],
) -> Picture:
    """Distances of the encoder's outputs for two orders of the same words.

    `gaps` are the distances without positions and, if the model has positions, with them. `largest`
    is the largest error if one output is reordered to give the other, without and with positions.
    """
    off, on = largest
    what = tr("Distances between the encoder's outputs for two sentences.")
    apart = ""
    if len(gaps) > 1:
        apart = tr(
            "Reordering A gives B up to {off:.1e}; with positions on, up to {on:.2f}.",
            off=off,
            on=on,
        )
    named = list(zip((tr("positions off"), tr("positions on")), gaps, strict=False))
    return Picture(
        key="order",
        title=tr("Why order matters"),
        drawing=figures.distances(named, *labels),
        alt=sentences(what, apart),
        caption=tr(
            "Distance between the encoder's output for each word of the first sentence (rows) and "
            "of the second (columns); 0 means the very same vector."
        ),
    )
