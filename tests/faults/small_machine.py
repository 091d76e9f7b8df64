"""The app in a process that may use only 1000 MB. Start it with `streamlit run`."""

from pathlib import Path

from streamlit.starlette import App

from explorer.runtime import limits
from explorer.ui.frame.front import MIDDLEWARE, lifespan, routes

limits.memory_limit = lambda: 1000 * 2**20

app = App(
    Path(__file__).parents[2] / "app.py",
    lifespan=lifespan,
    middleware=MIDDLEWARE,
    routes=routes(),
)
