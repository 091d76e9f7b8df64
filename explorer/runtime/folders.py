"""Temporary folders of this process, and those that a killed process left behind."""

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import Final

import psutil

_NAME: Final = re.compile(r"explorer-(\d+)-(\d+)-\w+")


def new_folder() -> Path:
    """A new folder, whose name says which process it belongs to."""
    process = psutil.Process()
    return Path(tempfile.mkdtemp(prefix=f"explorer-{process.pid}-{_begun(process)}-"))


def sweep(*, own: bool = False) -> None:
    """Remove the folders of processes that have ended without doing so; and one's own, at the end.

    A process that is ended by a signal does nothing more, once its server has stopped.
    """
    for folder in Path(tempfile.gettempdir()).glob("explorer-*"):
        named = _NAME.fullmatch(folder.name)
        if not named or folder.is_symlink():
            continue
        pid, begun = map(int, named.groups())
        if not _is_running(pid, begun) or (own and pid == os.getpid()):
            rmtree(folder, ignore_errors=True)


def _is_running(pid: int, begun: int) -> bool:
    """Whether the process that began at this time runs; numbers of processes are used again."""
    with suppress(psutil.NoSuchProcess, OverflowError):
        return abs(_begun(psutil.Process(pid)) - begun) <= 1
    return False


def _begun(process: psutil.Process) -> int:
    """When a process began, in seconds since 1970."""
    return int(process.create_time())
