"""The smallest live page: it shows the typed text and the number of clicks."""

import streamlit as st

st.markdown(st.text_input("Source 1", key="src", live="30ms") or "")
st.session_state.clicks = st.session_state.get("clicks", 0) + st.button("Click")
st.text(st.session_state.clicks)
