"""The memory and cores that this process may use, within the limits of its container.

It runs on Linux, macOS and Windows; control groups are read if there are any.
"""

import os
import sys
from collections.abc import Hashable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

import psutil

_set_aside: Final[dict[Hashable, int]] = {}
# What control groups call the time that they were held up, in version 2 and 1: seconds in a unit.
_SECONDS: Final = {"throttled_usec": 1e-6, "throttled_time": 1e-9}


def memory_limit() -> int:
    """Bytes this process may use: the container's limit if there is one, else the machine's."""
    machine: int = psutil.virtual_memory().total
    return min([machine, *_cgroup_limits()])


def cores() -> int:
    """Cores this process may use: the container's share if there is one, else the machine's."""
    machine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, int(min([machine or 1, *_cgroup_cores()])))


def held_up() -> float:
    """Seconds for which this process's container was held up since it began, summed over cores.

    A container that has used its share of the cores stops, with all of its processes, until its
    next turn, a tenth of a second or less. 0 where nothing limits it.
    """
    return sum(_held_up())


def open_files() -> int:
    """Files and connections that this process may have open: as many as it can be given."""
    if sys.platform == "win32":
        return 8192
    from resource import RLIMIT_NOFILE, getrlimit, setrlimit

    soft, hard = getrlimit(RLIMIT_NOFILE)
    wanted = min(hard, 65_536) if hard >= 0 else 65_536  # "no limit" is negative, or very large
    if soft < wanted:
        with suppress(OSError, ValueError):
            setrlimit(RLIMIT_NOFILE, (wanted, hard))
    return min(getrlimit(RLIMIT_NOFILE)[0], 65_536)


def resident_memory() -> int:
    """Bytes of memory that this process holds now."""
    held: int = psutil.Process().memory_info().rss
    return held


def unused_memory() -> int:
    """Bytes that this process may still take, without those set aside for others."""
    own = memory_limit() - resident_memory() - memory_set_aside()
    machine: int = psutil.virtual_memory().available
    return max(0, min(own, machine))


def set_aside(owner: Hashable, size: int) -> None:
    """Count `size` bytes as taken: a process started for `owner` uses them, or soon will."""
    _set_aside[owner] = size


def release(owner: Hashable) -> None:
    """Free the bytes that were set aside for `owner`."""
    _set_aside.pop(owner, None)


def memory_set_aside() -> int:
    """Bytes that other processes of this explorer use, or soon will."""
    return sum(_set_aside.copy().values())


def _cgroup_limits() -> Iterator[int]:
    """Every memory limit on this process's control group or one above it."""
    for file in _memory_files():
        with suppress(OSError, ValueError):  # the file is gone, or says "max"
            yield int(file.read_text())


@cache
def _memory_files() -> list[Path]:
    """The files with these limits. The limits may change, their files do not."""
    names = ("memory.max", "memory.limit_in_bytes")  # version 2, version 1
    files = [folder / name for folder in _cgroup_folders("memory") for name in names]
    return [file for file in dict.fromkeys(files) if os.path.exists(file)]  # it never raises


def _cgroup_cores() -> Iterator[float]:
    """Every limit on cores on this process's control group or one above it."""
    for folder in _cgroup_folders("cpu"):
        with suppress(OSError, ValueError):
            quota, period = (folder / "cpu.max").read_text().split()  # version 2
            yield int(quota) / int(period)
        with suppress(OSError, ValueError):
            quota, period = (
                (folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period")
            )
            if int(quota) > 0:  # version 1 writes −1 for no limit
                yield int(quota) / int(period)


def _held_up() -> Iterator[float]:
    """For each control group that this process is in: the seconds for which it was held up."""
    for folder in dict.fromkeys(_cgroup_folders("cpu")):
        with suppress(OSError, ValueError):
            for line in (folder / "cpu.stat").read_text().splitlines():
                name, _, number = line.partition(" ")
                if name in _SECONDS:
                    yield int(number) * _SECONDS[name]


def _cgroup_folders(controller: str) -> Iterator[Path]:
    """The folders of this process's control groups: the root, its own, and those between."""
    root = Path("/sys/fs/cgroup")
    groups = ["/"]
    own = Path("/proc/self/cgroup")
    if own.exists():
        groups += [line.split(":", 2)[2] for line in own.read_text().splitlines()]
    for group in groups:
        path = PurePosixPath(group)
        for level in (path, *path.parents):
            inside = str(level).lstrip("/")
            yield root / inside  # version 2
            yield root / controller / inside  # version 1
