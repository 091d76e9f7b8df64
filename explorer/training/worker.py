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
KEPT: Final = 24  # snapshots for the replay, denser at the beginning
JUDGED_LIVE: Final = 128  # held-out sentences, enough to see the accuracy rise


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a worker should train."""

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


class Outbox:
    """Sends messages from its own thread, so that training does not wait for the reader."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._messages: queue.Queue[tuple[dict[str, Any], bytes]] = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def put(self, message: dict[str, Any], payload: bytes = b"") -> None:
        """Queue a message."""
        self._messages.put((message, payload))

    @property
    def is_free(self) -> bool:
        """Whether everything so far has been sent."""
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
                os._exit(0)  # the other side has gone
            self._messages.task_done()


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


def work(order: Order, state: bytes, done: int, inbox: "queue.Queue[Any]", out: Outbox) -> None:
    """Train and report until the last step or a message to stop."""
    torch.set_num_threads(order.threads)
    trainer = trainer_for(order, state, done)
    judged = held_out(order.task, JUDGED_LIVE)
    to_keep = kept_steps(order.training.steps)
    reported = pictured = judged_at = 0.0
    losses: list[float] = []
    judging = copying = 0.0  # seconds that each took last time
    last_accuracy = -1

    def weights() -> bytes:
        return safetensors.torch.save(_on_cpu(trainer.model.own_weights()))

    def judge() -> None:
        nonlocal last_accuracy
        last_accuracy = trainer.done
        share = accuracy(trainer.model, judged)
        out.put({"event": "accuracy", "step": trainer.done, "accuracy": share})

    def tell_losses() -> None:
        out.put({"event": "progress", "step": trainer.done, "losses": losses.copy()})
        losses.clear()

    def report() -> None:
        nonlocal reported
        reported = time.monotonic()
        tell_losses()

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
        # Everything besides training may take a tenth of the time.
        if now - judged_at > max(0.3, 10 * judging) and now - reported > REPORTS:
            judged_at = now
            judge()
            judging = time.monotonic() - now
        if now - reported > REPORTS:
            report()
        keep = trainer.done in to_keep
        if keep or (out.is_free and now - pictured > max(PICTURES, 10 * copying)):
            tell_losses()  # whoever goes on from these weights has the losses before them
            out.put({"event": "weights", "step": trainer.done, "keep": keep}, weights())
            pictured = time.monotonic()
            copying = pictured - now
    report()
    if last_accuracy != trainer.done:
        judge()
    out.put({"event": "ended", "step": trainer.done}, state_of(trainer))
    out.flush()


def main() -> None:
    """Carry out one order."""
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
        os._exit(0)  # the other side has gone

    threading.Thread(target=listen, daemon=True).start()
    out = Outbox(sys.stdout.buffer)
    try:
        work(Order.read(message), state, message["done"], inbox, out)
    except (RuntimeError, MemoryError, ValueError) as error:  # most likely out of memory
        out.put({"event": "failed", "why": str(error)[:500]})
        out.flush()
    os._exit(0)  # without waiting for the listener, which waits for stdin


def _on_cpu(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: value.cpu() for name, value in tensors.items()}


if __name__ == "__main__":
    main()
