"""Questions about the stack, answered from the state dict."""

import re

import pytest

from explorer.exercises.facts import Asked
from explorer.exercises.question import Answer
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about, run_of


def parameters(one: Asked, run: Run) -> Answer:
    layer, kind = re.findall(r"layer (\d+) \((\w+)\)", one.worded().text)[0]
    stack, part = "encoder" if kind == "encoder" else "decoder", "attention."
    start = f"{stack}.{int(layer) - 1}.{'cross.' if kind == 'cross' else part}"
    state = run.loaded.model.state_dict()
    return sum(tensor.numel() for name, tensor in state.items() if name.startswith(start))


def twice(one: Asked, run: Run) -> Answer:
    return run.request.config.d_model // (2 * run.request.config.n_heads)


BY_HAND = {"attention_parameters": parameters, "twice_the_heads": twice}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("stack"))
def test_the_answer_follows_from_the_state_dict(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


def test_twice_the_heads_is_not_asked_where_they_do_not_fit() -> None:
    assert run_of("other parts").request.config.d_kv == 5
    assert not asked("twice_the_heads", "other parts")
