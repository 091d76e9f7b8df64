"""The texts of every page for some links. `python -m tests.golden` writes them to `records`.

Numbers may differ by one in their last digit, as they do from one make of processor to another.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from tests.app.driving import open_page
from tests.golden.links import links_to, name_of
from tests.golden.shown import shown

RECORDS: Final = Path(__file__).parent / "records"
_LINK: Final = "=== "
_NUMBER: Final = re.compile(r"[-−]?\d+(?:\.\d+|,\d+(?=e[+−-]))?(?:e[+−-]\d+)?")
_NOTHING: Final = 1e-5  # what remains where two computations agree: it differs from run to run


def read(page: str) -> dict[str, list[str]]:
    """The lines on record for each link of a page."""
    found: dict[str, list[str]] = {}
    for line in (RECORDS / f"{page}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(_LINK):
            found[line.removeprefix(_LINK)] = lines = []
        else:
            lines.append(line)
    return found


def write(page: str) -> None:
    """Record the present texts of a page."""
    text = "".join(
        f"{_LINK}{name_of(link)}\n" + "".join(f"{line}\n" for line in present_lines(page, link))
        for link in links_to(page)
    )
    RECORDS.mkdir(exist_ok=True)
    (RECORDS / f"{page}.txt").write_text(text, encoding="utf-8")


def present_lines(page: str, link: dict[str, Any]) -> list[str]:
    """The lines of a page as it is now."""
    at = open_page(page, **{"weights": None, **link})
    return [line.replace("\n", " ") for line in shown(at, frame=page == "home")]


def differences(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The lines that differ in more than the last digit of a number."""
    for old, new in zip_longest(before, after, fillvalue="(nothing)"):
        if not same(old, new):
            yield f"- {old}\n+ {new}"


def same(old: str, new: str) -> bool:
    """Whether two lines are equal, but for the last digits of numbers."""
    if old == new:
        return True
    numbers = [_NUMBER.findall(line) for line in (old, new)]
    if _NUMBER.split(old) != _NUMBER.split(new):
        return False
    return all(map(_close, *numbers))


def _close(old: str, new: str) -> bool:
    old, new = (number.replace(",", ".").replace("−", "-") for number in (old, new))
    if max(abs(float(old)), abs(float(new))) < _NOTHING:
        return True
    return abs(float(old) - float(new)) <= 1.01 * max(_unit(old), _unit(new))


def _unit(number: str) -> float:
    """The value of a number's last digit; of a whole number, nothing: it is exact."""
    digits, _, power = number.replace("−", "-").partition("e")
    _, point, fraction = digits.partition(".")
    if not point and not power:
        return 0.0
    return float(10.0 ** (int(power or 0) - len(fraction)))
