"""The explorer as it runs where a process may have 1000 MB: `streamlit run` this."""

from explorer.runtime import limits


def draw_with_little_memory() -> None:
    """Draw the page; what it imports takes the limit from `limits`."""
    limits.memory_limit = lambda: 1000 * 2**20
    from explorer.ui.frame import draw

    draw()


draw_with_little_memory()
