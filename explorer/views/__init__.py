"""The pictures of the pages as values, each with its words, code and clicks; no streamlit."""
