"""Patching and the parts of a logit in GPT-2, compared with hooks on `transformers`."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer.analysis.causes.logit_parts import parts_of_logit
from explorer.analysis.causes.question import Question, Sentence
from explorer.analysis.causes.stream_parts import Part
from explorer.text import Batch
from tests.weights.huggingface.families.test_registry import BARTS, make
from tests.weights.huggingface.families.test_registry import transformers as transformers

pytestmark = pytest.mark.slow

TEXTS = "5 13 24 35 46", "5 13 17 35 46"
POSITION, TOKEN = 3, 11
D_K = 8


@pytest.fixture(scope="module")
def both(
    transformers: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Any, Sentence, Sentence]:
    """Their model, and two sentences run through ours."""
    made = make(transformers, "GPT-2", BARTS[2] | {"heads": 4}, tmp_path_factory.mktemp("gpt2"))
    ours, theirs = made.ours.double(), made.theirs.double()
    seen = []
    for text in TEXTS:
        batch = Batch.from_ids([""], [text], pad_id=58, vocab_size=60)
        with torch.inference_mode():
            trace = ours(None, batch.tgt_in)
        seen.append(Sentence(model=ours, batch=batch, row=0, trace=trace))
    return theirs, seen[0], seen[1]


def hooked(theirs: Any, text: str, hooks: dict[Any, Callable[..., Any]]) -> Tensor:
    """Their logits, with hooks before some modules."""
    handles = [module.register_forward_pre_hook(hook) for module, hook in hooks.items()]
    try:
        with torch.no_grad():
            logits: Tensor = theirs(torch.tensor([[int(i) for i in text.split()]])).logits[0]
    finally:
        for handle in handles:
            handle.remove()
    return logits


def inputs_of(theirs: Any, text: str, module: Any) -> Tensor:
    """The input of one of their modules."""
    kept: list[Tensor] = []
    hooked(theirs, text, {module: lambda _, given: kept.append(given[0].clone())})
    return kept[0]


def test_the_parts_of_a_logit(both: tuple[Any, Sentence, Sentence]) -> None:
    theirs, seen, _ = both
    body = theirs.transformer
    found = parts_of_logit(Question.of(seen, POSITION, TOKEN))
    end = inputs_of(theirs, TEXTS[0], body.ln_f)[0, POSITION]
    spread = (end.var(correction=0) + body.ln_f.eps).sqrt()

    def share(written: Tensor) -> float:
        normed = (written - written.mean()) / spread * body.ln_f.weight
        return float((normed @ theirs.lm_head.weight[TOKEN]).detach())

    ids = torch.tensor([int(i) for i in TEXTS[0].split()])
    expected = {
        Part("embedding"): share(body.wte.weight[ids[POSITION]]),
        Part("position"): share(body.wpe.weight[POSITION]),
    }
    constants = torch.zeros_like(end)
    for n, block in enumerate(body.h):
        context = inputs_of(theirs, TEXTS[0], block.attn.c_proj)[0, POSITION]
        for head in range(4):
            columns = slice(head * D_K, (head + 1) * D_K)
            written = context[columns] @ block.attn.c_proj.weight[columns]  # (in, out)
            expected[Part("head", "decoder", n, head)] = share(written)
        hidden = inputs_of(theirs, TEXTS[0], block.mlp.c_proj)[0, POSITION]
        expected[Part("feed-forward", "decoder", n)] = share(hidden @ block.mlp.c_proj.weight)
        constants = constants + block.attn.c_proj.bias + block.mlp.c_proj.bias
    last = float((body.ln_f.bias @ theirs.lm_head.weight[TOKEN]).detach())
    expected[Part("biases")] = share(constants) + last
    assert dict(zip(found.parts, found.values, strict=True)) == pytest.approx(expected)
    assert found.logit == pytest.approx(float(hooked(theirs, TEXTS[0], {})[POSITION, TOKEN]))
