"""Training in its own process: it takes no time from the pages, and frees everything when it ends.

`python -m explorer.training.worker` reads messages from stdin and writes messages to stdout. A
message is one line of JSON; its "bytes" is the number of bytes that follow the line. The first
message is the order: what to train, and the state to resume from, if any. Further messages, until
stdin ends, are {"lr": …} or {"stop": true}. The worker reports {"event": "progress"} with the new
losses, {"event": "accuracy"}, {"event": "weights"} with a snapshot, and at the end {"event":
"ended"} with the state to resume from.
"""

import json
import os
import queue
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import IO, Any, Final

import safetensors.torch
import torch

from explorer.config import ModelConfig, TrainConfig
from explorer.runtime.limits import share_of_cores
from explorer.tasks.tasks import Task
from explorer.training.trainer import Trainer, accuracy, held_out
from explorer.transformer import Transformer
from explorer.weights.checkpoints import described_task, description

REPORTS: Final = 0.1  # seconds between two reports, at least
JUDGED: Final = 5  # every so many reports, the accuracy is measured
KEPT: Final = 24  # snapshots for the replay, denser at the beginning
JUDGED_LIVE: Final = 128  # held-out sentences, enough to see the accuracy rise


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order to a worker: the training to do."""

    task: Task
    config: ModelConfig
    training: TrainConfig
    seed: int = 0  # of the initial weights
    device: str = "cpu"
    threads: int = 1

    def message(self) -> dict[str, Any]:
        """The order as JSON."""
        return {
            "task": description(self.task),
            "config": asdict(self.config),
            "training": asdict(self.training),
            "seed": self.seed,
            "device": self.device,
            "threads": self.threads,
        }

    @classmethod
    def read(cls, message: dict[str, Any]) -> "Order":
        """The order in a message."""
        return cls(
            task=described_task(message["task"]),
            config=ModelConfig(**message["config"]),
            training=TrainConfig(**message["training"]),
            seed=message["seed"],
            device=message["device"],
            threads=message["threads"],
        )


def send(stream: IO[bytes], message: dict[str, Any], payload: bytes = b"") -> None:
    """Write one message."""
    stream.write(json.dumps(message | {"bytes": len(payload)}).encode() + b"\n" + payload)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read one message; None if the other side has gone."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    payload = stream.read(message.get("bytes", 0))
    return (message, payload) if len(payload) == message.get("bytes", 0) else None


def kept_steps(steps: int) -> set[int]:
    """The steps after which a snapshot is kept for the replay."""
    return {round(steps * (n / KEPT) ** 1.5) for n in range(KEPT + 1)}


def state_of(trainer: Trainer) -> bytes:
    """The state to resume from: the weights and the optimizer's moments."""
    tensors = trainer.model.own_weights()
    for name, parameter in trainer.model.named_parameters():
        for moment, value in trainer.optimizer.state.get(parameter, {}).items():
            tensors[f"{moment}/{name}"] = value
    return safetensors.torch.save(
        {name: value.cpu().contiguous() for name, value in tensors.items()},
        {"done": str(trainer.done)},
    )


def trainer_for(order: Order, state: bytes, done: int) -> Trainer:
    """A new trainer, or one that continues from `state` after `done` steps."""
    tensors = safetensors.torch.load(state) if state else {}
    weights = {name: value for name, value in tensors.items() if "/" not in name} or None
    model = Transformer(order.config, seed=order.seed, device=order.device, weights=weights)
    trainer = Trainer(model, order.task, order.training)
    trainer.done = done
    for name, parameter in model.named_parameters():
        moments = {
            moment: tensors[f"{moment}/{name}"].to(order.device)
            for moment in ("step", "exp_avg", "exp_avg_sq")
            if f"{moment}/{name}" in tensors
        }
        if moments:
            trainer.optimizer.state[parameter] = moments
    return trainer


