"""The worker: its orders and its reports. Its process is tested in tests/faults."""

import json
import queue
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import IO, Any

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from explorer.config import TrainConfig
from explorer.tasks.tasks import COPY, REVERSE, TASKS, Memorise, Pair, Task
from explorer.training import worker
from explorer.training.recipes import config_for
from explorer.training.trainer import accuracy, held_out
from explorer.training.worker import (
    Order,
    kept_steps,
    receive,
    send,
    state_of,
    trainer_for,
    work,
)
from explorer.transformer import Transformer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
OWN = Memorise((Pair(("<b>", "👩‍🔬"), ("“x”", '"')), Pair(("爱",), ("y",))))
SHORT = replace(COPY, longest=3)
ORDER = Order(
    task=SHORT,
    config=config_for(SHORT, d_model=8, n_heads=2, n_layers=1, dropout=0.1),
    training=TrainConfig(steps=12, batch_size=4, warmup=3, seed=2),
    seed=5,
)
Message = tuple[dict[str, Any], bytes]


def tensors(content: bytes) -> dict[str, Tensor]:
    return safetensors.torch.load(content)


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def all_of(stream: IO[bytes]) -> Iterator[Message]:
    while (received := receive(stream)) is not None:
        yield received


def reports(
    order: Order, *messages: dict[str, Any], state: bytes = b"", done: int = 0
) -> list[Message]:
    """The reports of a worker that gets all messages at once; it works in this process."""
    inbox: queue.Queue[Any] = queue.Queue()
    for message in messages:
        inbox.put(message)
    with TemporaryFile() as out:
        work(order, state, done, inbox, out)
        out.seek(0)
        return list(all_of(out))


