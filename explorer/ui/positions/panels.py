"""The pictures of the positions page."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from explorer import positional
from explorer.analysis.attention import content_words
from explorer.config import ADDED_POSITIONS, ModelConfig, Positions
from explorer.figures import positional as figures
from explorer.figures.theme import THEMES, Theme
from explorer.initialisation import draw_weights
from explorer.languages import mark, numeral, side_by_side, tr, tr_n
from explorer.layers import Embedding, EmbeddingTrace
from explorer.names import PAD
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.parts import POSITION_NAMES
from explorer.ui.controls.widgets import segments, select_word, slider, stops, toggle
from explorer.ui.page import check_badge, show_code
from explorer.ui.parameters import BASE, DIMENSION, FORMULA, INPUT, POSITIONS, SCALED, WORD
from explorer.ui.registry import open_page
from explorer.ui.running import run
from explorer.ui.settings import Settings

INPUTS = {
    "sentence": mark("sentence on show"),
    "six_ids": mark("six ids, d_model 4"),
    "eighty": mark("80 ids, d_model 512"),
}
MADE_UP = {  # ids that stand for no words, and the shape of a model that reads them
    "six_ids": ([1, 2, 3, 4, 0, 0], ModelConfig(d_model=4, n_heads=1)),
    "eighty": ([1 + 37 * at % 97 for at in range(80)], ModelConfig(d_model=512, n_heads=8)),
}


FORMULAS = {
    # Translators: the formula of the positional encoding, as in the paper.
    "paper": mark("paper"),
    "doubled": mark("doubled exponent"),
}


ASPECTS = {
    "encoding": mark("encoding"),
    "waves": mark("waves"),
    "inputs": mark("input + encoding"),
    "similarity": mark("similarity"),
    "order": mark("why order matters"),
}


SHOWN_DIMENSIONS = 128  # of input, encoding and sum: more would be too narrow to see


def choose_formula() -> tuple[int, str]:
    """Choose the base and the formula of the encoding, shared by all aspects."""
    base = stops(BASE, tr("Base"), width=220)
    formula = segments(
        FORMULA,
        tr("Formula"),
        names=lambda name: tr(FORMULAS[name]),
        label_visibility="visible",
        help=tr(
            "A published mistake: the loop variable steps by 2, and the exponent doubles it "
            "again. Another one is base 1000."
        ),
    )
    return base, formula


def show_whose_encoding(base: int, formula: str, positions: Positions) -> None:
    """Say whether this encoding is the paper's, and whether a model with these positions has it."""
    if base != 10_000 or formula != "paper":
        check_badge(
            False,
            tr(
                "not the paper's encoding, which has base 10,000 and the formula without the "
                "mistake"
            ),
        )
    elif positions != "sinusoidal":
        st.badge(
            tr("the paper's waves, not the positions of the model on show"),
            icon=":material/info:",
            color="orange",
        )
    else:
        check_badge(True, tr("formula and base of the paper"))


def show_encoding(encoding: np.ndarray, tokens: Sequence[str], token: int, theme: Theme) -> None:
    """The encoding, positions by dimensions, with the row of one of these tokens framed."""
    length, d_model = encoding.shape
    still = int((np.ptp(encoding, axis=0) < 0.01).sum())
    live_plot(
        figures.encoding_heatmap(encoding, theme, tokens=tokens, token=token),
        key="encoding",
        alt=tr(
            "Heatmap of {length} positions by {d_model} dimensions. Dimension 0 repeats every "
            "{turn:.2f} positions, the last moves by {last:.3f} in all.",
            length=length,
            d_model=d_model,
            turn=2 * math.pi,
            last=float(np.ptp(encoding[:, -1])),
        ),
        caption=tr(
            "Left: fast waves that tell neighbours apart. Right: slow waves that tell near from "
            "far; {still} of {d_model} dimensions move by less than 0.01 over these {length} "
            "positions.",
            still=still,
            d_model=d_model,
            length=length,
        )
        + " "
        + (
            tr("Framed: position {position}, “{word}”.", position=token, word=tokens[token])
            if token < length
            else tr(
                "“{word}” stands at position {position}, below this picture.",
                position=token,
                word=tokens[token],
            )
        ),
        file_name="positional-encoding",
    )


