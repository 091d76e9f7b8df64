"""Generated code: typed text is always a string in it."""

import ast

import pytest

from explorer.config import ModelConfig
from explorer.export.code import ExploreCall, config_code, explore_code, picture_code, torch_code

NASTY = 'x"); import os; os.system("touch /tmp/no") #\n\\'


@pytest.mark.parametrize(
    "make", [explore_code, torch_code, lambda s: picture_code(s, "attention", {"layer": 1}, 0)]
)
def test_typed_text_stays_a_string(make: object) -> None:
    assert callable(make)
    code = make(ExploreCall(sources=[NASTY], targets=[NASTY, None], model=NASTY, note="a note"))
    tree = ast.parse(code)
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert texts.count(NASTY) == 3
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "os.system" not in calls


def test_code_of_a_config_gives_the_same_config() -> None:
    config = ModelConfig(d_model=32, n_heads=2, norm_first=True, positions="rotary")
    assert eval(config_code(config), {"ModelConfig": ModelConfig}) == config
    assert config_code(ModelConfig()) == "ModelConfig()"
