"""The picture in docs/architecture.md shows how the parts of the code import each other."""

import re
from itertools import chain
from pathlib import Path

from tests.test_imports import MODULES, PAGES, ROOT, imported_by

PICTURE = re.search(r"```mermaid\n(.*?)```", (ROOT / "docs/architecture.md").read_text(), re.S)
FILES = {
    **MODULES,
    **{f"pages.{name}": path for name, path in PAGES.items()},
    "app": ROOT / "app.py",
    "explorer": ROOT / "explorer" / "__init__.py",
}


def drawn() -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    """For every box the files and folders that its label names, and its arrows."""
    assert PICTURE is not None
    labels, arrows = {}, {}
    for box, label, targets in re.findall(r'^ *(\w+)\["(.+?)"\](?: --> (.+))?$', PICTURE[1], re.M):
        labels[box] = label.replace("<br>", " ").split()
        arrows[box] = set(targets.split(" & ")) - {""}
    return labels, arrows


LABELS, ARROWS = drawn()


def box_of(path: Path) -> str | None:
    """The box whose label names this file most exactly."""
    inside = path.is_relative_to(ROOT / "explorer")
    name = path.relative_to(ROOT / "explorer" if inside else ROOT).as_posix()
    fits = [
        (len(entry), box)
        for box, entries in LABELS.items()
        for entry in entries
        if (name.startswith(entry) if entry.endswith("/") else name in (entry, f"{entry}.py"))
    ]
    return max(fits)[1] if fits else None


def reached(box: str, without: tuple[str, str] | None = None) -> set[str]:
    """The boxes that can be reached along arrows, all but one of them."""
    found: set[str] = set()
    todo = [box]
    while todo:
        here = todo.pop()
        new = {to for to in ARROWS[here] if (here, to) != without} - found
        found |= new
        todo += new
    return found


def imports() -> dict[tuple[str, str], str]:
    """Pairs of boxes, each with a file of the first that imports one of the second."""
    homes = {name: box_of(path) for name, path in FILES.items()}
    return {
        (here, there): name
        for name, path in FILES.items()
        for asked in imported_by(path) & FILES.keys() - {"explorer"}
        if (here := homes[name]) and (there := homes[asked]) and here != there
    }


def test_every_file_is_in_a_box_and_every_label_names_one() -> None:
    assert not [name for name, path in FILES.items() if box_of(path) is None]
    assert set(LABELS) == {box_of(path) for path in FILES.values()}
    assert set(chain(*ARROWS.values())) <= set(LABELS)


def test_no_arrow_leads_back() -> None:
    assert not [box for box in LABELS if box in reached(box)]


def test_every_import_follows_the_arrows() -> None:
    against = {pair: name for pair, name in imports().items() if pair[1] not in reached(pair[0])}
    assert not against


def test_every_arrow_is_an_import_without_another_path() -> None:
    arrows = [(box, to) for box in ARROWS for to in sorted(ARROWS[box])]
    found = imports()
    assert not [arrow for arrow in arrows if arrow not in found]
    detours = [(box, to) for box, to in arrows if to in reached(box, without=(box, to))]
    assert not detours, "the picture is simpler without these arrows"
