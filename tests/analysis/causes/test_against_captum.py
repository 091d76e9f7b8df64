"""Occlusion and gradients against captum, around the forward pass of `transformers` itself."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.analysis.causes.attribution import attribute
from explorer.analysis.causes.gradients import x_slopes
from explorer.analysis.causes.question import Question, Sentence
from explorer.text import Batch
from tests.support.marks import rest
from tests.weights.huggingface.families.test_registry import BARTS, Made, make
from tests.weights.huggingface.families.test_registry import transformers as transformers

pytestmark = pytest.mark.slow

EXACT = 1e-5
FAMILIES = ["BART", *rest("GPT-2", "Marian", "T5", "BERT, masked words")]
POSITION, TOKEN, RIVAL = 3, 11, 23
STEPS = 24


@dataclass(frozen=True)
class Asked:
    """One question for both models: ours, and that of transformers, from embeddings or masks."""

    question: Question
    theirs: Any

    @property
    def sides(self) -> list[str]:
        """The sides that the model reads, in captum's order of inputs."""
        config = self.question.sentence.model.config
        return ["src"] * config.has_encoder + ["tgt"] * config.has_decoder

    def ids(self, side: str) -> Tensor:
        seen = self.question.sentence
        return seen.src if side == "src" else seen.tgt

    def outcome(self, **given: Tensor) -> Tensor:
        """The measure in question, from the logits of transformers."""
        logits = self.theirs(**given).logits[:, POSITION]
        if self.question.rival is not None:
            return logits[:, TOKEN] - logits[:, RIVAL]
        return logits.log_softmax(dim=-1)[:, TOKEN]

    def named(self, name: str, values: dict[str, Tensor]) -> dict[str, Tensor]:
        """Arguments of their forward pass: a decoder with an encoder has its own names."""
        both = len(self.sides) == 2
        return {
            f"decoder_{name}" if both and side == "tgt" else name: value
            for side, value in values.items()
        }

    def of_masks(self, *masks: Tensor) -> Tensor:
        rows = len(masks[0])
        ids = {side: self.ids(side).expand(rows, -1) for side in self.sides}
        given = dict(zip(self.sides, (mask.long() for mask in masks), strict=True))
        return self.outcome(**self.named("input_ids", ids), **self.named("attention_mask", given))

    def of_embeddings(self, *embedded: Tensor) -> Tensor:
        given = dict(zip(self.sides, embedded, strict=True))
        masks = {side: self.mask(side).long().expand(len(embedded[0]), -1) for side in self.sides}
        return self.outcome(
            **self.named("inputs_embeds", given), **self.named("attention_mask", masks)
        )

    def mask(self, side: str) -> Tensor:
        trace = self.question.sentence.trace
        mask = trace.src_mask if side == "src" else trace.tgt_mask[:, :, -1:]
        return mask[:, 0, 0].double()

    def embedded(self) -> tuple[Tensor, ...]:
        """The stacks' inputs: Marian's decoder multiplies by √d_model, its encoder does not."""
        trace = self.question.sentence.trace
        made = {"src": trace.src_embedding.scaled, "tgt": trace.tgt_embedding.embedded}
        return tuple(made[side].clone() for side in self.sides)

    def both(self, sides: tuple[Tensor, ...]) -> np.ndarray:
        """Captum's numbers for both sides, in one row, at the positions that matter."""
        found = dict(zip(self.sides, sides, strict=True))
        cut = [found[side][0] for side in self.sides]
        flat = [side.sum(dim=-1) if side.ndim == 2 else side for side in cut]
        return torch.cat(flat).detach().numpy()


@pytest.fixture(scope="module")
def captum() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import captum.attr
    return captum.attr


@pytest.fixture(params=[None, RIVAL], ids=["log p", "rival"])
def asked(request: pytest.FixtureRequest, transformers: Any, family: str, tmp_path: Path) -> Asked:
    made: Made = make(transformers, family, BARTS[0], tmp_path)
    model, theirs = made.ours.double(), made.theirs.double().requires_grad_(False)
    config = model.config
    pad = config.src_pad_id
    src = f"4 15 6 {pad}" if config.has_encoder else ""
    if family == "BERT, masked words":
        src = f"4 15 6 27 8 {pad}"
    start = getattr(theirs.config, "decoder_start_token_id", None)
    tgt = f"{5 if start is None else start} 13 24 35 46" if config.has_decoder else ""
    batch = Batch.from_ids([src], [tgt], pad_id=pad, vocab_size=60)
    with torch.inference_mode():
        trace = model(
            batch.src if config.has_encoder else None, batch.tgt_in if config.has_decoder else None
        )
    seen = Sentence(model=model, batch=batch, row=0, trace=trace)
    return Asked(Question.of(seen, POSITION, TOKEN, request.param), theirs)


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert np.abs(ours).max() > 1e-3
    assert np.abs(ours - theirs).max() <= EXACT


@pytest.mark.parametrize("family", FAMILIES)
class TestAgainstCaptum:
    def test_occlusion(self, asked: Asked, captum: Any) -> None:
        masks = tuple(asked.mask(side) for side in asked.sides)
        found = captum.Occlusion(asked.of_masks).attribute(
            masks, sliding_window_shapes=((1,),) * len(masks), baselines=(0.0,) * len(masks)
        )
        theirs = asked.both(found)
        if "tgt" in asked.sides:  # ours keeps seeing itself
            theirs[len(theirs) - 5 + POSITION] = 0.0
        close(attribute(asked.question).numbers, theirs)

    def test_input_x_gradient(self, asked: Asked, captum: Any) -> None:
        found = captum.InputXGradient(asked.of_embeddings).attribute(
            tuple(side.requires_grad_() for side in asked.embedded())
        )
        close(attribute(asked.question, "input_x_gradient").numbers, asked.both(found))

    def test_integrated_gradients_step_by_step(self, asked: Asked, captum: Any) -> None:
        """At captum's places on the way."""
        found = captum.IntegratedGradients(asked.of_embeddings).attribute(
            asked.embedded(), n_steps=STEPS, method="gausslegendre"
        )
        places, shares = np.polynomial.legendre.leggauss(STEPS)
        _, products = x_slopes(asked.question, (places + 1) / 2)
        ours = (torch.from_numpy(shares / 2)[:, None] * products).sum(dim=0).numpy()
        theirs = asked.both(found)
        close(ours, theirs[: len(ours)])
