import streamlit as st
from explorer.ui.frame import begin
settings = begin()
st.title("home")
