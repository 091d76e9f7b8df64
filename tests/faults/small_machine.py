"""The explorer as it runs where a process may have 1000 MB: `streamlit run` this."""

from explorer import device


def draw_with_little_memory() -> None:
    """Draw the page; what it imports takes the limit from `device`."""
    device.memory_limit = lambda: 1000 * 2**20
    from explorer.ui.frame import draw

    draw()


draw_with_little_memory()
