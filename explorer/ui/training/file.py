"""Download and upload of weights."""

import streamlit as st

from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.ui.controls.loading import draw_loading
from explorer.ui.frame.stage import drawer
from explorer.weights.catalogue import checkpoint
from explorer.weights.checkpoints import save


def show_file(settings: Settings) -> None:
    """Show a button to download the weights on show, and a field to load others from files."""
    drawer(tr("Take these weights with you, or load some"), "file", _show, settings)


def _show(settings: Settings) -> None:
    trained = checkpoint(settings.request.source)
    if trained is not None:
        st.download_button(
            tr("Download these weights ({task})", task=tr(trained.task.title)),
            save(trained),
            f"{trained.task.name}-d{settings.config.d_model}.safetensors".replace(" ", "-"),
            "application/octet-stream",
            icon=":material/download:",
            on_click="ignore",
        )
    draw_loading("training")
