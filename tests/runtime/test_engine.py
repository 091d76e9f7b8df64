"""A request and ids in, the model and its trace out; memory shared and bounded."""

from pathlib import Path
from typing import Any

import pytest
import torch

from explorer.config import ModelConfig
from explorer.forward import forward
from explorer.runtime import engine as module
from explorer.runtime.engine import Engine, News, TooLargeError
from explorer.runtime.memory import MIB, memory_share
from explorer.text import Batch
from explorer.weights.catalogue import (
    UNTRAINED,
    pretrained_source,
    request,
)
from explorer.weights.huggingface.model import Report
from tests.weights.huggingface.tiny_files import write

SMALL = ModelConfig(d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=8)
BATCH = Batch.from_text(["the cat sat", "a dog"], ["die Katze", "ein Hund"])


def test_a_notebook_gets_what_a_page_gets() -> None:
    wanted = request(UNTRAINED, SMALL, seed=3)
    ran = Engine().run(wanted, BATCH, 1)
    alone = forward(ran.loaded.model, BATCH, row=1)
    assert torch.equal(ran.trace.logits, alone.logits)
    assert ran.src_labels == ("a", "dog", "PAD")
    assert ran.tgt_labels == ("BOS", "ein", "Hund")
    assert ran.attention("cross", 0).key_labels == ran.src_labels
    assert ran.difference_to_torch() < 1e-5


def test_a_run_is_computed_once() -> None:
    ours = Engine()
    wanted = request(UNTRAINED, SMALL)
    first, again = (ours.run(wanted, BATCH, 0) for _ in range(2))
    assert first.trace is again.trace
    assert ours.run(wanted, BATCH, 1).trace is not first.trace
    assert ours.run(request(UNTRAINED, SMALL, seed=1), BATCH, 0).trace is not first.trace
    dropped = ours.run(request(UNTRAINED, SMALL, dropout=0.5), BATCH, 0, dropout_seed=1)
    assert not torch.equal(dropped.trace.logits, first.trace.logits)


def test_only_what_is_large_or_new_asks_for_the_free_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = Engine()
    asked: Any = []
    monkeypatch.setattr(module, "free_memory", lambda device: asked.append(device) or 1000 * MIB)
    ours.run(request(UNTRAINED, SMALL), BATCH, 0)
    assert asked == ["cpu"]
    ours.run(request(UNTRAINED, SMALL), BATCH, 1)
    assert asked == ["cpu"]
    monkeypatch.setattr(module, "SMALL_TRACE", 0)
    ours.run(request(UNTRAINED, SMALL), BATCH, 1)
    assert asked == ["cpu", "cpu"]


def test_too_large_a_model_is_refused_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "free_memory", lambda device: 1 * MIB)
    wanted = request(UNTRAINED, ModelConfig())
    with pytest.raises(TooLargeError, match=r"need about \d+ MB, and 1 MB are free.*d_model \(512"):
        Engine().run(wanted, BATCH, 0)


@pytest.mark.parametrize(
    ("limit", "share"),
    [(690, 460), (600, 400), (1000, 470), (2700, 675), (24_000, 6000)],
)
def test_the_bound_is_a_share_of_what_the_process_may_use(limit: int, share: int) -> None:
    assert memory_share(limit * MIB) == share * MIB


def test_the_progress_of_reading_a_large_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "tiny")
    monkeypatch.setenv("EXPLORER_MODELS", str(tmp_path))
    monkeypatch.setattr(module, "BIG", 0)
    messages: list[tuple[News, str]] = []
    shares: list[float] = []

    def tell(news: News, text: str) -> Report:
        messages.append((news, text))
        return shares.append

    wanted, ours = request(pretrained_source("tiny")), Engine()
    batch = Batch.from_ids(["4 5"], ["5 6"], vocab_size=wanted.config.src_vocab_size)
    for _ in range(2):  # the second time, it is there
        ours.run(wanted, batch, 0, tell=tell)
    weights = sum(one.numel() for one in ours.run(wanted, batch, 0).loaded.model.parameters())
    assert messages == [("reading", f"{weights:,} weights for this model …")]
    assert len(shares) > 10
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] == 1
