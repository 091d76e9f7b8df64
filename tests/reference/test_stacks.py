"""Both stacks against `torch.nn.Transformer`, over random models and batches."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from torch import Tensor, nn

from explorer.config import ModelConfig
from explorer.interop import from_torch, largest_difference, run_torch, to_torch
from explorer.names import PaddingSide
from explorer.text import Batch
from explorer.transformer import Transformer, TransformerTrace
from tests.properties.strategies import Case, cases, perturbed
from tests.test_interop import stacks


def assert_close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-8, atol=1e-8)


def real_rows(trace: TransformerTrace) -> tuple[Tensor, Tensor]:
    """The rows that are no PAD, and for the target not without any source to look at."""
    src = trace.src_mask[:, 0, 0]
    return src, trace.tgt_mask[:, 0, -1] & src.any(dim=1, keepdim=True)


def traced(case: Case) -> TransformerTrace:
    return case.model(case.src, case.tgt)


def assembled(case: Case) -> nn.Transformer:
    """`nn.Transformer` put together from torch's own parts, with torch's own weights."""
    made = stacks(case.model.config, dropout=0.0)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(0.2 * torch.rand_like(parameter))  # no bias 0, no norm 1
    return made


def run(twin: nn.Transformer, case: Case, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
    """Memory and decoder output of embedded `src` and `tgt`, with masks in torch's convention."""
    src_pad = case.src == case.model.config.src_pad_id  # True = ignore
    tgt_pad = case.tgt == case.model.config.tgt_pad_id
    length = case.tgt.shape[1]
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    memory = twin.encoder(src, src_key_padding_mask=src_pad)
    out = twin(
        src,
        tgt,
        src_key_padding_mask=src_pad,
        memory_key_padding_mask=src_pad,
        tgt_mask=future,
        tgt_key_padding_mask=tgt_pad,
    )
    return memory, out


@pytest.mark.parametrize(
    ("encoders", "decoders", "norm_first", "side"),
    [(6, 6, False, "right"), (6, 6, True, "left"), (1, 4, False, "left"), (3, 1, True, "right")],
)
def test_the_models_of_the_app(
    encoders: int, decoders: int, norm_first: bool, side: PaddingSide
) -> None:
    """In float32, as the app computes: sentences of different lengths, on either side padded."""
    sources = ["the animal didn't cross the street because it was too tired", "an offer", "", "no"]
    targets = ["das Tier ging nicht über die Straße", "ein Angebot", "nichts", ""]
    batch = Batch.from_text(sources, targets, side=side)
    config = ModelConfig(d_model=64, n_heads=4, d_ff=256, n_encoder_layers=encoders,
                         n_decoder_layers=decoders, norm_first=norm_first)  # fmt: skip
    model = perturbed(Transformer(config))
    with torch.no_grad():
        trace = model(batch.src, batch.tgt_in)
    src_rows, tgt_rows = real_rows(trace)
    assert src_rows.sum(dim=1).tolist() == [11, 2, 0, 1]
    for memory, out in (
        run_torch(to_torch(model), trace),
        run(to_torch(model), Case(model, batch.src, batch.tgt_in),
            trace.src_embedding.out, trace.tgt_embedding.out),
    ):  # fmt: skip
        for theirs, ours in (
            (memory[src_rows], trace.memory[src_rows]),
            (out[tgt_rows], trace.decoder_out[tgt_rows]),
        ):
            torch.testing.assert_close(theirs, ours, rtol=1e-5, atol=1e-5)
    assert largest_difference(to_torch(model), trace) < 1e-5


@given(cases())
def test_our_weights_in_torch_with_masks_made_here(case: Case) -> None:
    """As above, without the masks that `run_torch` derives from the trace."""
    trace, twin = traced(case), to_torch(case.model)
    memory, out = run(twin, case, trace.src_embedding.out, trace.tgt_embedding.out)
    assert_close(memory, trace.memory)
    assert_close(out, trace.decoder_out)


@given(cases())
def test_torchs_weights_in_ours(case: Case) -> None:
    twin = assembled(case).eval()
    model = from_torch(twin, case.model.config).double()
    twin = twin.double()
    trace = model(case.src, case.tgt)
    memory, out = run(twin, case, trace.src_embedding.out, trace.tgt_embedding.out)
    assert_close(trace.memory, memory)
    assert_close(trace.decoder_out, out)


@given(cases())
def test_one_training_step_has_the_same_gradients(case: Case) -> None:
    """Cross-entropy of the next token, once through our trace and once through torch's stacks."""
    model = case.model
    wanted = case.tgt.roll(-1, dims=1)
    names = [name for name, _ in model.named_parameters()]

    def gradients(decoder_out: Tensor) -> list[Tensor]:
        logits = model.to_logits(decoder_out)
        loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        return list(torch.autograd.grad(loss, list(model.parameters())))

    trace = traced(case)
    ours = gradients(trace.decoder_out)
    again = traced(case)  # the embeddings' gradients flow through torch's stacks as well
    twin = to_torch(model)
    theirs = gradients(run(twin, case, again.src_embedding.out, again.tgt_embedding.out)[1])
    for name, mine, other in zip(names, ours, theirs, strict=True):
        assert mine.isfinite().all(), name
        torch.testing.assert_close(mine, other, rtol=1e-7, atol=1e-9, msg=name)
