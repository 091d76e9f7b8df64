"""What the step-by-step page opens on."""

from typing import Final

import streamlit as st

from explorer.ui.controls.choices import SMALL_NUMBERS, choose, chosen, text
from explorer.ui.parameters import (
    AROUND,
    ATTENTION,
    CASE,
    FORM,
    HEAD,
    KEY,
    LAYER,
    PARAMETERS,
    QUERY,
    STEP,
    TEXT_KEYS,
    WHICH,
)
from explorer.ui.steps.what_if_controls import CHANGES

_OF_THE_PAGE: Final = (ATTENTION, LAYER, HEAD, FORM, STEP, WHICH, QUERY, KEY, *CHANGES)


def usual_case() -> str:
    """The numbers to begin with: small ones, until somebody has said what they want to see.

    An address that says anything shows the model, as it always has. Small numbers that are on
    the screen stay there, whatever is chosen next.
    """
    around = (PARAMETERS[key] for key in AROUND)
    said = any(chosen(parameter) is not None for parameter in (*around, *_OF_THE_PAGE))
    if not said and all(text(key) is None for key in TEXT_KEYS):
        st.session_state[SMALL_NUMBERS] = True
        return "toy"
    if chosen(CASE) is None and st.session_state.pop(SMALL_NUMBERS, False):
        choose(CASE, "toy")
        return "toy"
    return "model"