def show_waves(encoding: np.ndarray, base: float, formula: str, theme: Theme) -> None:
    """A few dimensions as curves."""
    length, d_model = encoding.shape
    first = slider(DIMENSION, tr("First dimension"), most=d_model - 1, width=300)
    dimensions = [dim for dim in (first, first + 1, first + 4, first + 5) if dim < d_model]
    turn = 2 * math.pi * base ** (positional.VARIANTS[formula] * (first - first % 2) / d_model)
    steps = 20 if length <= 64 else 8
    at = torch.linspace(0, length - 1, (length - 1) * steps + 1, dtype=torch.float64)
    here, again = positional.waves(torch.tensor([0.0, turn]), d_model, base, formula)[:, dimensions]
    apart = (again - here).abs()
    other = int(apart.argmax())
    told = (
        tr(
            "Dimension {dimension} tells them apart: {here:.2f} and {again:.2f}.",
            dimension=dimensions[other],
            here=here[other].item(),
            again=again[other].item(),
        )
        if apart[other] >= 0.01
        else tr("None of these dimensions tells them apart; faster ones do.")
    )
    shared = tr(
        "Positions 0 and {turn:.2f} (dotted where the picture has them) share a height on "
        "dimension {dimension}: {here:.2f} and {again:.2f}.",
        turn=turn,
        dimension=first,
        here=here[0].item(),
        again=again[0].item(),
    )
    live_plot(
        figures.curves(
            encoding,
            positional.waves(at, d_model, base, formula).numpy(),
            at.numpy(),
            dimensions,
            theme,
            marked=(0.0, turn) if turn <= length - 1 else (0.0,),
        ),
        key="waves",
        alt=tr(
            "Waves of dimensions {dimensions} over {length} positions.",
            dimensions=dimensions,
            length=length,
        ),
        caption=f"{shared} {told}",
        file_name="positional-waves",
    )


