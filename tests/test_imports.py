"""Which packages may import which, and what their imports load in a fresh interpreter."""

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
CHARTS = "explorer.figures.plotly"  # loads plotly, and is itself loaded only when it is needed
FIGURES = [n for n in MODULES if n.startswith("explorer.figures.") and n != CHARTS]
RENDER = [name for name in MODULES if name.startswith("explorer.render.")]
UI = [name for name in MODULES if name.startswith("explorer.ui.")]
VIEWS = [name for name in MODULES if name.startswith("explorer.views.")]
FRAMES = [
    name
    for name in MODULES
    if name.startswith(("explorer.export.", "explorer.notebook.", "explorer.exploration"))
]
NO_ENGINE = (CHARTS, *FIGURES, *RENDER, *VIEWS, *FRAMES, *UI)
ENGINE = [name for name in MODULES if name not in NO_ENGINE]

# Imports each list of modules in turn, and prints which modules are loaded after each list.
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


def import_all(*groups: list[str]) -> list[set[str]]:
    """The modules that are loaded after each group is imported, in one fresh interpreter."""
    command = [sys.executable, "-c", IMPORT_ALL, json.dumps(groups)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [set(loaded) for loaded in json.loads(done.stdout)]


@cache
def imported_by(path: Path, *, at_once: bool = False) -> set[str]:
    """Full names of the modules in a file's own import statements.

    With `at_once`, only those that run when the file itself is imported.
    """
    names: set[str] = set()
    tree = ast.parse(path.read_text())
    for node in _run_on_import(tree) if at_once else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import, which this test does not read"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below this one that run when the module is imported."""
    for child in ast.iter_child_nodes(node):
        is_for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not is_for_types and not isinstance(child, ast.FunctionDef | ast.expr):
            yield child
            yield from _run_on_import(child)


def packages(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def within(package: str, names: set[str]) -> set[str]:
    return {name for name in names if name == package or name.startswith(f"{package}.")}


def test_no_module_imports_itself_in_a_circle() -> None:
    """In a circle, it would depend on the order whether a module can be imported."""
    known = MODULES | {
        ".".join(path.relative_to(ROOT).parent.parts): path
        for path in (ROOT / "explorer").rglob("__init__.py")
    }
    graph = {name: imported_by(path, at_once=True) & known.keys() for name, path in known.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names them


@pytest.fixture(scope="module")
def loaded() -> list[set[str]]:
    """The modules loaded after figures, renderers, engine with views, and UI."""
    return import_all(FIGURES, RENDER, [*ENGINE, *VIEWS, *FRAMES], UI)


def test_the_engine_and_its_views_import_no_ui(loaded: list[set[str]]) -> None:
    views = loaded[2]
    assert not views & {"streamlit", "plotly", "pandas"}
    assert not within("explorer.ui", views)


def test_views_do_not_import_torch() -> None:
    assert not [name for name in VIEWS if "torch" in packages(imported_by(MODULES[name]))]


def test_figures_and_renderers_import_neither_the_model_nor_torch(loaded: list[set[str]]) -> None:
    figures, render = loaded[:2]
    assert not render & {"streamlit", "torch", "plotly"}
    around = {"explorer", "explorer.languages", "explorer.paths"}
    assert within("explorer", figures) - around == within("explorer.figures", figures)
    known = within("explorer.figures", render) | within("explorer.render", render)
    assert within("explorer", render) - around == known


def test_the_ui_imports_neither_pandas_nor_charts(loaded: list[set[str]]) -> None:
    # Pandas would take 80 MB in every server process, the parts of plotly that draw 10.
    assert not loaded[3] & {"pandas", CHARTS}


def test_only_the_ui_imports_streamlit() -> None:
    users = {name for name, path in MODULES.items() if "streamlit" in packages(imported_by(path))}
    assert users
    assert users <= set(UI)


def test_one_module_imports_plotly() -> None:
    users = {name for name, path in MODULES.items() if "plotly" in packages(imported_by(path))}
    assert users == {CHARTS}
    for path in (*PAGES.values(), ROOT / "app.py"):
        assert "plotly" not in packages(imported_by(path)), path


def test_pages_import_neither_torch_nor_numpy_nor_each_other() -> None:
    for name, path in PAGES.items():
        others = {"torch", "numpy", "pages", "app", *PAGES}
        assert not packages(imported_by(path)) & others, name


def test_nothing_knows_the_training_of_the_translator() -> None:
    """It imports the explorer, and is not in the package."""
    files = [ROOT / "app.py", *MODULES.values(), *PAGES.values()]
    files += [path for name in ("tests", "benchmarks") for path in (ROOT / name).rglob("*.py")]
    assert not [path for path in files if "training" in packages(imported_by(path))]


PRIVATE = re.compile(r"^\s*(from|import) streamlit\.(runtime|elements|proto|web)\b", re.MULTILINE)


def test_tests_and_benchmarks_speak_the_protocol_in_one_file() -> None:
    using = {
        path.relative_to(ROOT).as_posix()
        for folder in ("tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        if PRIVATE.search(path.read_text())
    }
    assert using == {"tests/support/wire.py"}
