"""Says to its visitors which address they come from: `streamlit run` this."""

import streamlit as st

st.text(st.context.ip_address)
