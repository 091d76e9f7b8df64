"""The worker processes of all trainings: a few run at a time, first come, first served.

A training that has run for a `TURN` is paused while others wait; resumed, it queues again and goes
on where it was. When a browser goes away, its training is paused, too. The state to resume from is
kept on the disk, as long as there is room.
"""

import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, Literal

import safetensors.torch

from explorer.languages import mark
from explorer.runtime.cache import ByteCache, SplitCache
from explorer.runtime.limits import release, set_aside
from explorer.runtime.memory import MIB
from explorer.runtime.shares import ALL_STATES, TURN
from explorer.training.trainer import accuracy, held_out
from explorer.training.worker import JUDGED_LIVE, KEPT, Order, receive, send
from explorer.transformer import Transformer
from explorer.weights.checkpoints import Checkpoint

ROOT: Final = Path(__file__).parents[2]
WORKER_MEMORY: Final = 230 * MIB  # a training process: torch, a small model and its gradients
ROOM: Final = 96 * MIB  # for the weights of all trainings
REMEMBERED: Final = 200  # trainings
PATIENCE: Final = 10.0  # seconds that a worker has to end its step and send its state
ENDED: Final = mark("the training process ended unexpectedly")
Phase = Literal["waiting", "starting", "training", "paused", "done", "failed"]


@dataclass
class Training:
    """One training of one visitor, as last reported."""

    owner: str  # the visitor
    order: Order
    phase: Phase = "paused"
    step: int = 0
    losses: list[float] = field(default_factory=list)  # one per step
    accuracies: list[tuple[int, float]] = field(default_factory=list)
    snapshots: list[int] = field(default_factory=list)  # steps that can be replayed
    latest: int = 0  # the step of the newest weights
    was_kept: bool = False  # its weights could be shown on all pages once
    began: tuple[float, int] = (0.0, 0)  # time and step at which this run began
    why: str = ""  # it failed: in English, see `ENDED`
    had_its_turn: bool = False  # it was paused because others waited
    lacks_memory: bool = False  # it waits for memory, not for other trainings
    token: str = field(default_factory=partial(secrets.token_urlsafe, 9))  # to find it again
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def is_busy(self) -> bool:
        """Whether anything about it will still change by itself."""
        return self.is_live or self.process is not None

    @property
    def is_live(self) -> bool:
        """Whether it runs or waits to run."""
        return self.phase in ("waiting", "starting", "training")

    @property
    def seconds(self) -> float:
        """The seconds that this run has trained."""
        return time.monotonic() - self.began[0] if self.phase == "training" else 0.0

    @property
    def steps_a_second(self) -> float:
        """The speed of this run."""
        began, first = self.began
        return (self.step - first) / max(1e-3, time.monotonic() - began) if began else 0.0


