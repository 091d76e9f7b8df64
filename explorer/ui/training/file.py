"""Download and upload of weights."""

import streamlit as st

from explorer.ui.markdown import literal
from explorer.ui.parameters import cannot_hold
from explorer.ui.settings import Settings
from explorer.ui.training.session import take_loaded
from explorer.weights.catalogue import checkpoint
from explorer.weights.checkpoints import LARGEST, CheckpointError, load, save


def show_file(settings: Settings) -> None:
    """A button to download the weights on show, and a field to upload others."""
    folded = st.expander("Take these weights with you, or load some", key="file", on_change="rerun")
    if not folded.open:
        return
    state = st.session_state
    with folded:
        trained = checkpoint(settings.request.source)
        if trained is not None:
            st.download_button(
                f"Download these weights ({trained.task.title})",
                save(trained),
                f"{trained.task.name}-d{settings.config.d_model}.safetensors".replace(" ", "-"),
                "application/octet-stream",
                icon=":material/download:",
                on_click="ignore",
            )
        given = st.file_uploader(
            "Load weights from a file", "safetensors", max_upload_size=LARGEST // 2**20
        )
        if given is not None and state.get("loaded_file") != given.file_id:
            state.loaded_file = given.file_id
            state.file_problem = ""
            _load(given.getvalue())
        if given is not None and state.get("file_problem"):
            st.error(literal(state.file_problem), icon=":material/error:")


def _load(content: bytes) -> None:
    """Show the weights of a file as trained here, or note what is wrong with it."""
    try:
        found = load(content)
        if problem := cannot_hold(found.model.config):
            raise CheckpointError(problem)
    except CheckpointError as error:
        st.session_state.file_problem = str(error)
        return
    take_loaded(found)
    st.rerun()
