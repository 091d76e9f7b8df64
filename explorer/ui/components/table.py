"""The numbers behind a picture as a plain table: selectable, accessible and downloadable.

(`st.dataframe` would import pandas: 80 MB in every server process.)
"""

from collections.abc import Sequence

import streamlit as st

from explorer.export.tables import to_csv
from explorer.ui.components.component import as_json, component
from explorer.ui.components.noted import note

_component = component(
    "table",
    '<div class="table-scroll" tabindex="0" role="region"><table>'
    "<caption><span></span></caption><thead></thead><tbody></tbody></table></div>",
)


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    key: str,
    caption: str,
    sortable: bool = False,
) -> None:
    """Draw a table with row names in its first column and a button to download it as CSV.

    `sortable` lets the reader sort it by any column.
    """
    cells: list[list[object]] = [[str(cell) for cell in row] for row in rows]
    shown = {"header": list(header), "rows": cells, "caption": caption, "sortable": sortable}
    _component(key=key, data=as_json(shown))
    note(key, key, lambda: [list(header), *cells])
    st.download_button(
        "Download as CSV",
        lambda: to_csv([list(header), *cells]),
        f"{key}.csv",
        "text/csv",
        key=f"{key}_csv",
        icon=":material/download:",
        on_click="ignore",
    )