class Trainings:
    """All trainings of this server process."""

    def __init__(
        self,
        at_once: int,
        is_here: Callable[[str], bool],
        room_for: Callable[[Order], AbstractContextManager[bool]],
    ) -> None:
        self.at_once = at_once
        self._is_here = is_here
        self._room_for = room_for
        self._queue: list[Training] = []
        self._running: list[Training] = []
        self._lock = threading.RLock()
        self._kept: SplitCache[bytes] = SplitCache(ROOM)
        # Of files without names: they are gone when this process ends, however it ends.
        self._states: ByteCache[mmap] = ByteCache(ALL_STATES, keep_oversized=False)
        self._by_token: dict[str, Training] = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def new(self, owner: str, order: Order) -> Training:
        """Make a training that has not begun."""
        training = Training(owner, order)
        with self._lock:
            self._by_token[training.token] = training
            for old in list(self._by_token.values())[:-REMEMBERED]:
                if not old.is_busy:
                    self.drop(old)
        return training

    def by_token(self, token: str) -> Training | None:
        """The training with this token, if it is still remembered."""
        return self._by_token.get(token)

    def start(self, training: Training) -> None:
        """Begin or resume it as soon as there is room."""
        with self._lock:
            if training.is_live:
                return
            self._by_token[training.token] = training  # if it was forgotten, it begins again
            training.phase, training.had_its_turn, training.why = "waiting", False, ""
            self._queue.append(training)
            self._fill()

    def position(self, training: Training) -> int:
        """The number of trainings ahead of it in the queue."""
        with self._lock:
            return self._queue.index(training) if training in self._queue else 0

    def send(self, training: Training, message: dict[str, Any]) -> None:
        """Send the worker a message, if it is already training."""
        process = training.process
        if training.phase == "training" and process is not None and process.stdin is not None:
            with suppress(OSError):  # it may just have ended
                send(process.stdin, message)

    def pause(self, training: Training) -> None:
        """Stop it, but keep its weights and the state to resume from."""
        with self._lock:
            if training in self._queue:
                self._queue.remove(training)
            elif training.is_live and training.process is not None:
                self.send(training, {"stop": True})
                # A worker that has not begun has nothing to report.
                patience = PATIENCE if training.phase == "training" else 0.0
                timer = threading.Timer(patience, training.process.kill)
                timer.daemon = True
                timer.start()
            if training.is_live:
                training.phase = "paused"

    def wait_for_end(self, training: Training, seconds: float) -> None:
        """Wait until a training that was paused has sent its last weights, for so long at most."""
        end = time.monotonic() + seconds
        while training.process is not None and time.monotonic() < end:
            time.sleep(0.02)

    def drop(self, training: Training) -> None:
        """Stop it and forget it."""
        with self._lock:
            if training in self._queue:
                self._queue.remove(training)
            training.phase = "done"
            self._by_token.pop(training.token, None)
            if training.process is not None:
                training.process.kill()
            for key in ("latest", *training.snapshots):
                self._kept.drop((training.token, key))
            self._states.drop(training.token)

    def weights(self, training: Training, step: int | None = None) -> Transformer | None:
        """The newest model, or the one after a step in `training.snapshots`.

        None if it was removed from memory.
        """
        newest = step is None or step == training.latest
        content = self._kept.find((training.token, "latest" if newest else step))
        if content is None:
            return None
        return Transformer(training.order.config, weights=safetensors.torch.load(content))

    def to_replay(self, training: Training) -> list[int]:
        """The steps whose weights are still kept."""
        steps = {step: step for step in training.snapshots} | {"latest": training.latest}
        found = (at for key, at in steps.items() if self._kept.find((training.token, key)))
        return sorted(set(found))

    def checkpoint(self, training: Training) -> Checkpoint | None:
        """A checkpoint of the newest weights."""
        model = self.weights(training)
        if model is None:
            return None
        share = dict(training.accuracies).get(training.latest)
        if share is None:  # the worker has not measured it for these weights
            share = accuracy(model, held_out(training.order.task, JUDGED_LIVE))
        return Checkpoint(
            task=training.order.task,
            model=model,
            training=training.order.training,
            steps=training.latest,
            accuracy=share,
        )

    def _fill(self) -> None:
        for training in list(self._queue):
            # After a pause, its old process may still be ending.
            if len(self._running) >= self.at_once or training.process is not None:
                continue
            with self._room_for(training.order) as there_is_room:
                training.lacks_memory = not there_is_room
                if there_is_room:
                    self._queue.remove(training)
                    self._launch(training)

    def _launch(self, training: Training) -> None:
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "explorer.training.worker"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            training.phase, training.why = "failed", str(error) or ENDED
            return
        training.phase, training.process = "starting", process
        set_aside(process, WORKER_MEMORY)
        self._running.append(training)
        threading.Thread(target=self._serve, args=[training, process], daemon=True).start()

    def _serve(self, training: Training, process: "subprocess.Popen[bytes]") -> None:
        """Give a worker its order, and record its reports."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            begun = self._resume_state(training)
            send(process.stdin, training.order.message() | {"done": training.step}, begun)
            while received := receive(process.stdout):
                message, payload = received
                state = None
                if message["event"] == "ended":  # work that nobody else waits for
                    state, payload = _on_disk(payload), _weights_only(payload)
                with self._lock:
                    if training.token in self._by_token:
                        self._note(training, message, payload, state)
        except (OSError, ValueError):
            pass  # the worker is gone
        finally:
            process.kill()
            process.wait()
            release(process)
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # a message may still be unsent
                    pipe.close()
            with self._lock:
                training.process = None
                if training.phase in ("starting", "training"):
                    training.phase, training.why = "failed", ENDED
                self._running.remove(training)
                self._fill()

    def _resume_state(self, training: Training) -> bytes:
        """The state to resume from; if it was removed from memory, training starts again."""
        kept = self._states.find(training.token)
        state = kept[:] if kept else self._kept.find((training.token, "latest")) or b""
        training.step = training.latest = training.latest if state else 0
        del training.losses[training.step :]
        training.accuracies = [
            (at, share) for at, share in training.accuracies if state and at <= training.step
        ]
        training.snapshots = [at for at in training.snapshots if state and at <= training.step]
        return state

    def _note(
        self, training: Training, message: dict[str, Any], payload: bytes, state: mmap | None
    ) -> None:
        if training.phase == "starting":
            training.phase, training.began = "training", (time.monotonic(), training.step)
            # It may have been changed since the worker got its order.
            self.send(training, {"lr": training.order.training.lr})
        event, step = message["event"], message.get("step", 0)
        if event == "progress":
            training.losses += message["losses"]
            training.step = step
        elif event == "accuracy":
            training.accuracies.append((step, message["accuracy"]))
        elif event == "weights":
            # Large models have no replay: their snapshots would push out everything else.
            if message["keep"] and len(payload) <= ROOM // (2 * KEPT):
                self._kept.put((training.token, step), len(payload), payload)
                training.snapshots.append(step)
            self._set_latest(training, step, payload)
            training.step = max(training.step, step)
            self._states.drop(training.token)
        elif event == "ended":
            training.step = step
            self._set_latest(training, step, payload)
            if state is not None:
                self._states.put(training.token, len(state), state)
            if training.phase == "training":
                training.phase = "done"
        elif event == "failed":
            if training in self._queue:  # it was resumed just before
                self._queue.remove(training)
            training.phase, training.why = "failed", message["why"] or ENDED

    def _set_latest(self, training: Training, step: int, weights: bytes) -> None:
        self._kept.put((training.token, "latest"), len(weights), weights)
        training.latest = step

    def _watch(self) -> None:
        while True:
            time.sleep(0.3)
            with self._lock:
                for training in [*self._running, *self._queue]:
                    if not self._is_here(training.owner):
                        self.pause(training)
                others_wait = any(not other.lacks_memory for other in self._queue)
                for training in self._running:
                    if others_wait and training.seconds > TURN:
                        training.had_its_turn = True
                        self.pause(training)
                self._fill()  # memory may be free now


def _on_disk(state: bytes) -> mmap | None:
    """The state in a file without a name; None where the disk is full."""
    with suppress(OSError), TemporaryFile() as file:
        file.write(state)
        file.flush()
        return mmap(file.fileno(), 0, access=ACCESS_READ)
    return None


def _weights_only(state: bytes) -> bytes:
    tensors = safetensors.torch.load(state)
    return safetensors.torch.save({name: t for name, t in tensors.items() if "/" not in name})
