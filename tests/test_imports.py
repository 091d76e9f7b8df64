"""Who may know whom: every module in a fresh interpreter, and what its import drags in."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in sorted((ROOT / "explorer").rglob("*.py"))
    if path.name != "__init__.py"
}
PAGES = {path.stem: path for path in sorted((ROOT / "pages").rglob("*.py"))}
FIGURES = [name for name in MODULES if name.startswith("explorer.figures.")]
RENDER = [name for name in MODULES if name.startswith("explorer.render.")]
UI = [name for name in MODULES if name.startswith("explorer.ui.")]
VIEWS = [name for name in MODULES if name.startswith("explorer.views.")]
FRAMES = [
    name
    for name in MODULES
    if name.startswith(("explorer.export.", "explorer.notebook.", "explorer.exploration"))
]
NO_ENGINE = (*FIGURES, *RENDER, *VIEWS, *FRAMES, *UI)
ENGINE = [name for name in MODULES if name not in NO_ENGINE]

# Each list of modules after those before it, in one interpreter; what is loaded after each.
IMPORT_ALL = """
import importlib, json, sys
seen = []
for names in json.loads(sys.argv[1]):
    for name in names:
        importlib.import_module(name)
    seen.append(sorted(
        {loaded if loaded.startswith("explorer.") else loaded.partition(".")[0]
         for loaded in sys.modules}
    ))
print(json.dumps(seen))
"""


def import_all(*rooms: list[str]) -> list[set[str]]:
    """What is loaded in a fresh interpreter after each of these rooms."""
    command = [sys.executable, "-c", IMPORT_ALL, json.dumps(rooms)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [set(loaded) for loaded in json.loads(done.stdout)]


@cache
def imported_by(path: Path, *, at_once: bool = False) -> set[str]:
    """Full names of the modules that a file's own import statements ask for.

    With `at_once`, only those that are carried out as the file itself is imported.
    """
    names: set[str] = set()
    tree = ast.parse(path.read_text())
    for node in _carried_out(tree) if at_once else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import, which this test does not read"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _carried_out(node: ast.AST) -> Iterator[ast.AST]:
    """The statements that run when the module is imported."""
    for child in ast.iter_child_nodes(node):
        is_for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not is_for_types and not isinstance(child, ast.FunctionDef | ast.expr):
            yield child
            yield from _carried_out(child)


def packages(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def rooms(names: set[str], room: str) -> set[str]:
    return {name for name in names if name == room or name.startswith(f"{room}.")}


def test_no_module_asks_for_itself_in_a_circle() -> None:
    """Or whether it can be imported would depend on which is imported first."""
    known = MODULES | {
        ".".join(path.relative_to(ROOT).parent.parts): path
        for path in (ROOT / "explorer").rglob("__init__.py")
    }
    asked = {name: imported_by(path, at_once=True) & known.keys() for name, path in known.items()}
    TopologicalSorter(asked).prepare()  # raises CycleError, which names them


@pytest.fixture(scope="module")
def loaded() -> list[set[str]]:
    """After the figures, the renderers, the engine with views and their frames, and the UI."""
    return import_all(FIGURES, RENDER, [*ENGINE, *VIEWS, *FRAMES], UI)


def test_engine_views_and_their_frames_know_no_page(loaded: list[set[str]]) -> None:
    views = loaded[2]
    assert not views & {"streamlit", "plotly", "pandas"}
    assert not rooms(views, "explorer.ui")


def test_views_hold_no_arithmetic_of_torch() -> None:
    assert not [name for name in VIEWS if "torch" in packages(imported_by(MODULES[name]))]


def test_figures_and_renderers_know_neither_the_model_nor_torch(loaded: list[set[str]]) -> None:
    figures, render = loaded[:2]
    assert not render & {"streamlit", "torch", "plotly"}
    around = {"explorer", "explorer.languages", "explorer.paths"}
    assert rooms(figures, "explorer") - around == rooms(figures, "explorer.figures")
    known = rooms(render, "explorer.figures") | rooms(render, "explorer.render")
    assert rooms(render, "explorer") - around == known


def test_no_page_brings_pandas(loaded: list[set[str]]) -> None:
    # It would take 80 MB of every server process.
    assert "pandas" not in loaded[3]


def test_only_the_ui_asks_for_streamlit() -> None:
    asking = {name for name, path in MODULES.items() if "streamlit" in packages(imported_by(path))}
    assert asking
    assert asking <= set(UI)


def test_only_a_drawing_asks_for_plotly() -> None:
    asking = {name for name, path in MODULES.items() if "plotly" in packages(imported_by(path))}
    assert asking == {"explorer.figures.drawing"}
    for path in (*PAGES.values(), ROOT / "app.py"):
        assert "plotly" not in packages(imported_by(path)), path


def test_pages_hold_no_maths_and_no_tensors_and_do_not_import_each_other() -> None:
    for name, path in PAGES.items():
        others = {"torch", "numpy", "pages", "app", *PAGES}
        assert not packages(imported_by(path)) & others, name


# What Streamlit does not document: its inner packages, and names that only its insides have.
INSIDE = re.compile(
    r"streamlit\.(runtime|elements|proto|web|delta_generator_singletons)\b|components\.v1"
    r"|get_script_run_ctx|run_with_active_hash|page_script_hash|is_active_session|_DEFAULT_LIVE"
)


def test_undocumented_streamlit_stands_in_one_folder() -> None:
    using = {
        path.parent.relative_to(ROOT).as_posix()
        for path in (*MODULES.values(), *PAGES.values(), ROOT / "app.py")
        if INSIDE.search(path.read_text())
    }
    assert using == {"explorer/ui/internals"}
