"""The smallest live page: it shows the typed text and the number of clicks."""

import streamlit as st
from streamlit.elements.widgets import text_widgets

vars(text_widgets)["_DEFAULT_LIVE_DEBOUNCE_MS"] = 0  # see explorer.ui.internals.follow_typing
st.markdown(st.text_input("Source 1", key="src", live=True) or "")
st.session_state.clicks = st.session_state.get("clicks", 0) + st.button("Click")
st.text(st.session_state.clicks)
