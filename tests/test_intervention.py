"""A forward pass that is given some of its numbers: they replace the computed ones, no others."""

from dataclasses import replace

import pytest
import torch

from explorer.intervention import Given, GivenAttention, Intervention
from explorer.mistakes.catalogue import MISTAKES
from explorer.names import AttentionKind
from explorer.transformer import Transformer
from tests.properties.strategies import perturbed
from tests.small_model import CONFIG, SRC, TGT

KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")


@pytest.fixture(scope="module", params=[False, True], ids=["post-norm", "pre-norm"])
def model(request: pytest.FixtureRequest) -> Transformer:
    return perturbed(Transformer(replace(CONFIG, norm_first=request.param)))


def test_without_an_intervention_the_run_is_the_same(model: Transformer) -> None:
    assert torch.equal(model(SRC, TGT, given=Intervention()).logits, model(SRC, TGT).logits)


def test_given_numbers_replace_the_computed_ones() -> None:
    where = torch.tensor([True, False, True])
    found = Given(where, torch.tensor([7.0])).into(torch.tensor([1.0, 2.0, 3.0]))
    assert found.tolist() == [7.0, 2.0, 7.0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["v", "context"])
def test_of_an_attention(model: Transformer, kind: AttentionKind, part: str) -> None:
    before = model(SRC, TGT)
    shape = getattr(before.attention(kind, 1), part).shape
    where = torch.zeros(1, 2, shape[2], 1, dtype=torch.bool)
    where[0, 1, 2] = True  # the second head, at the third position
    nothing = torch.zeros(1, 1, 1, 1)
    one = Given(where, nothing)
    given = GivenAttention(v=one) if part == "v" else GivenAttention(context=one)
    after = model(SRC, TGT, given=Intervention(attentions={(kind, 1): given}))
    own, was = (getattr(run.attention(kind, 1), part) for run in (after, before))
    assert torch.equal(own, torch.where(where, 0.0, was))
    assert (was[:, 1, 2] != 0).all()
    assert torch.equal(after.attention(kind, 0).out, before.attention(kind, 0).out)
    assert not torch.equal(after.attention(kind, 1).out, before.attention(kind, 1).out)
    assert not torch.equal(after.logits[0], before.logits[0])


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_of_the_stream(model: Transformer, layer: int) -> None:
    """The stream before a layer of the decoder: the last "layer" is the end of the stack."""
    before = model(SRC, TGT)
    values = torch.full((1, 1, 8), 0.5)
    values[..., 0] = 3.0
    where = torch.tensor([[[False], [True], [False]]])
    after = model(SRC, TGT, given=Intervention(stream={("decoder", layer): Given(where, values)}))
    assert torch.equal(after.memory, before.memory)
    assert torch.equal(after.logits[:, 0], before.logits[:, 0])
    assert not torch.equal(after.logits[:, 1], before.logits[:, 1])
    if layer == 2:
        expected = model.logits(model.decoder_norm(values))
        torch.testing.assert_close(after.logits[0, 1], expected[0, 0])
        assert torch.equal(after.logits[:, 2], before.logits[:, 2])


def test_of_the_embedding(model: Transformer) -> None:
    """The rows of other words, in place of the ids': the run of the other words."""
    other = SRC.flip(1)
    given = Intervention(
        src_embedded=model.src_embedding.token(other), src_mask=model.src_mask(other)
    )
    assert torch.equal(model(SRC, TGT, given=given).logits, model(other, TGT).logits)


def test_of_the_masks(model: Transformer) -> None:
    """A word that nobody may see does not matter."""
    mask = model.src_mask(SRC)
    mask[..., 2] = False
    other = SRC.clone()
    other[:, 2] = 9
    logits = [model(ids, TGT, given=Intervention(src_mask=mask)).logits for ids in (SRC, other)]
    assert torch.equal(*logits)
    assert not torch.equal(logits[0], model(SRC, TGT).logits)
    alone = torch.eye(3, dtype=torch.bool)[None, None].expand(2, 1, 3, 3)
    trace = model(SRC, TGT, given=Intervention(tgt_mask=alone))
    assert torch.equal(trace.decoder[1].attention.weights[0, 1], torch.eye(3))


@pytest.mark.parametrize("mistake", ["heads_not_merged", "sequence_first"])
def test_attentions_that_compute_otherwise_take_it_too(model: Transformer, mistake: str) -> None:
    wrong = MISTAKES[mistake].applied_to(model)
    silent = Given(torch.ones(1, 1, 1, 1, dtype=torch.bool), torch.zeros(1, 1, 1, 1))
    for given in (GivenAttention(v=silent), GivenAttention(context=silent)):
        trace = wrong(SRC, TGT, given=Intervention(attentions={("encoder", 1): given}))
        assert not trace.attention("encoder", 1).context.any()
