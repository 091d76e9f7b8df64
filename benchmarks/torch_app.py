"""The minimum for a page with a model: an empty page that imports torch."""

import streamlit as st
import torch

st.title("Empty")
st.text(f"torch {torch.__version__}")
