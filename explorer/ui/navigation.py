"""The places, the pages of the place on show, and links to the previous and the next page."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer.languages import tr
from explorer.ui.components.corner import corner
from explorer.ui.controls.choices import value
from explorer.ui.language import for_browser, take_language
from explorer.ui.parameters import Frame
from explorer.ui.registry import PAGES, PLACES


def draw_navigation(links: Mapping[str, st.Page]) -> None:
    """Draw two rows; on a phone they are one bar, with a list of all pages.

    `links` are Streamlit's page objects: it need not look for their files.
    """
    here = st.session_state.page_on_show
    last: dict[str, str] = st.session_state.setdefault("last_pages", {})
    last |= {place: here for place, pages in PLACES.items() if here in pages}
    with st.container(key="places", horizontal=True, vertical_alignment="center"):
        for place, pages in PLACES.items():
            _link(links, last.get(place, next(iter(pages))), place)
        st.space("stretch")
        _link(links, "words")
        corner(here, for_browser(), on_language=take_language)
    with st.container(key="shelf", horizontal=True, vertical_alignment="center"):
        place = next((place for place, pages in PLACES.items() if here in pages), "")
        with st.container(key="pages", horizontal=True, width="stretch"):
            for name in PLACES.get(place, {}):
                _link(links, name)
        _draw_neighbours(links, here, place)


def _draw_neighbours(links: Mapping[str, st.Page], here: str, place: str) -> None:
    """The previous page, all pages as a list, and the next page."""
    names = list(links)
    at = names.index(here)
    on_tour = value(Frame.tour) is not None  # the tour has its own links
    with st.container(key="page_before", width="content"):
        if at > 0 and not on_tour:
            _link(links, names[at - 1], icon=":material/chevron_left:")
    where = tr(PAGES[here][1])
    label = f"**{where}**" if tr(place) in ("", where) else f"{tr(place)} · **{where}**"
    # With the page in its key, it closes when another one is chosen.
    listed = st.popover(label, key=f"all_pages_{here}", width="stretch", on_change="rerun")
    if listed.open:
        with listed:
            for name, pages in PLACES.items():
                st.caption(tr(name))
                with st.container(horizontal=True, gap="small"):
                    for page in pages:
                        _link(links, page)
            _link(links, "words")
    with st.container(key="page_after", width="content"):
        if at + 1 < len(names) and not on_tour:
            _link(links, names[at + 1], icon=":material/chevron_right:", icon_position="right")


def _link(links: Mapping[str, st.Page], page: str, label: str | None = None, **more: Any) -> None:
    st.page_link(links[page], label=tr(label or PAGES[page][1]), **more)
