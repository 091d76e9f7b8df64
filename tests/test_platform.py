"""The explorer stands on Streamlit as it documents itself: nothing private, nothing replaced."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "explorer").rglob("*.py")]
PUBLIC = (
    "streamlit",
    "streamlit.components.v2",
    "streamlit.errors",
    "streamlit.starlette",
    "streamlit.testing.v1",
)
# The type of a container, which has no other name.
TYPES = {("streamlit.delta_generator", "DeltaGenerator")}


def names_used(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name of Streamlit's that a file uses, and the module that it takes it from."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "streamlit":
                    yield alias.name, ""
                    bound[alias.asname or "streamlit"] = alias.name if alias.asname else "streamlit"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "streamlit":
            yield from ((str(node.module), alias.name) for alias in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            *path, root = _chain(node)
            if root in bound:
                yield bound[root], ".".join(reversed(path))


def _chain(node: ast.expr) -> list[str]:
    """The names of `a.b.c`, the last one first; of anything else, no root."""
    if isinstance(node, ast.Attribute):
        return [node.attr, *_chain(node.value)]
    return [node.id if isinstance(node, ast.Name) else ""]


def is_public(module: str, name: str) -> bool:
    """Whether a name can be reached without an underscore from a documented module."""
    if (module, name) in TYPES:
        return True
    if module not in PUBLIC or any(part.startswith("_") for part in name.split(".")):
        return False
    found = importlib.import_module(module)
    return not name or hasattr(found, name.split(".")[0])


def test_only_what_streamlit_documents_is_used() -> None:
    for path in FILES:
        used = set(names_used(ast.parse(path.read_text(encoding="utf-8"))))
        assert not [name for name in used if not is_public(*name)], path


def test_nothing_of_streamlit_is_replaced() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if "streamlit" in text else "")):
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
                for target in targets:
                    assert not isinstance(target, ast.Attribute) or _chain(target)[-1] != "st", path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "setattr", f"{path}: it cannot be seen what this replaces"


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("import streamlit as st\nst.write(1)", set()),
        ("import streamlit as st\nst._main", {("streamlit", "_main")}),
        ("from streamlit.runtime import exists", {("streamlit.runtime", "exists")}),
        ("import streamlit.web.cli", {("streamlit.web.cli", "")}),
        ("from streamlit.delta_generator import DeltaGenerator", set()),
        ("from streamlit.errors import StreamlitAPIException", set()),
        ("import streamlit as st\nst.no_such_thing()", {("streamlit", "no_such_thing")}),
    ],
)
def test_the_check_sees_what_it_should(code: str, refused: set[tuple[str, str]]) -> None:
    assert {name for name in names_used(ast.parse(code)) if not is_public(*name)} == refused
