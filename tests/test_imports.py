"""Who imports whom: along the arrows in docs/architecture.md; and who knows which library."""

import ast
import json
import re
import subprocess
import sys
from functools import cache
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for pattern in ("app.py", "pages/*.py", "explorer/**/*.py")
    for path in sorted(ROOT.glob(pattern))
    if path.name != "__init__.py" or path.parent.name == "explorer"
}
CHARTS = "explorer.drawing.plotly"  # is itself loaded only when it is needed
PAGES = {name for name in FILES if name.startswith("pages.")}
PICTURE = (
    (ROOT / "docs/architecture.md").read_text().partition("```mermaid\n")[2].partition("```")[0]
)
# The boxes of the picture: the files and folders that a label names, and the arrows.
BOXES = re.findall(r'^ *(\w+)\["(.+?)"\](?: --> (.+))?$', PICTURE, re.MULTILINE)
LABELS = {box: label.replace("<br>", " ").split() for box, label, _ in BOXES}
ARROWS = {box: set(targets.split(" & ")) - {""} for box, _, targets in BOXES}

# Imports each list of modules in turn, and prints which modules are loaded after each list.
IMPORT_ALL = """
import importlib, json, sys
for names in json.loads(sys.argv[1]):
    for name in names:
        importlib.import_module(name)
    print(json.dumps(sorted(sys.modules)))
"""


@cache
def imported_by(path: Path) -> set[str]:
    """Full names of the modules in a file's own import statements."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import, which this test does not read"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def users(package: str) -> set[str]:
    """The files that import from a package."""
    return {
        name
        for name, path in FILES.items()
        if any(asked.partition(".")[0] == package for asked in imported_by(path))
    }


def box_of(path: Path) -> str:
    """The box whose label names this file most exactly."""
    inside = path.is_relative_to(ROOT / "explorer")
    name = path.relative_to(ROOT / "explorer" if inside else ROOT).as_posix()
    return max(
        (len(entry), box)
        for box, entries in LABELS.items()
        for entry in entries
        if (name.startswith(entry) if entry.endswith("/") else name in (entry, f"{entry}.py"))
    )[1]


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


def test_every_import_follows_the_arrows_and_every_arrow_is_needed() -> None:
    homes = {name: box_of(path) for name, path in FILES.items()}
    assert set(homes.values()) == set(LABELS) >= set(chain(*ARROWS.values()))
    imports = {
        (homes[name], homes[asked]): name
        for name, path in FILES.items()
        for asked in imported_by(path) & FILES.keys() - {"explorer"}
        if homes[name] != homes[asked]
    }
    assert not {pair: name for pair, name in imports.items() if pair[1] not in reached(pair[0])}
    assert not [box for box in LABELS if box in reached(box)]
    arrows = {(box, to) for box in ARROWS for to in ARROWS[box]}
    assert arrows <= imports.keys()
    assert not [(box, to) for box, to in arrows if to in reached(box, without=(box, to))]


def test_only_some_files_know_a_library() -> None:
    assert users("plotly") == {CHARTS}
    assert all(name.startswith(("explorer.ui.", "app")) for name in users("streamlit") - PAGES)
    assert not [name for name in users("torch") if name.startswith("explorer.views.")]
    for nowhere in ("torch", "numpy"):
        assert not users(nowhere) & PAGES
    assert not users("pages") | users("training")


def test_imports_drag_in_no_more() -> None:
    """In a fresh interpreter: pictures need no model, the engine no interface, nothing pandas."""
    usual = FILES.keys() - {CHARTS, "explorer.__main__"}
    inside = [name for name in FILES if name.startswith("explorer.") and name in usual]
    pictures, ui = (
        [name for name in inside if name.split(".")[1] in names]
        for names in (("drawing", "figures", "render"), ("ui",))
    )
    others = [name for name in inside if name not in (*pictures, *ui)]
    command = [sys.executable, "-c", IMPORT_ALL, json.dumps([pictures, others, ui])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    drawn, engine, whole = (set(json.loads(line)) for line in done.stdout.splitlines())
    assert not drawn & {"streamlit", "torch", "plotly", "explorer.config"}
    assert not engine & {"streamlit", "plotly", "pandas", "explorer.ui"}
    # In every server process, pandas would take 80 MB, and the parts of plotly that draw 10.
    assert not whole & {"pandas", CHARTS}


def test_tests_and_benchmarks_speak_the_protocol_in_one_file() -> None:
    private = re.compile(
        r"^\s*(from|import) streamlit\.(runtime|elements|proto|web)\b", re.MULTILINE
    )
    using = {
        path.relative_to(ROOT).as_posix()
        for folder in ("tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        if private.search(path.read_text())
    }
    assert using == {"tests/support/wire.py"}
