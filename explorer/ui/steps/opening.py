"""What the step-by-step page opens on."""

from typing import Final

import streamlit as st

from explorer.ui.controls.choices import SMALL_NUMBERS, choices, choose, chosen
from explorer.ui.parameters import TEXT_KEYS, Frame, Look, Numbers, Steps, WhatIf, keys_of

_ABOUT_THE_MODEL: Final = {*TEXT_KEYS, *keys_of(Frame, Look, Steps, WhatIf)}


def usual_case() -> str:
    """The numbers to begin with: small ones, until somebody has said what they want to see.

    An address that says anything shows the model, as it always has. Small numbers that are on
    the screen stay there, whatever is chosen next.
    """
    if not _ABOUT_THE_MODEL & choices().keys():
        st.session_state[SMALL_NUMBERS] = True
        return "toy"
    if chosen(Numbers.case) is None and st.session_state.pop(SMALL_NUMBERS, False):
        choose(Numbers.case, "toy")
        return "toy"
    return "model"
