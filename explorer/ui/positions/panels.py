"""The pictures of the positions page."""

import math

import numpy as np
import streamlit as st
import torch

from explorer import positional
from explorer.config import ADDED_POSITIONS, ModelConfig
from explorer.figures import positional as figures
from explorer.figures.theme import THEMES, Theme
from explorer.initialisation import draw_weights
from explorer.layers import Embedding
from explorer.names import PAD
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.model import POSITION_NAMES
from explorer.ui.controls.widgets import segments, slider, stops, toggle
from explorer.ui.page import check_badge, show_code
from explorer.ui.parameters import BASE, DIMENSION, FORMULA, INPUT, POSITIONS, SCALED
from explorer.ui.running import run
from explorer.ui.settings import Settings
from explorer.weights.catalogue import Pretrained

INPUTS = {"sentence": "sentence on show", "six_ids": "six ids, d_model 4"}


FORMULAS = {"paper": "paper", "doubled": "doubled exponent"}


ASPECTS = {
    "encoding": "encoding",
    "waves": "waves",
    "inputs": "input + encoding",
    "similarity": "similarity",
    "order": "why order matters",
}


SHOWN_DIMENSIONS = 128  # of input, encoding and sum: more would be too narrow to see


def choose_formula() -> tuple[int, str]:
    """Choose the base and the formula of the encoding, shared by all aspects."""
    base = stops(BASE, "Base", width=220)
    formula = segments(
        FORMULA,
        "Formula",
        names=FORMULAS.__getitem__,
        label_visibility="visible",
        help="A published mistake: the loop variable steps by 2, and the exponent doubles it "
        "again. Another one is base 1000.",
    )
    return base, formula


def show_whose_encoding(base: int, formula: str) -> None:
    """Say whether the model uses this encoding."""
    usual = formula == "paper" and base == 10_000
    check_badge(
        usual,
        "formula and base of the paper"
        if usual
        else "not the paper's encoding, which has base 10,000 and the formula without the mistake",
    )


def show_encoding(encoding: np.ndarray, theme: Theme) -> None:
    """The encoding, positions by dimensions."""
    length, d_model = encoding.shape
    still = int((np.ptp(encoding, axis=0) < 0.01).sum())
    live_plot(
        figures.encoding_heatmap(encoding, theme),
        key="encoding",
        alt=f"Heatmap of {length} positions by {d_model} dimensions. Dimension 0 repeats every "
        f"{2 * math.pi:.2f} positions, the last moves by {np.ptp(encoding[:, -1]):.3f} in all.",
        caption="Left: fast waves that tell neighbours apart. Right: slow waves that tell near "
        f"from far; {still} of {d_model} dimensions move by less than 0.01 over these {length} "
        "positions.",
        file_name="positional-encoding",
    )


def show_waves(encoding: np.ndarray, base: float, formula: str, theme: Theme) -> None:
    """A few dimensions as curves."""
    length, d_model = encoding.shape
    first = slider(DIMENSION, "First dimension", most=d_model - 1, width=300)
    dimensions = [dim for dim in (first, first + 1, first + 4, first + 5) if dim < d_model]
    turn = 2 * math.pi * base ** (positional.VARIANTS[formula] * (first - first % 2) / d_model)
    steps = 20 if length <= 64 else 8
    at = torch.linspace(0, length - 1, (length - 1) * steps + 1, dtype=torch.float64)
    here, again = positional.waves(torch.tensor([0.0, turn]), d_model, base, formula)[:, dimensions]
    apart = (again - here).abs()
    other = int(apart.argmax())
    told = (
        f"Dimension {dimensions[other]} tells them apart: {here[other]:.2f} and {again[other]:.2f}."
        if apart[other] >= 0.01
        else "None of these dimensions tells them apart; faster ones do."
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
        alt=f"Waves of dimensions {dimensions} over {length} positions.",
        caption=f"Positions 0 and {turn:.2f} (dotted) share a height on dimension {first}: "
        f"{here[0]:.2f} and {again[0]:.2f}. {told}",
        file_name="positional-waves",
    )