class _Reporter:
    """Tells the pages how a training goes, in a tenth of the time that it works."""

    def __init__(self, trainer: Trainer, out: IO[bytes], share: float) -> None:
        self.trainer, self.out = trainer, out
        self._share = share  # of the time, that it works; else it rests
        self._held_out = held_out(trainer.task, JUDGED_LIVE)
        self._kept = kept_steps(trainer.config.steps)
        self._losses: list[float] = []
        self._due = 0.0  # when the next report is
        self._reports = 0
        self._judged_step = -1
        self._judging = 0.0  # seconds that the last judgement took

    def begin(self) -> None:
        """Report how a new model starts."""
        self._judge()
        self._send_weights(keep=True)

    def step(self, loss: float) -> None:
        """Report whatever is due after a step."""
        self._losses.append(loss)
        keep = self.trainer.done in self._kept
        if keep or time.monotonic() > self._due:
            self._reports += 1
            if self._reports % JUDGED == 0:
                self._judge()
            began = time.monotonic()
            self._tell_losses()  # a run resumed from these weights has all losses before them
            self._send_weights(keep=keep)
            now = time.monotonic()
            each = now - began + self._judging / JUDGED
            self._due = now + max(REPORTS, 10 * each) / self._share

    def end(self) -> None:
        """Report the end, with the state to resume from."""
        self._tell_losses()
        if self._judged_step != self.trainer.done:
            self._judge()
        send(self.out, {"event": "ended", "step": self.trainer.done}, state_of(self.trainer))

    def _judge(self) -> None:
        began = time.monotonic()
        self._judged_step = self.trainer.done
        share = accuracy(self.trainer.model, self._held_out)
        self._judging = time.monotonic() - began
        send(self.out, {"event": "accuracy", "step": self.trainer.done, "accuracy": share})

    def _tell_losses(self) -> None:
        losses, self._losses = self._losses, []
        send(self.out, {"event": "progress", "step": self.trainer.done, "losses": losses})

    def _send_weights(self, *, keep: bool) -> None:
        weights = {name: w.cpu() for name, w in self.trainer.model.own_weights().items()}
        message = {"event": "weights", "step": self.trainer.done, "keep": keep}
        send(self.out, message, safetensors.torch.save(weights))


def work(order: Order, state: bytes, done: int, inbox: "queue.Queue[Any]", out: IO[bytes]) -> None:
    """Train and report until the last step or a message to stop.

    On whole cores, `nice` lets the pages go first. But a container that has used its share of them
    stops as a whole, pages and all: with less than two cores, half of them are left to the pages.
    """
    torch.set_num_threads(order.threads)
    trainer = trainer_for(order, state, done)
    share = min(1.0, share_of_cores() / 2)
    reporter = _Reporter(trainer, out, share)
    if trainer.done == 0:
        reporter.begin()
    rest = 0.0  # seconds
    while trainer.done < trainer.config.steps:
        try:
            message = inbox.get(timeout=rest)
        except queue.Empty:
            began = time.monotonic()
            reporter.step(trainer.step().loss)
            rest = (time.monotonic() - began) * (1 / share - 1)
            continue
        if "stop" in message:
            break
        trainer.config = replace(trainer.config, lr=message["lr"])
    reporter.end()


def main() -> None:
    """Carry out one order."""
    if hasattr(os, "nice"):
        os.nice(3)  # the pages come first (see also `work`)
    first = receive(sys.stdin.buffer)
    if first is None:
        return
    message, state = first
    inbox: queue.Queue[Any] = queue.Queue()

    def listen() -> None:
        while (received := receive(sys.stdin.buffer)) is not None:
            inbox.put(received[0])
        os._exit(0)  # the other side has gone

    threading.Thread(target=listen, daemon=True).start()
    with suppress(BrokenPipeError):  # the other side has gone
        try:
            work(Order.read(message), state, message["done"], inbox, sys.stdout.buffer)
        except BrokenPipeError:
            raise
        except (RuntimeError, MemoryError, ValueError, OSError) as error:  # no memory, mostly
            send(sys.stdout.buffer, {"event": "failed", "why": str(error)[:500]})
    os._exit(0)  # without waiting for the listener, which waits for stdin


if __name__ == "__main__":
    main()