@pytest.mark.parametrize(("cores", "rests"), [(0.5, 3.0), (1.0, 1.0), (2.0, 0.0), (8.0, 0.0)])
def test_of_less_than_two_cores_it_leaves_half_to_the_pages(
    cores: float, rests: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It rests so many times as long as a step took."""

    class Inbox(queue.Queue[Any]):
        def get(self, block: bool = True, timeout: float | None = None) -> Any:
            waited.append(timeout)
            raise queue.Empty

    waited: list[float | None] = []
    seconds = count(0, 0.01)  # by the clock, each time that it is looked at
    monkeypatch.setattr(worker, "share_of_cores", lambda: cores)
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr(worker._Reporter, "step", lambda *_: None)
    with TemporaryFile() as out:
        work(ORDER, b"", 0, Inbox(), out)
    assert waited == pytest.approx([0.0, *[rests * 0.01] * 11])


def of(event: str, messages: list[Message]) -> list[Message]:
    return [message for message in messages if message[0]["event"] == event]


class TestMessages:
    @given(
        st.lists(
            st.tuples(
                st.dictionaries(st.text().filter(lambda key: key != "bytes"), st.integers()),
                st.binary(),
            )
        )
    )
    def test_sent_messages_are_received(self, sent: list[Message]) -> None:
        with TemporaryFile() as stream:
            for message, payload in sent:
                send(stream, message, payload)
            stream.seek(0)
            found = list(all_of(stream))
        assert [({k: v for k, v in m.items() if k != "bytes"}, p) for m, p in found] == sent

    @given(st.data())
    def test_a_message_that_is_cut_off_is_none(self, data: st.DataObject) -> None:
        with TemporaryFile() as stream:
            send(stream, {"event": "x"}, b"12345")
            stream.truncate(data.draw(st.integers(0, stream.tell() - 1)))
            stream.seek(0)
            assert receive(stream) is None

    @pytest.mark.parametrize(
        "task",
        [*TASKS.values(), OWN, replace(REVERSE, longest=40)],
        ids=lambda task: f"{task.name} {task.longest}",
    )
    def test_an_order_arrives_as_it_was_given(self, task: Task) -> None:
        training = TrainConfig(steps=9, schedule="paper", label_smoothing=0.1, clip=0.0)
        order = Order(
            task=task, config=config_for(task, d_model=16), training=training, seed=7, threads=2
        )
        assert Order.read(json.loads(json.dumps(order.message()))) == order


class TestKept:
    @pytest.mark.parametrize("steps", [1, 5, 24, 200, 5000])
    def test_snapshots_from_first_to_last_closer_together_at_the_beginning(
        self, steps: int
    ) -> None:
        kept = sorted(kept_steps(steps))
        assert (kept[0], kept[-1]) == (0, steps)
        assert len(kept) <= 25
        gaps = [b - a for a, b in pairwise(kept)]
        if steps > 100:
            assert len(kept) == 25
            assert all(late >= early - 1 for early, late in pairwise(gaps))
            assert gaps[0] < steps / 24 < gaps[-1]


class TestWork:
    def test_it_reports_what_a_trainer_does(self) -> None:
        messages = reports(ORDER)
        one = trainer_for(ORDER, b"", 0)
        losses = [step.loss for step in one.steps()]
        progress = of("progress", messages)
        assert [loss for message, _ in progress for loss in message["losses"]] == losses
        last, state = messages[-1]
        assert (last["event"], last["step"]) == ("ended", 12)
        assert same(tensors(state), tensors(state_of(one)))

    def test_it_begins_with_the_untrained_model_and_keeps_snapshots_for_the_replay(self) -> None:
        weights = of("weights", reports(ORDER))
        first, content = weights[0]
        assert (first["step"], first["keep"]) == (0, True)
        assert same(tensors(content), Transformer(ORDER.config, seed=5).state_dict())
        kept = {message["step"]: content for message, content in weights if message["keep"]}
        assert kept.keys() == kept_steps(12)
        one = trainer_for(ORDER, b"", 0)
        for step in one.steps():
            if step.number in kept:
                assert same(tensors(kept[step.number]), dict(one.model.state_dict()))

    def test_its_accuracies_are_those_of_the_model_then(self) -> None:
        """Of a task that is learnt in no time."""
        pair = Memorise((Pair(("a",), ("b",)),))
        order = Order(
            task=pair,
            config=config_for(pair, d_model=8, n_heads=1, n_layers=1),
            training=TrainConfig(steps=100, batch_size=2, warmup=2, lr=0.02),
        )
        messages = reports(order)
        found = {m["step"]: m["accuracy"] for m, _ in of("accuracy", messages)}
        assert found[0] == accuracy(Transformer(order.config), held_out(pair))
        assert found[100] == 1.0
        weights = {name: t for name, t in tensors(messages[-1][1]).items() if "/" not in name}
        model = Transformer(order.config, weights=weights)
        assert found[100] == accuracy(model, held_out(pair))

    def test_stop_ends_it_before_the_next_step(self) -> None:
        messages = reports(ORDER, {"stop": True})
        assert messages[-1][0] == messages[-1][0] | {"event": "ended", "step": 0}
        assert [m["losses"] for m, _ in of("progress", messages)] == [[]]

    def test_another_learning_rate_is_as_if_ordered_from_then_on(self) -> None:
        changed = reports(ORDER, {"lr": 0.0001})[-1][1]
        ordered = reports(replace(ORDER, training=replace(ORDER.training, lr=0.0001)))[-1][1]
        assert same(tensors(changed), tensors(ordered))
        assert not same(tensors(changed), tensors(reports(ORDER)[-1][1]))

    def test_it_goes_on_from_a_state_at_the_step_after(self) -> None:
        whole = reports(ORDER)
        half = trainer_for(ORDER, b"", 0)
        losses = [half.step().loss for _ in range(5)]
        rest = reports(ORDER, state=state_of(half), done=5)
        losses += [loss for m, _ in of("progress", rest) for loss in m["losses"]]
        assert losses == [loss for m, _ in of("progress", whole) for loss in m["losses"]]
        assert min(m["step"] for m, _ in rest) > 5
        assert same(tensors(rest[-1][1]), tensors(whole[-1][1]))

    def test_weights_alone_are_a_state_as_well(self) -> None:
        half = trainer_for(ORDER, b"", 0)
        for _ in range(3):
            half.step()
        content = safetensors.torch.save(dict(half.model.state_dict()))
        resumed = trainer_for(ORDER, content, 3)
        assert same(dict(resumed.model.state_dict()), dict(half.model.state_dict()))
        assert resumed.step().number == 4
