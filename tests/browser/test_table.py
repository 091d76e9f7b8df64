"""A table in the browser, and its file."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from tests.browser.heads import weights_in
from tests.browser.visitor import PHONE, Visitor, address_of

SRC, TGT = "the dog saw the cat", "der Hund sah"
ADDRESS = {"pairs": 1, "src": SRC, "tgt": TGT}

# The heights of a table's rows, and the width of the fade at its right, in pixels.
ROWS_AND_FADE = """scrolled => [
  [...scrolled.querySelectorAll("tbody tr")].map(row => row.offsetHeight),
  parseFloat(getComputedStyle(scrolled).getPropertyValue("--faded")),
]"""


def test_a_german_file_is_read_by_the_code_beside_it(
    visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    person = visit(address_of("attention", drawer="take", **ADDRESS, lang="de"))
    code = person.page.locator(".st-key-drawer code").filter(has_text="read_csv")
    switch = person.page.locator(".st-key-csv_points label")
    for is_german in (True, False):
        expect(code).to_contain_text('sep=";", decimal=","' if is_german else '.csv"')
        name, arguments = re.fullmatch(
            r'pandas.read_csv\("(.*?)"(.*)\)', code.inner_text()
        ).groups()
        with person.page.expect_download() as coming:
            person.page.locator(".st-key-take_csv button").click()
        path = tmp_path / name
        coming.value.save_as(path)
        read = eval(f"pandas.read_csv(path{arguments})", {"pandas": pd, "path": path})
        weights = weights_in("encoder", 1)[0]
        np.testing.assert_allclose(read.iloc[:, 1:], weights, atol=1e-6)
        if is_german:
            switch.click()
            expect(code).not_to_contain_text("sep=")
            person.settle()


def test_on_a_phone_row_names_fit_in_one_line_and_the_cut_edge_fades(
    visit: Callable[..., Visitor],
) -> None:
    person = visit(address_of("attention", drawer="heads", weights="translator"), **PHONE)
    table = person.page.locator(".st-key-cross-heads .table-scroll")
    heights, faded = table.evaluate(ROWS_AND_FADE)
    assert max(heights) < 40
    assert faded == pytest.approx(28)
    table.evaluate("scrolled => { scrolled.scrollLeft = scrolled.scrollWidth; }")
    expect(table).to_have_css("--faded", "0px")
