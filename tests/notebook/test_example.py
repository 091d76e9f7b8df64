"""The example notebook, run by a real kernel."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[nbformat.NotebookNode]:
    notebook = nbformat.read(ROOT / "notebooks" / "explore.ipynb", as_version=4)
    path = str(tmp_path_factory.mktemp("notebook"))
    setup = nbformat.v4.new_code_cell(f"import sys; sys.path.insert(0, {str(ROOT)!r})")
    notebook.cells.insert(0, setup)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path}})
    return [cell for cell in client.execute().cells if cell.cell_type == "code"]


@pytest.mark.all
def test_every_picture_is_small_and_needs_no_other_file(cells: list[nbformat.NotebookNode]) -> None:
    shown = [
        output.data
        for cell in cells
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    assert len(shown) == 8
    for data in shown:
        assert "plotly.js v" not in data["text/html"]
        assert len(data["text/html"]) < 400_000
        assert "<script src=" not in data["text/html"]
        assert "Weights: " in data["text/plain"] or "→" in data["text/plain"]


def test_the_notebook_in_the_repository_has_no_outputs() -> None:
    notebook = nbformat.read(ROOT / "notebooks" / "explore.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
