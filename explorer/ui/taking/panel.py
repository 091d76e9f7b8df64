"""Take it with you: the panel at the end of every page."""

import io
import zipfile
from collections.abc import Callable
from functools import partial

import streamlit as st

from explorer.export.arrays import trace_npz
from explorer.export.code import explore_code, picture_code, torch_code
from explorer.export.tables import DecimalSign, Rows, to_csv
from explorer.figures.theme import THEMES
from explorer.interop import has_twin
from explorer.languages import sentences, tr
from explorer.runtime.engine import engine
from explorer.ui.components.csv_button import (
    choose_signs,
    csv_button,
    decimal_sign,
    reading_code,
)
from explorer.ui.components.noted import OPEN, Noted, noted
from explorer.ui.components.take_pictures import take_pictures
from explorer.ui.page import fold
from explorer.ui.registry import PAGES
from explorer.ui.settings import Settings
from explorer.ui.taking.about import about, choices_in_words
from explorer.ui.taking.scene import scene


def show_taking(settings: Settings, page: str) -> None:
    """The panel, folded away; what is in it is made only when it is open."""
    label, icon = tr("Take it with you"), ":material/download:"
    fold(label, OPEN, _show_content, settings, page, icon=icon)


def _show_content(settings: Settings, page: str) -> None:
    pictures, numbers = st.columns(2, gap="large")
    with pictures:
        st.markdown("**" + tr("Pictures") + "**")
        theme = THEMES[settings.theme]
        take_pictures(PAGES[page][1], about(settings), choices_in_words(), theme)
    with numbers:
        _show_numbers(settings, page)
    _show_code(settings)


def _show_numbers(settings: Settings, page: str) -> None:
    st.markdown("**" + tr("Numbers") + "**")
    found = noted()
    with st.container(horizontal=True, key="take_numbers"):
        for key, one in found.items():
            file = f"{one.name}.csv"
            csv_button(file, partial(_csv, one.rows), file, key=f"take_{key}")
        if len(found) > 1:
            every = partial(_all_csv, dict(found), decimal_sign())
            _offer(f"{page}-numbers.zip", every, "application/zip", "all")
        _offer("trace.npz", partial(_trace, settings), "application/octet-stream", "trace")
    codes = (
        reading_code(f"{one.name}.csv", one.picture.rows_of_first if one.picture else None)
        for one in found.values()
    )
    csv = tr("CSV opens in a spreadsheet; in Python: `{code}`.", code=next(codes)) if found else ""
    npz = tr(
        "`trace.npz` is everything that the model computed for this sentence: "
        '`numpy.load("trace.npz")["encoder.0.attention.weights"]`.'
    )
    st.caption(sentences(csv, npz))
    choose_signs()


def _show_code(settings: Settings) -> None:
    st.markdown("**" + tr("Code") + "**")
    found, known = scene(settings), noted()
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
            "Runs where `pip install` has installed this explorer. In code, layers and heads "
            "count from 0."
        )
    )


def _offer(file_name: str, make: Callable[[], bytes], kind: str, key: str) -> None:
    """A button to download a file, which is made when it is pressed."""
    st.download_button(
        file_name,
        make,
        file_name,
        kind,
        key=f"take_{key}",
        icon=":material/download:",
        on_click="ignore",
    )


def _csv(rows: Callable[[], Rows], decimal: DecimalSign) -> bytes:
    return to_csv(rows(), decimal)


def _all_csv(found: dict[str, Noted], decimal: DecimalSign) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, one in found.items():
            same = sum(other.name == one.name for other in found.values()) > 1
            name = f"{one.name}-{key}.csv" if same else f"{one.name}.csv"
            archive.writestr(name, to_csv(one.rows(), decimal))
    return file.getvalue()


def _trace(settings: Settings) -> bytes:
    batch, row = settings.batch(), settings.row
    ran = engine().run(settings.request, batch, row, dropout_seed=settings.dropout_seed)
    return trace_npz(ran.trace, batch, row)
