"""Sinusoidal encodings against the paper's formula, written out with `math`."""

import math

import pytest
import torch

from explorer.positional import (
    RelativeBias,
    alibi,
    in_halves,
    rotate,
    sinusoidal,
    waves,
)


@pytest.mark.parametrize("base", [10000.0, 1000.0])
def test_every_value_of_a_long_wide_encoding(base: float) -> None:
    encoding = sinusoidal(80, 512, base)
    assert encoding.shape == (80, 512)
    assert encoding.dtype == torch.float32
    expected = [
        [
            (math.cos if dim % 2 else math.sin)(pos / base ** ((dim - dim % 2) / 512))
            for dim in range(512)
        ]
        for pos in range(80)
    ]
    torch.testing.assert_close(encoding, torch.tensor(expected), rtol=0, atol=1e-7)


def test_far_positions_keep_their_precision() -> None:
    # float32 knows 100000 × 10000^(−2/8) = 10000 only to 1e-3, and its sine no better
    expected = math.sin(100_000 / 10000 ** (2 / 8))
    assert sinusoidal(100_001, 8)[100_000, 2] == pytest.approx(expected, abs=1e-7)


def test_an_odd_width_ends_on_a_sine() -> None:
    encoding = sinusoidal(3, 5)
    assert encoding.shape == (3, 5)
    assert encoding[2, 4].item() == pytest.approx(math.sin(2 / 10000 ** (4 / 5)), abs=1e-7)
    assert encoding[2, 3].item() == pytest.approx(math.cos(2 / 10000 ** (2 / 5)), abs=1e-7)


def test_the_waves_between_whole_positions() -> None:
    between = waves(torch.tensor([0.5, 2 * math.pi]), 4)
    expected = [
        [math.sin(0.5), math.cos(0.5), math.sin(0.005), math.cos(0.005)],
        # 0 and 2π share their height on the first pair, and are told apart on the second
        [0.0, 1.0, math.sin(2 * math.pi / 100), math.cos(2 * math.pi / 100)],
    ]
    torch.testing.assert_close(between, torch.tensor(expected), rtol=0, atol=2e-7)


@pytest.mark.parametrize("base", [0.0, -1.0, math.nan])
def test_the_base_must_be_positive(base: float) -> None:
    with pytest.raises(ValueError, match=r"base must be positive, got base=.*paper uses 10000"):
        sinusoidal(4, 4, base)


class TestHalves:
    def test_all_sines_stand_before_all_cosines(self) -> None:
        paper, halves = sinusoidal(5, 6), in_halves(sinusoidal(5, 6))
        assert torch.equal(halves, paper[:, [0, 2, 4, 1, 3, 5]])

    def test_an_odd_width_has_one_sine_more(self) -> None:
        assert torch.equal(in_halves(sinusoidal(3, 5)), sinusoidal(3, 5)[:, [0, 2, 4, 1, 3]])


class TestRelativeBias:
    """Figures of T5: 32 numbers, half of them exact, the others shared up to a distance of 128."""

    def test_in_the_encoder_keys_before_and_after_differ(self) -> None:
        bias = RelativeBias(2, both_ways=True)
        ahead = torch.tensor([[0, -1, -7, -8, -15, -127, -500, 1, 7, 8, 500]])
        # 8 exact on each side; from 8 on, each number covers 16^(1/8) = √2 times as far
        assert bias.buckets(ahead).tolist() == [[0, 1, 7, 8, 9, 15, 15, 17, 23, 24, 31]]

    def test_in_the_decoder_all_numbers_are_for_keys_before(self) -> None:
        bias = RelativeBias(2, both_ways=False)
        ahead = torch.tensor([[3, 0, -1, -15, -16, -18, -19, -127, -128, -999]])
        # 16 exact; from 16 on, each number covers 8^(1/16) = 1.139 times as far
        assert bias.buckets(ahead).tolist() == [[0, 0, 1, 15, 16, 16, 17, 31, 31, 31]]

    def test_one_number_for_each_head_and_distance(self) -> None:
        bias = RelativeBias(3, both_ways=True)
        with torch.no_grad():
            bias.of_distance.weight.copy_(torch.arange(96.0).view(32, 3))
        found = bias(4)
        assert found.shape == (3, 4, 4)
        assert found[1, 2, 0] == 2 * 3 + 1  # two tokens before, second head
        assert found[0, 0, 3] == (16 + 3) * 3  # three tokens after


class TestAlibi:
    def test_eight_heads_have_the_slopes_of_the_paper(self) -> None:
        found = alibi(8, 3)
        assert found[:, 0, 1].tolist() == [-(2.0**-n) for n in range(1, 9)]
        assert torch.equal(found[0], -torch.tensor([[0, 1, 2], [1, 0, 1], [2, 1, 0]]) / 2.0)


class TestRotary:
    """That each pair is rotated by its angle: tests/analysis/test_head_steps.py."""

    def test_an_odd_last_dimension_stays(self) -> None:
        x = torch.randn(1, 2, 9, 5, generator=torch.Generator().manual_seed(1))
        assert torch.equal(rotate(x)[..., 4], x[..., 4])
