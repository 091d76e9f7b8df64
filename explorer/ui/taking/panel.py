"""Take it with you: a drawer of every page."""

from collections.abc import Callable
from functools import partial
from typing import Final

import streamlit as st

from explorer.choices.pages import PAGES
from explorer.choices.settings import Settings
from explorer.drawing.theme import DARK, LIGHT, PRINT
from explorer.export.arrays import trace_npz
from explorer.export.code import explore_code, picture_code, torch_code
from explorer.interop import has_twin
from explorer.languages import mark, sentences, tr
from explorer.runtime.engine import engine
from explorer.ui.components.component import theme_here
from explorer.ui.components.csv_button import choose_signs, decimal_sign, reading_code
from explorer.ui.components.png_button import png_button
from explorer.ui.frame.stage import TAKES, drawer
from explorer.ui.taking.about import about, choices_in_words
from explorer.ui.taking.explore_call import explore_call
from explorer.ui.taking.files import KINDS, Files
from explorer.ui.taking.noted import noted

_COLOURS: Final = {
    "screen": mark("as on the screen"),
    "light": mark("light"),
    "dark": mark("dark"),
    "print": mark("for print"),
}


def offer_taking(settings: Settings, page: str) -> None:
    """A drawer with files and code."""
    drawer(tr("Take it with you"), TAKES, _show_content, settings, page)


def _show_content(settings: Settings, page: str) -> None:
    _show_files(settings, page)
    _show_code(settings)


def _show_files(settings: Settings, page: str) -> None:
    """A picture or table of the page in each kind of file, all of them, and the whole trace."""
    found = noted()
    with st.container(horizontal=True, vertical_alignment="bottom", key="take_files"):
        if found:
            titles = {key: one.title for key, one in found.items()}
            names = {name: tr(text) for name, text in _COLOURS.items()}
            chosen = st.selectbox(
                tr("Picture"), found, format_func=titles.__getitem__, key="take_what"
            )
            colours = st.selectbox(
                tr("Colours"), _COLOURS, format_func=names.__getitem__, key="take_colours"
            )
            themes = {"screen": theme_here(), "light": LIGHT, "dark": DARK, "print": PRINT}
            files = Files(
                found=dict(found),
                page=tr(PAGES[page][1]),
                about=about(settings),
                choices=choices_in_words(),
                colours=themes[colours],
                decimal=decimal_sign(),
            )
            name = files.name_of(chosen)
            is_picture = found[chosen].picture is not None
            if is_picture:
                png_button(titles[chosen], f"{name}.png", files.make(chosen, "svg"))
            for kind, mime in KINDS.items() if is_picture else [("csv", KINDS["csv"])]:
                _offer(kind.upper(), f"{name}.{kind}", files.make(chosen, kind), mime, kind)
            _offer(tr("All (zip)"), f"{page}.zip", files.make_all(), "application/zip", "all")
        trace = partial(_trace, settings)
        _offer("trace.npz", "trace.npz", trace, "application/octet-stream", "trace")
    csv = ""
    if found:
        picture = found[chosen].picture
        code = reading_code(f"{name}.csv", picture.rows_of_first if picture else None)
        csv = tr("CSV opens in a spreadsheet; in Python: `{code}`.", code=code)
    npz = tr(
        "`trace.npz` is everything that the model computed for this sentence: "
        '`numpy.load("trace.npz")["encoder.0.attention.weights"]`.'
    )
    st.caption(sentences(csv, npz))
    choose_signs()


def _show_code(settings: Settings) -> None:
    st.markdown("**" + tr("Code") + "**")
    found, known = explore_call(settings), noted()
    if found is None:
        st.caption(tr("With dropout or this way of reading, no code draws exactly these pictures."))
        return
    codes = {
        key: one.picture.code
        for key, one in known.items()
        if one.picture is not None and one.picture.code is not None
    }
    offered = [*codes, "explore", *(["torch"] if has_twin(settings.config) else [])]
    names = {
        "explore": tr("everything it computed"),
        "torch": tr("the same model in torch.nn"),
    }
    chosen = st.selectbox(
        tr("Code for"),
        offered,
        format_func=lambda key: names.get(key) or known[key].name,
        key="take_code",
    )
    if chosen in codes:
        call = codes[chosen]
        made = picture_code(found, call.method, call.arguments, call.number)
    else:
        made = torch_code(found) if chosen == "torch" else explore_code(found)
    st.code(made, language="python")
    st.caption(
        tr(
            "Runs where `pip install` has installed this explorer. In code, everything counts "
            "from 0."
        )
    )


def _offer(label: str, file_name: str, make: Callable[[], bytes], kind: str, key: str) -> None:
    """A button to download a file, which is made when it is pressed."""
    st.download_button(
        label,
        make,
        file_name,
        kind,
        key=f"take_{key}",
        icon=":material/download:",
        on_click="ignore",
    )


def _trace(settings: Settings) -> bytes:
    batch, row = settings.batch(), settings.row
    ran = engine().run(settings.request, batch, row, dropout_seed=settings.dropout_seed)
    return trace_npz(ran.trace, batch, row)
