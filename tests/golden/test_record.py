"""Every page shows the same as its record: whoever changes a page changes the record, too."""

import pytest

from explorer.choices.pages import PAGES
from tests.golden.links import links_to, name_of
from tests.golden.record import differences, present_lines, read, same

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("page", PAGES)
def test_page_shows_what_is_on_record(page: str) -> None:
    on_record = read(page)
    assert list(on_record) == list(map(name_of, links_to(page)))
    changed = []
    for link in links_to(page):
        found = list(differences(on_record[name_of(link)], present_lines(page, link)))
        changed += [f"{page}: {name_of(link)}", *found] if found else []
    assert not changed, "if this is meant, run `python -m tests.golden`:\n" + "\n".join(changed)


@pytest.mark.parametrize(
    ("old", "new", "alike"),
    [
        ("weight 0.41", "weight 0.42", True),
        ("weight 0.41", "weight 0.43", False),
        ("head 5", "head 6", False),
        ("at most 1e-07", "at most 3e-07", True),
        ("sum 2,5e-07", "sum -9,2e-08", True),
        ("sum 2", "sum -2", False),
        ("1,024 rows", "1,025 rows", False),
        ("at most 1e-07", "at most 3e-03", False),
        ("“cat” 0.5", "“dog” 0.5", False),
    ],
)
def test_only_the_last_digit_of_a_number_may_differ(old: str, new: str, alike: bool) -> None:
    assert same(old, new) is alike
