"""Loading weights, or a whole pretrained model, from a visitor's files."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Final

import streamlit as st

from explorer.choices.sources import unsupported_shape
from explorer.languages import mark, tr
from explorer.markdown import literal
from explorer.runtime.engine import BIG, engine
from explorer.runtime.turns import release_turn
from explorer.ui.components.file_field import file_field
from explorer.ui.controls.weights import show_loaded_here
from explorer.ui.frame.page import fold
from explorer.ui.frame.session import memory
from explorer.ui.training.watched import leave_training, take_loaded
from explorer.web.files import TakenFile
from explorer.weights import loaded_here
from explorer.weights.checkpoints import LARGEST, CheckpointError, load
from explorer.weights.huggingface.files import PretrainedError

LABEL: Final = mark("A file of weights, or all files of a pretrained model")
_HELP: Final = mark(
    "Weights are a file that was downloaded here. A pretrained model is several files in the "
    "layout of Hugging Face: config.json, model.safetensors, and those of its tokenizer. Choose "
    "them together. Others see the model only if you give them the link."
)


def draw_loading(place: str) -> None:
    """A field that takes a file of weights, or the files of a model; `place` tells fields apart.

    Once the files are read or refused, their memory is free.
    """
    problem = f"{place}_problem"
    given = file_field(f"{place}_files", tr(LABEL), most_bytes=LARGEST, help=tr(_HELP))
    if given:
        # First: a click meanwhile may end this run.
        memory()[problem] = tr(
            "Something else was chosen while the files were read. Load them again."
        )
        try:
            show = _read(given)
            memory()[problem] = ""
            show()
        except (CheckpointError, PretrainedError) as error:
            # Translators: the reason is in English.
            memory()[problem] = tr("This model cannot be read here: {reason}", reason=str(error))
        st.rerun()
    if text := memory().get(problem):
        st.error(literal(text), icon=":material/error:")


def draw_loading_folded() -> None:
    """The same, folded away, beside the menu of weights."""
    label = tr("Load a model from its files")
    if not fold(label, "load", draw_loading, "menu", icon=":material/upload:"):
        memory().pop("menu_problem", None)  # closing it is how one puts the message away


def _read(given: Sequence[TakenFile]) -> Callable[[], None]:
    """Read the files; what is returned shows what they hold on all pages.

    Raises:
        CheckpointError, PretrainedError: if they cannot be read, or do not fit into memory.
    """
    if all(file.name.endswith(".safetensors") for file in given):  # the last one counts
        found = load(given[-1].content)
        if problem := unsupported_shape(found.model.config):
            raise CheckpointError(problem)
        return partial(take_loaded, found)
    loaded_here.require_files([(file.name, file.size) for file in given])
    files = {file.name: file.content for file in given}
    with st.spinner(tr("Reading the model …")), release_turn():
        token = loaded_here.keep(files, _fits_in_memory)
    return partial(_show_model, token)


def _show_model(token: str) -> None:
    leave_training(show=False)
    show_loaded_here(token)


def _fits_in_memory(need: int) -> AbstractContextManager[bool]:
    """Whether a model of so many bytes may be read; the engine forgets others for a large one."""
    return engine().room_for(need) if need > BIG else nullcontext(True)
