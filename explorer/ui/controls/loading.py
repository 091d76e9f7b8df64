"""Loading weights, or a whole pretrained model, from a visitor's files."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Final, Protocol

import streamlit as st

from explorer.languages import mark, tr
from explorer.runtime.engine import BIG, engine
from explorer.runtime.turns import release_turn
from explorer.ui import internals
from explorer.ui.controls.weights import show_loaded_here
from explorer.ui.markdown import literal
from explorer.ui.page import fold
from explorer.ui.sources import unsupported_shape
from explorer.ui.training.session import leave_training, take_loaded
from explorer.ui.web.uploads import uploads
from explorer.weights import loaded_here
from explorer.weights.checkpoints import LARGEST, CheckpointError, load
from explorer.weights.huggingface.files import PretrainedError

LABEL: Final = mark("A file of weights, or all files of a pretrained model")
_HELP: Final = mark(
    "Weights are a file that was downloaded here. A pretrained model is several files in the "
    "layout of Hugging Face: config.json, model.safetensors, and those of its tokenizer. Choose "
    "them together. Others see the model only if you give them the link."
)


class _File(Protocol):
    """A file that a visitor has chosen."""

    name: str
    size: int

    def getvalue(self) -> bytes: ...


def draw_loading(place: str) -> None:
    """A field that takes a file of weights, or the files of a model; `place` tells fields apart.

    Once the files are read or refused, their memory is freed, and the field is a new, empty one.
    """
    state = st.session_state
    number, problem = f"{place}_loaded", f"{place}_problem"
    uploads.expect(internals.session_id(), place)
    say_if_refused()
    given = st.file_uploader(
        tr(LABEL),
        accept_multiple_files=True,
        key=f"{place}_files_{state.get(number, 0)}",
        max_upload_size=LARGEST // 2**20,
        help=tr(_HELP),
    )
    if given:
        # First: a click meanwhile begins a run that must not read them, too.
        state[number] = state.get(number, 0) + 1
        state[problem] = tr("Something else was chosen while the files were read. Load them again.")
        try:
            show = _read(given)
            state[problem] = ""
            show()
        except (CheckpointError, PretrainedError) as error:
            state[problem] = str(error)
        finally:
            for file in given:
                uploads.release((internals.session_id(), file.file_id))
        st.rerun()
    if state.get(problem):
        st.error(literal(state[problem]), icon=":material/error:")


def say_if_refused() -> None:
    """Say before a file is chosen that it will be refused, where the browser sends no cookie.

    Streamlit takes files only with the token of its cookie, and a browser keeps cookies back from
    a frame of another site (docs/deployment.md). Without headers there is no browser: in tests.
    """
    is_protected = st.get_option("server.enableXsrfProtection")
    if is_protected and st.context.headers and not internals.browser():
        st.warning(
            tr(
                "Files cannot be taken here: your browser keeps back the cookie that protects "
                "uploads, as it does in a frame of another site. Open the explorer in a window of "
                "its own. (Whoever runs it can let files through, see docs/deployment.md.)"
            ),
            icon=":material/warning:",
        )


def draw_no_loading(place: str) -> None:
    """Refuse files for the field, which is not drawn here."""
    uploads.withdraw(internals.session_id(), place)


def draw_loading_folded() -> None:
    """The same, folded away, beside the menu of weights."""
    label = tr("Load a model from its files")
    if not fold(label, "load", draw_loading, "menu", icon=":material/upload:"):
        st.session_state.pop("menu_problem", None)  # closing it is how one puts the message away
        draw_no_loading("menu")


def _read(given: Sequence[_File]) -> Callable[[], None]:
    """Read the files; what is returned shows what they hold on all pages.

    Raises:
        CheckpointError, PretrainedError: if they cannot be read, or do not fit into memory.
    """
    if _is_of_weights(given):
        found = load(given[-1].getvalue())
        if problem := unsupported_shape(found.model.config):
            raise CheckpointError(problem)
        return partial(take_loaded, found)
    loaded_here.require_files([(file.name, file.size) for file in given])
    files = {file.name: file.getvalue() for file in given}
    with st.spinner(tr("Reading the model …")), release_turn():
        token = loaded_here.keep(files, _fits_in_memory)
    return partial(_show_model, token)


def _show_model(token: str) -> None:
    leave_training(show=False)
    show_loaded_here(token)


def _is_of_weights(given: Sequence[_File]) -> bool:
    """Whether the files hold nothing but weights; then the last one counts."""
    return all(file.name.endswith(".safetensors") for file in given)


def _fits_in_memory(need: int) -> AbstractContextManager[bool]:
    """Whether a model of so many bytes may be read; the engine forgets others for a large one."""
    return engine().room_for(need) if need > BIG else nullcontext(True)
