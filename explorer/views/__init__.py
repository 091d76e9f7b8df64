"""What the pages show, as values: each picture with its words, code and clicks; no streamlit."""
