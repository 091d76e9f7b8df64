"""What a page offers to take away: its numbers, and code that draws its pictures again."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from explorer.ui.components.noted import OPEN
from tests.app.driving import components, open_page, pictures
from tests.figures.reading import array, heatmaps

ROOT = Path(__file__).parents[2]
# Runs every code as if it were a script of its own, and says which numbers its picture has.
RUN_ALL = """
import json, sys
from explorer.notebook.picture import Picture
found = []
Picture.show = lambda picture: found.append([
    [trace.z.tolist() for trace in figure.data if trace.type == "heatmap"]
    for figure in picture.figures
])
for code in json.load(sys.stdin):
    exec(compile(code, "code", "exec"), {"__name__": "__main__"})
print(json.dumps(found))
"""
CHOICES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("attention", {"weights": "translator", "src": 'say "=1+1" \\ now'}, ["one_head", "all_heads"]),
    (
        "masks",
        {"d_model": 32, "heads": 2, "side": "left", "length": 9},
        ["one_mask"],
    ),
    (
        "masks",
        {"weights": "reverse", "attention": "cross", "length": 9},
        ["one_mask"],
    ),
    ("positions", {"weights": "reverse", "aspect": "inputs"}, ["inputs"]),
    ("positions", {"aspect": "encoding", "base": 100, "formula": "doubled"}, ["encoding"]),
    (
        "steps",
        {"weights": "reverse", "step": "softmax", "form": "matrix", "head": 2},
        ["head_weights", "step_picture"],
    ),
    (
        "steps",
        {"weights": "untrained", "heads": 1, "d_model": 32, "step": "softmax", "form": "matrix"},
        ["head_weights"],
    ),
    (
        "stack",
        {"weights": "reverse", "stop": 4, "stop_shows": "change"},
        ["stop_picture"],
    ),
    (
        "stack",
        {"weights": "reverse", "stack_shows": "stream", "stop": 4, "stream": "norm"},
        ["stream_picture"],
    ),
    ("stack", {"weights": "reverse", "stack_shows": "lens"}, ["lens_picture"]),
    ("decoding", {"weights": "reverse", "method": "beam", "at": 2}, ["alignment"]),
]


def code_of(at: AppTest, key: str) -> str:
    """The code that an open panel shows for a picture."""
    at.session_state["take_code"] = key
    at.run()
    assert not at.exception
    return str(next(code.value for code in at.code if "import explorer" in code.value))


def test_code_for_a_picture_draws_the_same_numbers() -> None:
    asked, wanted = [], []
    for name, choices, keys in CHOICES:
        at = open_page(name, **choices, **{OPEN: True})
        for key in keys:
            asked.append(code_of(at, key))
            drawn = heatmaps(pictures(at)[key]["spec"])
            wanted.append((key, [array(trace["z"]) for trace in drawn]))
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALL],
        input=json.dumps(asked),
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for (key, theirs), figures in zip(wanted, json.loads(done.stdout), strict=True):
        (ours,) = figures
        assert len(ours) == len(theirs) > 0, key
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(array(mine), other, atol=1e-5, err_msg=key)


def test_a_closed_panel_keeps_and_sends_nothing() -> None:
    at = open_page("attention")
    assert "noted" not in at.session_state
    assert "take_pictures" not in components(at)
    opened = open_page("attention", **{OPEN: True})
    assert set(opened.session_state["noted"]) == {"one_head", "all_heads"}
