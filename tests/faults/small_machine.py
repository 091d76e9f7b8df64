"""The explorer as it runs where a process may have 1000 MB: `streamlit run` this."""

from pathlib import Path

from streamlit.starlette import App

from explorer.runtime import limits
from explorer.ui.web.front import MIDDLEWARE, lifespan

limits.memory_limit = lambda: 1000 * 2**20

app = App(Path(__file__).parents[2] / "app.py", lifespan=lifespan, middleware=MIDDLEWARE)
