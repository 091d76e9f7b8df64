"""An app that shows visitors the address that they come from. Start it with `streamlit run`."""

import streamlit as st

st.text(st.context.ip_address)
