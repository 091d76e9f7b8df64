"""The scripts that a browser fetches early exist, and the pages need them."""

import re
from pathlib import Path

import pytest
import streamlit

from explorer.paths import COMPONENTS
from explorer.ui.web.ahead import DRAWN_BY_STREAMLIT, DRAWN_BY_US, links, script_of

STATIC = Path(streamlit.__file__).with_name("static")


@pytest.mark.parametrize("kind", DRAWN_BY_STREAMLIT)
def test_streamlit_has_one_script_for_each_kind_of_element(kind: str) -> None:
    (script,) = script_of(kind)
    assert f'href="./static/js/{script.name}"' in links()


def test_all_named_files_exist_and_are_named_once() -> None:
    named = re.findall(r' href="([^"?]+)', links())
    assert len(named) == len(set(named))
    for name in named:
        file = STATIC / name if name.startswith("./") else COMPONENTS / Path(name).name
        assert file.is_file()
    assert {f"scripts/{name}.js" for name in DRAWN_BY_US} <= set(named)


def test_files_that_the_first_page_names_are_not_named_again() -> None:
    first_page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not [name for name in re.findall(r' href="([^"?]+)', links()) if name in first_page]
