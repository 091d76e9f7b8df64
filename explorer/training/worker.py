"""Training in a process of its own: it takes no time from the pages, and its end frees everything.

`python -m explorer.training.worker` reads messages from stdin and writes messages to stdout. A
message is one line of JSON; where it says "bytes", so many bytes follow. First comes the order:
what to train, and the state to go on from, if any. Then, until stdin ends, {"lr": …} or {"stop":
true}. What is reported: {"event": "progress"} with the losses since the last one, {"event":
"accuracy"}, {"event": "weights"} with a snapshot, and at last {"event": "ended"} with the state to
go on from.
"""

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import IO, Any, Final

import safetensors.torch
import torch
from torch import Tensor

from explorer.config import ModelConfig, TrainConfig
from explorer.tasks.tasks import Task
from explorer.training.trainer import Trainer, accuracy, held_out
from explorer.transformer import Transformer
from explorer.weights.checkpoints import described_task, description

REPORTS: Final = 0.2  # seconds between two reports
PICTURES: Final = 0.1  # seconds between two snapshots for the screen
KEPT: Final = 24  # snapshots for the replay, closer together at the beginning
JUDGED_LIVE: Final = 128  # held-out sentences: enough to see it rise


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a worker is to do."""

    task: Task
    config: ModelConfig
    training: TrainConfig
    seed: int = 0  # of the first weights
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
        """The order that a message holds."""
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
    """Read one message; None where the other side is gone."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    payload = stream.read(message.get("bytes", 0))
    return (message, payload) if len(payload) == message.get("bytes", 0) else None


class Outbox:
    """Sends messages from a thread of its own: training does not wait for whoever reads them."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._messages: queue.Queue[tuple[dict[str, Any], bytes]] = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def put(self, message: dict[str, Any], payload: bytes = b"") -> None:
        """Have a message sent."""
        self._messages.put((message, payload))

    @property
    def is_free(self) -> bool:
        """Whether everything so far is on its way."""
        return self._messages.unfinished_tasks == 0

    def flush(self) -> None:
        """Wait until everything has been sent."""
        self._messages.join()

    def _work(self) -> None:
        while True:
            message, payload = self._messages.get()
            try:
                send(self._stream, message, payload)
            except OSError:
                os._exit(0)  # nobody is there any more
            self._messages.task_done()


def kept_steps(steps: int) -> set[int]:
    """After which steps a snapshot is kept for the replay."""
    return {round(steps * (n / KEPT) ** 1.5) for n in range(KEPT + 1)}


def state_of(trainer: Trainer) -> bytes:
    """Weights and the optimizer's moments: all that training goes on from."""
    tensors = dict(trainer.model.state_dict())
    for name, parameter in trainer.model.named_parameters():
        for moment, value in trainer.optimizer.state.get(parameter, {}).items():
            tensors[f"{moment}/{name}"] = value
    return safetensors.torch.save(
        {name: value.detach().cpu().contiguous() for name, value in tensors.items()},
        {"done": str(trainer.done)},
    )


def trainer_for(order: Order, state: bytes, done: int) -> Trainer:
    """A trainer at its beginning, or where `state` and `done` left off."""
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


def work(order: Order, state: bytes, done: int, inbox: "queue.Queue[Any]", out: Outbox) -> None:
    """Train, and report, until it is done or somebody says stop."""
    torch.set_num_threads(order.threads)
    trainer = trainer_for(order, state, done)
    judged = held_out(order.task, JUDGED_LIVE)
    to_keep = kept_steps(order.training.steps)
    reported = pictured = judged_at = 0.0
    losses: list[float] = []
    judging = copying = 0.0  # seconds: how long each took, the last time
    last_accuracy = -1

    def weights() -> bytes:
        return safetensors.torch.save(_on_cpu(trainer.model.state_dict()))

    def judge() -> None:
        nonlocal last_accuracy
        last_accuracy = trainer.done
        share = accuracy(trainer.model, judged)
        out.put({"event": "accuracy", "step": trainer.done, "accuracy": share})

    def report() -> None:
        nonlocal reported
        reported = time.monotonic()
        out.put({"event": "progress", "step": trainer.done, "losses": losses.copy()})
        losses.clear()

    if trainer.done == 0:
        judge()
        out.put({"event": "weights", "step": 0, "keep": True}, weights())
    stopped = False
    while trainer.done < trainer.config.steps and not stopped:
        while not inbox.empty():
            message = inbox.get()
            stopped = stopped or bool(message.get("stop"))
            if "lr" in message:
                trainer.config = replace(trainer.config, lr=message["lr"])
        if stopped:
            break
        step = trainer.step()
        losses.append(step.loss)
        now = time.monotonic()
        # What is done besides training may take a tenth of the time.
        if now - judged_at > max(0.3, 10 * judging) and now - reported > REPORTS:
            judged_at = now
            judge()
            judging = time.monotonic() - now
        if now - reported > REPORTS:
            report()
        keep = trainer.done in to_keep
        if keep or (out.is_free and now - pictured > max(PICTURES, 10 * copying)):
            out.put({"event": "weights", "step": trainer.done, "keep": keep}, weights())
            pictured = time.monotonic()
            copying = pictured - now
    report()
    if last_accuracy != trainer.done:
        judge()
    out.put({"event": "ended", "step": trainer.done}, state_of(trainer))
    out.flush()


def main() -> None:
    """Serve one order."""
    if hasattr(os, "nice"):
        os.nice(3)  # the pages come first
    first = receive(sys.stdin.buffer)
    if first is None:
        return
    message, state = first
    inbox: queue.Queue[Any] = queue.Queue()

    def listen() -> None:
        while (received := receive(sys.stdin.buffer)) is not None:
            inbox.put(received[0])
        os._exit(0)  # nobody is there any more

    threading.Thread(target=listen, daemon=True).start()
    out = Outbox(sys.stdout.buffer)
    try:
        work(Order.read(message), state, message["done"], inbox, out)
    except (RuntimeError, MemoryError, ValueError) as error:  # most likely no memory
        out.put({"event": "failed", "why": str(error)[:500]})
        out.flush()
    os._exit(0)  # without waiting for the listener, which waits for stdin


def _on_cpu(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: value.detach().cpu() for name, value in tensors.items()}


if __name__ == "__main__":
    main()
