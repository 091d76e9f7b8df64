"""What stands between the network and Streamlit: headers, limits, and what starts and ends with it."""
