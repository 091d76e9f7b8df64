"""Every block of the map leads to the page, or to the stop, that shows its numbers."""

from itertools import product
from typing import Any

import pytest

from explorer.analysis.stops import stops
from explorer.config import ModelConfig
from explorer.exploration import explore
from explorer.names import Side
from explorer.ui.components.model_map import lanes
from explorer.vocabulary import VOCAB_SIZE

PAIRS = ("the dog saw the cat", "it was tired"), ("der Hund sah", "es war müde")


def blocks(lane: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for part in lane["parts"] for block in part.get("blocks", [part])]


def sublayer(part: str, name: str, pre: bool, page: str = "") -> list[tuple[str, str]]:
    """A sub-layer and the addition after it; a pre-norm one has its norm inside."""
    add = "add" if pre else "add & norm"
    title = f"Norm, {name}" if pre else name
    return [
        (title, page or f"{part}: {name.lower()}"),
        ("Add" if pre else "Add & Norm", f"{part}: {add} after {name.lower()}"),
    ]


# Figure 1 of the paper from the bottom up: the name of each block, and what it leads to.
def encoder_of(layer: int, pre: bool) -> list[tuple[str, str]]:
    part = f"encoder {layer}"
    return [
        ("src", "tokens"),
        ("Embedding + position", "positions"),
        *sublayer(part, "Self-attention", pre, "encoder"),
        *sublayer(part, "Feed-forward", pre),
        ("Memory", "memory: memory"),
    ]


def decoder_of(layer: int, pre: bool) -> list[tuple[str, str]]:
    part = f"decoder {layer}"
    return [
        ("tgt_in", "tokens"),
        ("Embedding + position", "positions"),
        *sublayer(part, "Masked self-attention", pre, "decoder"),
        *sublayer(part, "Cross-attention", pre, "cross"),
        *sublayer(part, "Feed-forward", pre),
        ("Linear", "output: logits"),
        ("Softmax", "output: probabilities"),
    ]


@pytest.mark.parametrize(("enc", "dec", "norm"), [(1, 1, "post"), (2, 3, "post"), (3, 1, "pre")])
def test_every_block_leads_to_what_it_shows(enc: int, dec: int, norm: str) -> None:
    pre = norm == "pre"
    seen = explore(
        *PAIRS,
        model=ModelConfig(
            d_model=16,
            n_heads=2,
            n_encoder_layers=enc,
            n_decoder_layers=dec,
            norm_first=pre,
            src_vocab_size=VOCAB_SIZE,
            tgt_vocab_size=VOCAB_SIZE,
        ),
    )
    all_stops = stops(seen.model, seen.trace)

    def target_of(page: str) -> str:
        name, _, number = page.partition(" ")
        if name != "stack":
            return page
        stop = all_stops[int(number)]
        after = f" after {stop.sublayer}" if stop.sublayer else ""
        return f"{stop.part}: {stop.name}{after}"

    words: dict[Side, tuple[str, ...]] = {"src": PAIRS[0], "tgt": PAIRS[1]}
    for src, tgt in product(range(enc), range(dec)):
        drawn = lanes(seen.model, seen.trace, 2, words, {"src": src, "tgt": tgt})
        found = [[(block["name"], target_of(block["page"])) for block in blocks(x)] for x in drawn]
        assert found == [encoder_of(src + 1, pre), decoder_of(tgt + 1, pre)]
