"""Answers that are wanted at the same time are written together, and each is what it is alone."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import torch

from explorer.decoding import write
from explorer.names import USUAL_IDS
from explorer.runtime import turns, writer
from explorer.runtime.turns import in_turn, turn
from explorer.runtime.writer import AT_ONCE, TOGETHER_FROM, Wanted, Writer
from explorer.text import Sentences
from explorer.transformer import Transformer
from tests.tiny_model import tiny

SOURCES = [[4, 5, 3], [5], [3, 4, 5, 4, 3], [5, 5, 4]]


def wanted(model: Transformer, ids: list[int], limit: int = 6, draft: Sequence[int] = ()) -> Wanted:
    src = torch.tensor([ids])
    read = Sentences(src, torch.ones_like(src).bool())
    return Wanted(model, read, partial(model.encode, src), USUAL_IDS, limit, draft)


@pytest.fixture(autouse=True)
def nobody_has_had_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_turns", turns.Turns())
    monkeypatch.setattr(turns, "SHORT", 0.0)  # as on a slow machine: long work gives way at once
    monkeypatch.setattr(turns, "SLICE", 0.0)


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many answers are written at a time."""
    found: list[int] = []
    written = writer._written

    def counted(batch: Any) -> Any:
        found.append(len(batch))
        return written(batch)

    monkeypatch.setattr(writer, "_written", counted)
    return found


def all_at_once(*work: Callable[[], Any]) -> list[Any]:
    """The results of functions that run at once; the turn becomes free when all wait for it."""
    with ThreadPoolExecutor(len(work)) as people:
        with turn():
            running = [people.submit(in_turn(one)) for one in work]
            until = time.monotonic() + 30
            while len(turns._turns._waiting) < len(work):
                assert time.monotonic() < until, "not all of them wait for the turn"
                time.sleep(0.001)
        return [each.result() for each in running]


def test_those_who_wait_are_answered_in_one_batch(sizes: list[int]) -> None:
    model, writes = tiny(7, eos_bias=1.0), Writer()
    found = all_at_once(*(partial(writes.write, wanted(model, ids)) for ids in SOURCES))
    assert sizes == [len(SOURCES)]
    for ids, answer in zip(SOURCES, found, strict=True):
        (alone,) = write(model, torch.tensor([ids]), limit=6)
        assert answer.ids == alone.ids
        assert answer.probabilities == pytest.approx(alone.probabilities, rel=1e-4)


def test_a_batch_is_bounded_and_of_one_model(sizes: list[int]) -> None:
    model, other, writes = tiny(1), tiny(2), Writer()
    asked = [wanted(model, [4, 5]) for _ in range(AT_ONCE + 3)]
    asked.append(wanted(other, [4, 5]))
    found = all_at_once(*(partial(writes.write, one) for one in asked))
    assert sorted(sizes) == [1, 3, AT_ONCE]
    assert found[-1].ids == write(other, torch.tensor([[4, 5]]), limit=6)[0].ids


@pytest.mark.parametrize(
    ("n", "batches"),
    [(TOGETHER_FROM - 1, [1] * (TOGETHER_FROM - 1)), (TOGETHER_FROM, [TOGETHER_FROM])],
)
def test_a_few_with_drafts_are_written_one_by_one(
    n: int, batches: list[int], sizes: list[int]
) -> None:
    model, writes = tiny(5), Writer()
    asked = [wanted(model, [4, 5, 3], draft=(5, 4)) for _ in range(n)]
    found = all_at_once(*(partial(writes.write, one) for one in asked))
    assert sizes == batches
    (alone,) = write(model, torch.tensor([[4, 5, 3]]), limit=6)
    assert {answer.ids for answer in found} == {alone.ids}


def test_each_answer_has_its_own_limit() -> None:
    model, writes = tiny(eos_bias=-100.0), Writer()
    work = (partial(writes.write, wanted(model, [4, 5], limit)) for limit in (2, 5, 0))
    assert [len(answer.ids) for answer in all_at_once(*work)] == [2, 5, 0]


def test_one_that_fails_does_not_fail_the_others() -> None:
    good, writes = tiny(3), Writer()
    with torch.no_grad():
        good.src_embedding.token.weight[3] = torch.inf
    work = [partial(writes.write, wanted(good, ids)) for ids in ([4, 5], [3], [5])]

    def fails() -> str:
        with pytest.raises(FloatingPointError):
            work[1]()
        return "as it should"

    first, error, last = all_at_once(work[0], fails, work[2])
    assert error == "as it should"
    assert first.ids == write(good, torch.tensor([[4, 5]]), limit=6)[0].ids
    assert last.ids == write(good, torch.tensor([[5]]), limit=6)[0].ids


def test_visitors_who_left_are_not_answered(
    sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    class GoneError(Exception):
        pass

    def gone(**_: bool) -> None:
        raise GoneError

    model, writes = tiny(3), Writer()
    with monkeypatch.context() as patch:
        patch.setattr(writer, "give_way", gone)
        with pytest.raises(GoneError):
            writes.write(wanted(model, [4]))
    writes.write(wanted(model, [5]))
    assert sizes == [1]
