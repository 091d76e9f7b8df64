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
# Files of control groups, in version 2 and 1.
_MEMORY: Final = ("memory.max", "memory.limit_in_bytes")
_CORES: Final = ("cpu.max", "cpu.cfs_quota_us cpu.cfs_period_us")


def memory_limit() -> int:
    """Bytes this process may use: the container's limit if there is one, else the machine's."""
    machine: int = psutil.virtual_memory().total
    limits = [words[0] for words in _in_groups("memory", *_MEMORY)]
    return min([machine, *(int(limit) for limit in limits if limit.isdecimal())])  # else "max"


def cores() -> int:
    """Whole cores this process may use, at least one."""
    return max(1, int(share_of_cores()))


def share_of_cores() -> float:
    """Cores this process may use: the container's share if there is one, else the machine's."""
    machine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limits = [
        int(quota) / int(period)
        for quota, period in _in_groups("cpu", *_CORES)
        if quota.isdecimal()  # else there is no limit: "max", or −1
    ]
    return min([machine or 1, *limits])


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


def _in_groups(controller: str, *files: str) -> Iterator[list[str]]:
    """The words in each of these files, in this process's control groups and those above them.

    Names that are separated by a space stand for files that are read one after the other.
    """
    for folder in _groups(controller):
        for names in files:
            with suppress(OSError):
                words = " ".join((folder / name).read_text() for name in names.split()).split()
                if words:
                    yield words


@cache
def _groups(controller: str) -> list[Path]:
    """The folders of this process's control groups: the root, its own, and those between."""
    root, own = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
    groups = ["/"]
    if own.exists():
        groups += [line.split(":", 2)[2] for line in own.read_text().splitlines()]
    levels = [level for group in map(PurePosixPath, groups) for level in (group, *group.parents)]
    inside = [str(level).lstrip("/") for level in levels]
    folders = [start / name for name in inside for start in (root, root / controller)]
    return [folder for folder in dict.fromkeys(folders) if os.path.isdir(folder)]
