"""What the step-by-step page opens on."""

from typing import Final

import streamlit as st

from explorer.ui.controls.choices import SMALL_NUMBERS, choices, choose, chosen
from explorer.ui.parameters import AROUND, TEXT_KEYS, Look, StepsPage
from explorer.ui.steps.what_if_controls import CHANGES

_ABOUT_THE_MODEL: Final = (
    *(Look.attention, Look.layer, Look.head, Look.query, Look.key),
    *(StepsPage.form, StepsPage.step, StepsPage.which, *CHANGES),
)


def usual_case() -> str:
    """The numbers to begin with: small ones, until somebody has said what they want to see.

    An address that says anything shows the model, as it always has. Small numbers that are on
    the screen stay there, whatever is chosen next.
    """
    about = {*AROUND, *TEXT_KEYS, *(parameter.key for parameter in _ABOUT_THE_MODEL)}
    if not about & choices().keys():
        st.session_state[SMALL_NUMBERS] = True
        return "toy"
    if chosen(StepsPage.case) is None and st.session_state.pop(SMALL_NUMBERS, False):
        choose(StepsPage.case, "toy")
        return "toy"
    return "model"
