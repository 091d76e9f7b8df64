"""The explorer: `streamlit run app.py`."""

from explorer.ui.frame import draw

draw()
