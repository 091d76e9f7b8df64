"""Rooms: a teacher leads, many follow; who may write, what is kept, and where. No streamlit."""
