"""Tables of positions in the files of models around `torch.nn.Transformer`, against the module."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from explorer.positional import in_halves, sinusoidal
from explorer.weights.huggingface.model import read_model
from tests.weights.huggingface.families.test_torch_transformer import (
    SAID,
    TABLE,
    TOLERANCE,
    refused,
    translator,
    waves,
)
from tests.weights.huggingface.tiny_files import same_numbers, write

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")


def bent(table: Tensor, first: int) -> Tensor:
    return torch.cat([table[:first], table[:-first]])


TABLES: dict[str, tuple[Tensor, str]] = {  # of 100 rows, and the positions that the engine names
    "waves": (waves(100, 16), "sinusoidal"),
    "saved in float16": (waves(100, 16).half().float(), "sinusoidal"),
    "saved in bfloat16": (waves(100, 16).bfloat16().float(), "learned"),
    "computed in bfloat16": (waves(100, 16, torch.bfloat16).float(), "learned"),
    "a little off": (waves(100, 16) + 0.0025, "learned"),
    "all sines first": (in_halves(waves(100, 16)), "halves"),
    "base 9500": (sinusoidal(100, 16, 9500.0), "learned"),
    "the exponent is doubled": (sinusoidal(100, 16, base=1e8), "learned"),
    "others from row 64": (bent(waves(100, 16), 64), "learned"),
    "learned": (torch.randn(100, 16, generator=torch.Generator().manual_seed(1)), "learned"),
}


class TestTheTable:
    """The model computes with the table in its file; so does the engine."""

    @pytest.fixture
    def held(self) -> dict[str, Tensor]:
        return translator(SAID).state_dict()

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            *((kind, TABLE) for kind in TABLES),
            *(("waves", name) for name in ("pos_encoder.pe", "encoding.pe")),
            ("learned", "source_and_target_pos.pe"),
        ],
    )
    def test_every_row_of_it(self, tmp_path: Path, kind: str, name: str) -> None:
        """Against the module itself, with a sentence that reaches beyond row 64."""
        theirs, (table, positions) = translator(SAID), TABLES[kind]
        theirs.positional_encoding.pos_embedding = table[:, None]
        held = dict(theirs.state_dict())
        held[name] = held.pop(TABLE)
        ours = read_model(write(tmp_path, held, SAID))[0]
        assert ours.config.positions == positions
        src, tgt = torch.randint(4, 50, (2, 1, 90), generator=torch.Generator().manual_seed(7))
        within = 0.02 if "saved" in kind else TOLERANCE  # of numbers in 16 bits
        logits = theirs(src.T, tgt.T).transpose(0, 1)
        torch.testing.assert_close(ours(src, tgt).logits, logits, rtol=0, atol=within)

    def test_it_may_be_left_out(self, tmp_path: Path, held: dict[str, Tensor]) -> None:
        whole = write(tmp_path / "whole", held, SAID)
        del held[TABLE]
        assert same_numbers(write(tmp_path / "less", held, SAID), whole)

    @pytest.mark.parametrize(
        ("shape", "more"), [((100, 16), 0.0), ((1, 100, 16), 1.0), ((1, 16), 1.0)]
    )
    def test_other_forms(
        self, tmp_path: Path, held: dict[str, Tensor], shape: tuple[int, ...], more: float
    ) -> None:
        table = waves(shape[-2], 16) + more
        held[TABLE] = table.view(shape)
        ours = read_model(write(tmp_path, held, SAID))[0]
        position = ours.src_embedding(torch.zeros(1, len(table), dtype=torch.long)).position
        torch.testing.assert_close(position, table, rtol=0, atol=1e-5)

    def test_each_side_has_its_own(self, tmp_path: Path, held: dict[str, Tensor]) -> None:
        table = held.pop(TABLE)
        own = {"src_pos.pe": table + 1, "tgt_pos.pe": table + 2}
        ours = read_model(write(tmp_path, held | own, SAID))[0]
        for name, embedding in (
            ("src_pos.pe", ours.src_embedding),
            ("tgt_pos.pe", ours.tgt_embedding),
        ):
            assert torch.equal(embedding.position.weight, own[name][:, 0])
        others = {"one.pe": table + 1, "other.pe": table + 2}
        message = refused(write(tmp_path, held | others, SAID))
        assert "one table of positions to each side, and the files hold one.pe, other.pe" in message

    @pytest.mark.parametrize("positions", ["none", "learned"])
    def test_none_beside_other_positions(
        self, tmp_path: Path, held: dict[str, Tensor], positions: str
    ) -> None:
        config = SAID | {"positions": positions, "max_position_embeddings": 9}
        if positions == "learned":
            held["positional_encoding.weight"] = torch.ones(9, 16)
        message = refused(write(tmp_path, held, config))
        assert f"hold {TABLE}, which torch.nn.Transformer does not have" in message
        assert "leave it out of the state dict" in message

    @pytest.mark.parametrize("shape", [(), (16,), (0, 16), (100, 8), (1, 1, 100, 16), (5, 20, 16)])
    def test_no_table(
        self, tmp_path: Path, held: dict[str, Tensor], shape: tuple[int, ...]
    ) -> None:
        held[TABLE] = torch.full(shape, 0.5)
        message = refused(write(tmp_path, held, SAID))
        assert f"{TABLE} is {shape} and must be (…, 16)" in message
