"""Questions about the stack, answered from the state dict and the layers' traces."""

import re

import numpy as np
import pytest
import torch

from explorer.exercises.question import Answer, Question
from explorer.runtime.engine import Run
from tests.exercises.runs import MODELS, asked, check, kinds_about, run_of


def parameters(run: Run, prefix: str) -> int:
    state = run.loaded.model.state_dict()
    return sum(tensor.numel() for name, tensor in state.items() if name.startswith(prefix))


def shape(question: Question, run: Run) -> Answer:
    labels = run.src_labels if "The source" in question.text else run.tgt_labels
    of_vocabulary = any(end in question.text for end in ("output: logits", "output: probabilities"))
    config = run.request.config
    return len(labels), config.n_logits if of_vocabulary else config.d_model


def attention(question: Question, run: Run) -> Answer:
    layer = int(re.search(r"layer (\d+)", question.text)[1]) - 1
    stack = "encoder" if "encoder's" in question.text else "decoder"
    part = "cross." if "cross-attention" in question.text else "attention."
    return parameters(run, f"{stack}.{layer}.{part}")


def feed_forward(question: Question, run: Run) -> Answer:
    stack, layer = re.search(r"feed-forward of (\w+) (\d+)", question.text).groups()
    return parameters(run, f"{stack}.{int(layer) - 1}.feed_forward.")


def summed(question: Question, run: Run) -> Answer:
    """The sum of the two numbers in the question; the trace has the first of them."""
    before, found = (
        float(text.replace("−", "-"))
        for text in re.findall(r"(?:is|finds) (−?\d+\.\d+)", question.text)
    )
    traced = [layer_in[0, question.focus.word, 0] for layer_in in inputs(run)]
    assert min(abs(float(x) - before) for x in traced) < 0.001
    return before + found


def inputs(run: Run) -> list[torch.Tensor]:
    """The input of every residual connection of both stacks."""
    found = []
    for embedding, layers in (
        (run.trace.src_embedding, run.trace.encoder),
        (run.trace.tgt_embedding, run.trace.decoder),
    ):
        x = None if embedding is None else embedding.out
        for layer in layers:
            for name in ("attention_residual", "cross_residual", "feed_forward_residual"):
                if getattr(layer, name, None) is not None:
                    found.append(x)
                    x = getattr(layer, name).out
    return found


def cut(question: Question, run: Run) -> Answer:
    stack, layer = re.search(r"feed-forward of (\w+) (\d+)", question.text).groups()
    traced = (run.trace.encoder if stack == "encoder" else run.trace.decoder)[int(layer) - 1]
    x = traced.feed_forward_residual.sublayer_in[0, question.focus.word].double().numpy()
    state = run.loaded.model.state_dict()
    w, b = (
        state[f"{stack}.{int(layer) - 1}.feed_forward.w_1.{part}"].double().numpy()
        for part in ("weight", "bias")
    )
    hidden = w @ x + b
    numbers = [float(n.replace("−", "-")) for n in re.findall(r"−?\d+\.\d+", question.text)]
    np.testing.assert_allclose(hidden[np.abs(hidden) > 0.01][: len(numbers)], numbers, atol=0.006)
    return sum(n < 0 for n in numbers)


BY_HAND = {
    "shape_at_stop": shape,
    "attention_parameters": attention,
    "feed_forward_parameters": feed_forward,
    "residual_sum": summed,
    "mean_after_norm": lambda question, run: 0.0,
    "cut_to_zero": cut,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", kinds_about("stack"))
def test_the_answer_follows_from_the_state_dict_and_the_trace(kind: str, name: str) -> None:
    check(kind, name, BY_HAND[kind])


def test_the_mean_before_the_norm_is_that_of_the_word() -> None:
    run = run_of("untrained")
    for question in asked("mean_after_norm", "untrained"):
        name = re.search(r"“(.*?): (.*?)”", question.text)
        mean = float(re.search(r"mean (−?\d+\.\d+)", question.text)[1].replace("−", "-"))
        if name[1] == "encoder 1" and name[2] == "add & norm":
            layer = run.trace.encoder[0]
            means = [
                float(r.added[0, question.focus.word].mean())
                for r in (layer.attention_residual, layer.feed_forward_residual)
            ]
            assert min(abs(m - mean) for m in means) < 0.001


@pytest.mark.parametrize("kind", ["mean_after_norm", "cut_to_zero"])
def test_with_rms_norm_and_gates_nothing_is_asked_about_layer_norm_and_relu(kind: str) -> None:
    assert not asked(kind, "other parts")
