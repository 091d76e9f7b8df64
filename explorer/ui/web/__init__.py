"""The layer between the network and Streamlit: headers, limits, start and end."""
