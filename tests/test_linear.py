"""The affine map: torch's own, but on the device "meta" nothing is drawn for it."""

import torch
from torch import nn

from explorer.linear import Linear


def test_its_first_weights_are_torchs() -> None:
    made = []
    for kind in (Linear, nn.Linear):
        torch.manual_seed(3)
        made.append(kind(5, 4))
    ours, torchs = made
    assert torch.equal(ours.weight, torchs.weight)
    assert torch.equal(ours.bias, torchs.bias)
    x = torch.rand(2, 5)
    torch.testing.assert_close(ours(x), x @ ours.weight.T + ours.bias)


def test_where_only_its_shape_is_wanted_nothing_is_drawn() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    made = Linear(5, 4, device="meta")
    assert made.weight.shape == (4, 5)
    assert torch.equal(torch.get_rng_state(), before)