def show_inputs(settings: Settings) -> None:
    """The embedding, the encoding and their sum."""
    theme = THEMES[settings.theme]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        which = segments(INPUT, "Input", names=INPUTS.__getitem__, label_visibility="visible")
        own = which == "sentence" and isinstance(settings.request.source, Pretrained)
        base, formula = (10000, "paper") if own else choose_formula()
        scales = not own or settings.config.scale_embedding
        scaled = toggle(SCALED, "input × √d_model") if scales else False
    if which == "sentence":
        ran = run(settings)
        trace, tokens = ran.trace.src_embedding, ran.src_labels
        if not settings.config.has_encoder:
            trace, tokens = ran.trace.tgt_embedding, ran.tgt_labels
    else:
        ids = [1, 2, 3, 4, 0, 0]
        embedding = Embedding(5, ModelConfig(d_model=4, n_heads=1))
        draw_weights(embedding, settings.request.seed)
        with torch.inference_mode():
            trace = embedding(torch.tensor([ids]))
        tokens = ("id 1", "id 2", "id 3", "id 4", PAD, PAD)
    word = (trace.scaled if scaled else trace.embedded)[0].cpu().numpy()
    d_model = word.shape[1]
    position = (
        trace.position.cpu().numpy()
        if own
        else positional.sinusoidal(len(tokens), d_model, float(base), formula).numpy()
    )
    shown = slice(0, SHOWN_DIMENSIONS)
    name = f"embedding × √{d_model}" if scaled else "embedding"
    real = [token != PAD for token in tokens]
    sizes = [float(np.linalg.norm(part[real], axis=1).mean()) for part in (word, position)]
    live_plot(
        figures.three_panels(
            [
                (name, word[:, shown]),
                ("positional encoding", position[:, shown]),
                ("sum", (word + position)[:, shown]),
            ],
            tokens,
            theme,
        ),
        key="inputs",
        alt=f"{name}, positional encoding and their sum for {len(tokens)} tokens.",
        caption=f"Mean vector length: {sizes[0]:.2f} for words, {sizes[1]:.2f} for positions. "
        + (
            "This model does not scale its embeddings."
            if not scales
            else "The scaling keeps the position from drowning out the word."
            if scaled
            else "Without × √d_model the position drowns out the word."
        )
        + (
            f" The first {SHOWN_DIMENSIONS} of {d_model} dimensions."
            if d_model > SHOWN_DIMENSIONS
            else ""
        ),
        file_name="input-and-position",
    )
    if own:
        adds = settings.config.positions in ADDED_POSITIONS
        st.caption(
            f"The model's own positions: {POSITION_NAMES[settings.config.positions]}"
            + ("." if adds else ", and nothing is added to the embeddings.")
        )
    else:
        show_whose_encoding(base, formula)
    show_code("The code that ran", Embedding)


def show_similarity(encoding: np.ndarray, theme: Theme) -> None:
    """The dot product of every two positions."""
    products = encoding @ encoding.T
    far = min(10, len(encoding) - 1)
    stripes = (
        "Every stripe along the diagonal has one colour: the product depends only on the distance."
        if encoding.shape[1] % 2 == 0
        else "The stripes along the diagonal change a little: the last sine of an odd d_model has "
        "no cosine, so the product depends on more than the distance."
    )
    live_plot(
        figures.similarity_heatmap(products, theme),
        key="similarity",
        alt=f"PE(p)·PE(q) for {len(encoding)} positions: {products[0, 0]:.2f} on the diagonal, "
        f"{products[0, 1]:.2f} one apart, {products[0, far]:.2f} {far} apart.",
        caption=f"At position 0, ‖PE‖² = {products[0, 0]:.2f}; one position apart "
        f"{products[0, 1]:.2f}, {far} apart {products[0, far]:.2f}. {stripes}",
        file_name="positional-similarity",
    )


def show_formula(settings: Settings, aspect: str) -> None:
    """The three aspects that depend on the formula alone, not on the sentences."""
    theme = THEMES[settings.theme]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        length = slider(POSITIONS, "Positions", width=220)
        base, formula = choose_formula()
    d_model = settings.config.d_model
    encoding = positional.sinusoidal(length, d_model, float(base), formula).numpy()
    if aspect == "encoding":
        show_encoding(encoding, theme)
    elif aspect == "waves":
        show_waves(encoding, float(base), formula, theme)
    else:
        show_similarity(encoding, theme)
    with st.container(horizontal=True):
        if d_model % 2 == 0:
            half = d_model / 2
            error = float(np.abs((encoding.astype(np.float64) ** 2).sum(axis=1) - half).max())
            check_badge(error < 1e-3, f"‖PE‖² = d/2 = {half:g} at every position (±{error:.0e})")
        show_whose_encoding(base, formula)
    with st.expander("The formula"):
        st.latex(
            r"PE_{(pos,\,2i)} = \sin\left(pos / base^{2i/d_{model}}\right) \qquad "
            r"PE_{(pos,\,2i+1)} = \cos\left(pos / base^{2i/d_{model}}\right)"
        )
    show_code("The code that ran", positional.sinusoidal, positional.waves)
