"""Limits on memory and cores for a process, as a container has them, by control groups."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

SMALLEST: Final = 690_000_000  # bytes: the minimum on Streamlit Community Cloud
_GROUPS: Final = Path("/sys/fs/cgroup")


@contextmanager
def container(memory: int, cores: float | None = None) -> Iterator[Callable[[], None]]:
    """Yields a function that puts the process that calls it under these limits.

    Raises:
        OSError: there are no control groups, or this process may not make one.
    """
    name = f"explorer-{os.getpid()}"
    groups: dict[Path, dict[str, object]]
    if (_GROUPS / "cgroup.controllers").exists():  # version 2: one tree
        groups = {_GROUPS / name: {"memory.max": memory}}
        if cores is not None:
            groups[_GROUPS / name]["cpu.max"] = f"{int(cores * 1e5)} 100000"
    else:
        groups = {_GROUPS / "memory" / name: {"memory.limit_in_bytes": memory}}
        if cores is not None:
            groups[_GROUPS / "cpu" / name] = {"cpu.cfs_quota_us": int(cores * 1e5)}

    def enter() -> None:
        for group in groups:
            (group / "cgroup.procs").write_text(str(os.getpid()))

    try:
        for group, limits in groups.items():
            group.mkdir()
            for limit, value in limits.items():
                (group / limit).write_text(str(value))
        yield enter
    finally:
        for group in groups:
            for _ in range(50):  # until its last process is gone
                with suppress(OSError):
                    group.rmdir()
                    break
                time.sleep(0.1)
