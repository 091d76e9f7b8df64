"""The pictures of the app as values, for notebooks and scripts; no streamlit."""
