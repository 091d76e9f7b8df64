from explorer.places import COMPONENTS
from explorer.ui.styles import STYLES


def test_every_style_sheet_is_in_the_page_and_none_of_them_ends_it() -> None:
    assert "</" not in STYLES
    for sheet in COMPONENTS.glob("*.css"):
        assert sheet.read_text() in STYLES
