"""The explorer: `streamlit run app.py`.

Streamlit finds the application in this file and serves it; for each visitor, it runs the same file
as a script.
"""

if __name__ == "__main__":
    from explorer.ui.frame.draw import draw

    draw()
else:
    from streamlit.starlette import App

    from explorer.ui.frame.front import MIDDLEWARE, lifespan, routes

    app = App(__file__, lifespan=lifespan, middleware=MIDDLEWARE, routes=routes())