def show_inputs(settings: Settings) -> None:
    """The embedding, the model's positions and their sum; waves may be exchanged for others."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = segments(
            INPUT, tr("Input"), names=lambda name: tr(INPUTS[name]), label_visibility="visible"
        )
        config = settings.config if which == "sentence" else MADE_UP[which][1]
        waves = config.positions == "sinusoidal"
        base, formula = choose_formula() if waves else (10_000, "paper")
        scaled = toggle(SCALED, tr("input × √d_model")) if config.scale_embedding else False
    trace, tokens = _embedded(settings) if which == "sentence" else _made_up(which, settings)
    word = (trace.scaled if scaled else trace.embedded)[0].cpu().numpy()
    position = trace.position.detach().cpu().numpy()
    if waves:
        position = positional.sinusoidal(len(tokens), config.d_model, float(base), formula).numpy()
    _draw_sum(config, word, position, tokens, THEMES[settings.theme], scaled=scaled)
    if which == "six_ids":
        first = side_by_side(numeral(number, ".7f") for number in position[1].tolist())
        st.text(tr("Encoding of position 1: {numbers}", numbers=first))
    if waves:
        show_whose_encoding(base, formula, config.positions)
    elif config.positions == "none":
        st.caption(tr("This model has no positions: nothing is added to the embeddings."))
    else:
        own = tr(POSITION_NAMES[config.positions])
        st.caption(
            tr("The model's own positions: {positions}.", positions=own)
            if config.positions in ADDED_POSITIONS
            else tr(
                "The model's own positions: {positions}, and nothing is added to the embeddings.",
                positions=own,
            )
        )
    show_code(tr("The code that ran"), Embedding)


def _embedded(settings: Settings) -> tuple[EmbeddingTrace, Sequence[str]]:
    """The sentence on show, embedded, and its tokens."""
    ran = run(settings)
    if settings.config.has_encoder:
        return ran.trace.src_embedding, ran.src_labels
    return ran.trace.tgt_embedding, ran.tgt_labels


def _made_up(which: str, settings: Settings) -> tuple[EmbeddingTrace, Sequence[str]]:
    """Six ids, few enough to be computed by hand; or 80, so that all waves can be seen."""
    ids, config = MADE_UP[which]
    embedding = Embedding(max(ids) + 1, config)
    draw_weights(embedding, settings.request.seed)
    with torch.inference_mode():
        trace: EmbeddingTrace = embedding(torch.tensor([ids]))
    return trace, [tr("id {number}", number=i) if i else PAD for i in ids]


def _draw_sum(
    config: ModelConfig,
    word: np.ndarray,
    position: np.ndarray,
    tokens: Sequence[str],
    theme: Theme,
    *,
    scaled: bool,
) -> None:
    dense, d_model = config is MADE_UP["eighty"][1], word.shape[1]
    most = d_model if dense else SHOWN_DIMENSIONS
    shown = slice(0, most)
    name = tr("embedding × √{d_model}", d_model=d_model) if scaled else tr("embedding")
    caption = _lengths_in_words(config, word, position, tokens, scaled=scaled)
    if d_model > most:
        part = tr("The first {most} of {d_model} dimensions.", most=most, d_model=d_model)
        caption = f"{caption} {part}"
    live_plot(
        figures.three_panels(
            [
                (name, word[:, shown]),
                (tr("positional encoding"), position[:, shown]),
                (tr("sum"), (word + position)[:, shown]),
            ],
            tokens,
            theme,
            dense=dense,
        ),
        key="inputs",
        alt=tr_n(
            "{embedding}, positional encoding and their sum for {n} token.",
            "{embedding}, positional encoding and their sum for {n} tokens.",
            len(tokens),
            embedding=name,
        ),
        caption=caption,
        file_name="input-and-position",
    )


def _lengths_in_words(
    config: ModelConfig,
    word: np.ndarray,
    position: np.ndarray,
    tokens: Sequence[str],
    *,
    scaled: bool,
) -> str:
    """How long the vectors are, and what the scaling does for that."""
    real = [token != PAD for token in tokens]
    of_word, of_position = (
        float(np.linalg.norm(part[real], axis=1).mean()) for part in (word, position)
    )
    said = tr(
        "Mean vector length: {words:.2f} for words, {positions:.2f} for positions.",
        words=of_word,
        positions=of_position,
    )
    if not config.scale_embedding:
        return said + " " + tr("This model does not scale its embeddings.")
    unscaled = of_word / math.sqrt(config.d_model) if scaled else of_word
    if of_position <= unscaled:  # then a word is the longer one either way
        return said
    if scaled:
        return said + " " + tr("Without × √d_model, the position would drown out the word.")
    return said + " " + tr("Without × √d_model the position drowns out the word.")


def show_similarity(encoding: np.ndarray, theme: Theme) -> None:
    """The dot product of every two positions."""
    products = encoding @ encoding.T
    far = min(10, len(encoding) - 1)
    stripes = (
        tr(
            "Every stripe along the diagonal has one colour: the product depends only on the "
            "distance."
        )
        if encoding.shape[1] % 2 == 0
        else tr(
            "The stripes along the diagonal change a little: the last sine of an odd d_model has "
            "no cosine, so the product depends on more than the distance."
        )
    )
    here, one_apart, far_apart = (float(products[0, at]) for at in (0, 1, far))
    shown = tr(
        "At position 0, ‖PE‖² = {here:.2f}; one position apart {one_apart:.2f}, {far} apart "
        "{far_apart:.2f}.",
        here=here,
        one_apart=one_apart,
        far=far,
        far_apart=far_apart,
    )
    live_plot(
        figures.similarity_heatmap(products, theme),
        key="similarity",
        alt=tr(
            "PE(p)·PE(q) for {length} positions: {here:.2f} on the diagonal, {one_apart:.2f} one "
            "apart, {far_apart:.2f} {far} apart.",
            length=len(encoding),
            here=here,
            one_apart=one_apart,
            far=far,
            far_apart=far_apart,
        ),
        caption=f"{shown} {stripes}",
        file_name="positional-similarity",
    )


def show_formula(settings: Settings, aspect: str) -> None:
    """The three aspects that depend on the formula alone, not on the sentences."""
    theme = THEMES[settings.theme]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = slider(POSITIONS, tr("Positions"), width=220)
        base, formula = choose_formula()
        if aspect == "encoding":
            tokens = _tokens(settings)
            token = select_word(WORD, tr("Word"), tokens, content_words(tokens)[-1], width=240)
    d_model = settings.config.d_model
    encoding = positional.sinusoidal(length, d_model, float(base), formula).numpy()
    if aspect == "encoding":
        show_encoding(encoding, tokens, token, theme)
    elif aspect == "waves":
        show_waves(encoding, float(base), formula, theme)
    else:
        show_similarity(encoding, theme)
    with st.container(horizontal=True):
        if d_model % 2 == 0:
            half = d_model / 2
            error = float(np.abs((encoding.astype(np.float64) ** 2).sum(axis=1) - half).max())
            check_badge(
                error < 1e-3,
                tr(
                    "‖PE‖² = d/2 = {half:g} at every position (±{error:.0e})",
                    half=half,
                    error=error,
                ),
            )
        show_whose_encoding(base, formula, settings.config.positions)
    with st.expander(tr("The formula")):
        st.latex(
            r"PE_{(pos,\,2i)} = \sin\left(pos / base^{2i/d_{model}}\right) \qquad "
            r"PE_{(pos,\,2i+1)} = \cos\left(pos / base^{2i/d_{model}}\right)"
        )
    show_code(tr("The code that ran"), positional.sinusoidal, positional.waves)


def _tokens(settings: Settings) -> Sequence[str]:
    """The tokens of the sentence on show, also of one that is empty."""
    batch = settings.batch()
    labels = batch.src_labels if settings.config.has_encoder else batch.tgt_in_labels
    return labels[min(settings.row, len(labels) - 1)]


def offer_reference() -> None:
    """Lead to the values that are published for checking."""
    if st.button(
        tr("Check it by hand: d_model 4, base 100"), icon=":material/calculate:", type="tertiary"
    ):
        open_page("positions", aspect="inputs", input="six_ids", base=100, formula="paper")
