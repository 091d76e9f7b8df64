"""The numbers behind a picture as a plain table: selectable, accessible and downloadable.

(`st.dataframe` would import pandas: 80 MB in every server process.)
"""

from collections.abc import Sequence

from explorer.export.tables import DecimalSign, Rows, to_csv
from explorer.languages import decimal_and_group, for_programs, numeral, tr
from explorer.ui.components.component import component
from explorer.ui.components.csv_button import csv_button
from explorer.ui.taking.noted import note_rows

# Draws a table of texts, numbers on colours, and vectors; rows may be chosen.
show_table = component(
    "table",
    '<div class="table-scroll" tabindex="0" role="region"><table><caption><span></span></caption>'
    "<thead></thead><tbody></tbody><tfoot></tfoot></table></div>",
    together=True,
)


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    key: str,
    caption: str,
) -> None:
    """Draw a table with row names in its first column and a button to download it as CSV.

    Numbers are written as the reader's language does, and in the file as `csv_button` says.
    """
    cells = [[cell if isinstance(cell, str) else numeral(cell) for cell in row] for row in rows]
    signs = decimal_and_group()
    show_table(key=key, data={"header": list(header), "rows": cells, "caption": caption})

    def for_file() -> Rows:
        rows: Rows = [[for_programs(cell, signs) for cell in row] for row in cells]
        return [[*header], *rows]

    def make(decimal: DecimalSign) -> bytes:
        return to_csv(for_file(), decimal)

    note_rows(key, key, for_file)
    csv_button(tr("Download as CSV"), make, f"{key}.csv", key=f"{key}_csv")
