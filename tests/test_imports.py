"""Who may know whom: every module in a fresh interpreter, and what its import drags in."""

import ast
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
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

# Imports one module after another, each time as if it were the first of the project, so that a
# circular import shows whichever module is asked for first. Other packages stay loaded: a room
# imports its modules in one interpreter, which shows what the whole room drags in. Before a module
# of the user interface, only that room is forgotten: no other room can import it.
IMPORT_ALL = """
import importlib, json, sys
seen = {}
_, room, *names = sys.argv
for name in names:
    for loaded in [loaded for loaded in sys.modules if f"{loaded}.".startswith(f"{room}.")]:
        del sys.modules[loaded]
    importlib.import_module(name)
    seen[name] = sorted(
        {loaded if loaded.startswith("explorer.") else loaded.partition(".")[0]
         for loaded in sys.modules}
    )
print(json.dumps(seen))
"""


def import_all(names: list[str]) -> dict[str, set[str]]:
    """For every module what was loaded once it was imported."""
    room = "explorer.ui" if names == UI else "explorer"
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, room, *names], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {name: set(loaded) for name, loaded in json.loads(done.stdout).items()}


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    with ThreadPoolExecutor(3) as rooms:
        named = ([*FIGURES, *RENDER], [*ENGINE, *VIEWS, *FRAMES], UI)
        figures, engine, ui = rooms.map(import_all, named)
    return figures | engine | ui


def imported_by(path: Path) -> set[str]:
    """Full names of the modules that a file's own import statements ask for."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import, which this test does not read"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def packages(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def rooms(names: set[str], room: str) -> set[str]:
    return {name for name in names if name == room or name.startswith(f"{room}.")}


@pytest.mark.parametrize("name", ENGINE)
def test_engine_knows_no_picture_and_no_page(name: str, loaded: dict[str, set[str]]) -> None:
    assert not loaded[name] & {"streamlit", "plotly"}
    assert not rooms(loaded[name], "explorer.figures") | rooms(loaded[name], "explorer.ui")


@pytest.mark.parametrize("name", [*VIEWS, *FRAMES])
def test_views_and_their_frames_know_no_page(name: str, loaded: dict[str, set[str]]) -> None:
    assert not loaded[name] & {"streamlit", "plotly"}
    assert not rooms(loaded[name], "explorer.ui")


@pytest.mark.parametrize("name", VIEWS)
def test_views_hold_no_arithmetic_of_torch(name: str) -> None:
    assert "torch" not in packages(imported_by(MODULES[name]))


def test_no_room_asks_for_one_that_comes_after_it() -> None:
    """Also inside functions: from what is asked for, no way leads back."""
    order = ("export", "views", "notebook", "exploration", "ui")
    asked = {name: imported_by(path) for name, path in MODULES.items()}
    for place, room in enumerate(order):
        after = order[place + 1 :]
        for name in rooms(set(MODULES), f"explorer.{room}"):
            later = {one for one in after if rooms(asked[name], f"explorer.{one}")}
            assert not later, f"{name} asks for {later}"


@pytest.mark.parametrize("name", FIGURES)
def test_figures_know_neither_the_model_nor_torch(name: str, loaded: dict[str, set[str]]) -> None:
    assert not loaded[name] & {"streamlit", "torch"}
    known = rooms(loaded[name], "explorer") - {"explorer", "explorer.languages", "explorer.places"}
    assert known == rooms(loaded[name], "explorer.figures")


@pytest.mark.parametrize("name", RENDER)
def test_renderers_know_figures_alone(name: str, loaded: dict[str, set[str]]) -> None:
    assert not loaded[name] & {"streamlit", "torch", "plotly"}
    known = rooms(loaded[name], "explorer") - {"explorer", "explorer.languages", "explorer.places"}
    assert known == rooms(loaded[name], "explorer.figures") | rooms(loaded[name], "explorer.render")


@pytest.mark.parametrize("name", UI)
def test_every_ui_module_can_be_the_first_import(name: str, loaded: dict[str, set[str]]) -> None:
    assert name in loaded[name]


def test_no_module_brings_pandas(loaded: dict[str, set[str]]) -> None:
    # It would take 80 MB of every server process.
    assert not {name for name, names in loaded.items() if "pandas" in names}


def test_only_the_ui_asks_for_streamlit() -> None:
    asking = {name for name, path in MODULES.items() if "streamlit" in packages(imported_by(path))}
    assert asking
    assert asking <= set(UI)


def test_only_a_drawing_asks_for_plotly() -> None:
    asking = {name for name, path in MODULES.items() if "plotly" in packages(imported_by(path))}
    assert asking == {"explorer.figures.drawing"}
    for path in (*PAGES.values(), ROOT / "app.py"):
        assert "plotly" not in packages(imported_by(path)), path


@pytest.mark.parametrize("name", PAGES)
def test_pages_hold_no_maths_and_no_tensors(name: str) -> None:
    assert not packages(imported_by(PAGES[name])) & {"torch", "numpy"}


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


@pytest.mark.parametrize("name", PAGES)
def test_pages_do_not_import_each_other(name: str) -> None:
    assert not packages(imported_by(PAGES[name])) & {"pages", "app", *PAGES}


@pytest.mark.parametrize("name", MODULES)
def test_nothing_in_the_package_imports_a_page(name: str) -> None:
    assert not packages(imported_by(MODULES[name])) & {"pages", "app"}
