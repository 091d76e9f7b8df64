"""Which positions of the output may depend on which positions of the input."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from explorer.transformer import Transformer
from tests.properties.strategies import Case, cases


def assert_same(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=1e-9)


def real(model: Transformer, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
    return src != model.config.src_pad_id, tgt != model.config.tgt_pad_id


@given(cases(), st.integers(1, 4), st.integers(1, 4))
def test_more_padding_at_the_end_never_changes_a_real_row(
    case: Case, more_src: int, more_tgt: int
) -> None:
    config = case.model.config
    pad = torch.nn.functional.pad
    longer_src = pad(case.src, (0, more_src), value=config.src_pad_id)
    longer_tgt = pad(case.tgt, (0, more_tgt), value=config.tgt_pad_id)
    before, after = case.model(case.src, case.tgt), case.model(longer_src, longer_tgt)
    src_real, tgt_real = real(case.model, case.src, case.tgt)
    assert_same(after.memory[:, :-more_src][src_real], before.memory[src_real])
    assert_same(after.logits[:, :-more_tgt][tgt_real], before.logits[tgt_real])


@given(cases())
def test_sentences_of_a_batch_do_not_influence_each_other(case: Case) -> None:
    together = case.model(case.src, case.tgt)
    for row in range(len(case.src)):
        alone = case.model(case.src[row : row + 1], case.tgt[row : row + 1])
        assert_same(together.memory[row], alone.memory[0])
        assert_same(together.logits[row], alone.logits[0])
