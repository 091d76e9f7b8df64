"""A word as four editable numbers: look up, scale, add the position."""

from typing import Final

import streamlit as st
import torch

from explorer.config import ModelConfig
from explorer.figures.theme import Theme
from explorer.languages import tr
from explorer.layers import Embedding
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.number_grid import number_grid
from explorer.ui.controls.widgets import number
from explorer.ui.parameters import MAN, MAN_AT
from explorer.views.stack import four_numbers_picture

USUAL: Final = ((0.1, 0.4, 0.3, 0.19),)


def show_four_numbers(theme: Theme) -> None:
    """Embed one word with d_model = 4, using the model's own embedding layer."""
    grid, place = st.columns([2, 1])
    with grid:
        values = number_grid(MAN, tr("“man”, d_model = 4"), USUAL, names=[tr("man")])
    with place:
        position = number(MAN_AT, tr("Its position in the sentence"))
    embedding = Embedding(1, ModelConfig(d_model=4, n_heads=1))
    embedding.token.weight = torch.nn.Parameter(torch.from_numpy(values))
    with torch.inference_mode():
        trace = embedding(torch.zeros(1, position + 1, dtype=torch.long))
    columns = [
        (tr("embedding"), trace.embedded[0, -1]),
        ("× √4", trace.scaled[0, -1]),
        (tr("position"), trace.position[-1]),
        ("x", trace.out[0, -1]),
    ]
    live_plot(four_numbers_picture([(title, x.numpy()) for title, x in columns], theme))
