"""The explorer as it runs where a process may have 1000 MB: `streamlit run` this."""

from explorer import device

device.memory_limit = lambda: 1000 * 2**20

from explorer.ui.frame import draw  # noqa: E402 (what it imports takes the limit from there)

draw()
