"""The layer between the network and Streamlit: headers, limits, files, news of rooms."""
