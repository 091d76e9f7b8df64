"""The limits of a process: the machine's memory and cores, or a container's share of them."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
import torch

from explorer.runtime import limits
from explorer.runtime.memory import return_memory

MIB = 2**20


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Writes one of the files that a system describes its limits in."""
    monkeypatch.setattr(limits, "Path", lambda path: tmp_path / path.lstrip("/"))
    monkeypatch.setattr(limits, "_groups", cache(limits._groups.__wrapped__))

    def written(name: str, content: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    return written


class TestMemoryLimit:
    """The smallest of the machine's memory and every limit of a container around this process."""

    @pytest.fixture
    def machine(
        self, write: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
    ) -> Callable[..., None]:
        """A machine of 1000 MiB whose files are those given."""
        memory = SimpleNamespace(total=1000 * MIB, available=900 * MIB)
        monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)

        def write_all(**files: int | str) -> None:
            """Numbers are MiB."""
            for name, content in files.items():
                number = content if isinstance(content, str) else content * MIB
                write(PATHS[name], f"{number}\n")

        return write_all

    @pytest.mark.parametrize(
        ("files", "limit"),
        [
            ({}, 1000),
            ({"v2_root": 300, "groups": "0::/"}, 300),
            ({"v2_root": "max", "groups": "0::/app/web", "v2_app_web": "max"}, 1000),
            ({"v1_root": 2**43, "groups": "4:memory:/"}, 1000),
            ({"v2_app_web": 200, "groups": "0::/app/web"}, 200),
            ({"v2_app_web": "max", "v2_app": 250, "groups": "0::/app/web"}, 250),
            ({"v1_root": 400, "groups": "4:memory:/\n1:cpu:/"}, 400),
            ({"v1_root": 2**43, "v1_app_web": 150, "groups": "5:cpu:/\n4:memory:/app/web"}, 150),
        ],
        ids=["no container", "the root", "no limit", "above the machine", "a group of its own",
             "a group above", "version 1", "version 1, a group of its own"],
    )  # fmt: skip
    def test_the_smallest_limit_counts(
        self, machine: Callable[..., None], files: dict[str, int | str], limit: int
    ) -> None:
        machine(**files)
        assert limits.memory_limit() == limit * MIB

    def test_free_is_the_limit_less_what_is_held(
        self, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        machine(v2_root=300, groups="0::/")
        monkeypatch.setattr(limits, "resident_memory", lambda: 100 * MIB)
        assert limits.unused_memory() == 200 * MIB
        limits.set_aside("worker", 30 * MIB)
        assert limits.unused_memory() == 170 * MIB
        limits.release("worker")
        machine(v2_root=50)
        assert limits.unused_memory() == 0

    def test_never_more_than_the_machine_has_left(
        self, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "resident_memory", lambda: 10 * MIB)
        assert limits.unused_memory() == 900 * MIB


class TestCores:
    """The machine's cores, or the smallest share that a container leaves; when it is used up."""

    @pytest.fixture(autouse=True)
    def machine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A machine of 8 cores."""
        monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(8)), raising=False)

    @pytest.mark.parametrize(
        ("files", "share", "whole"),
        [
            ({}, 8, 8),
            ({"sys/fs/cgroup/cpu.max": "max 100000\n"}, 8, 8),
            ({"sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2, 2),
            ({"sys/fs/cgroup/cpu.max": "350000 100000\n"}, 3.5, 3),
            ({"sys/fs/cgroup/cpu.max": "50000 100000\n"}, 0.5, 1),
            ({"sys/fs/cgroup/cpu.max": "900000 100000\n"}, 8, 8),
            (
                {
                    "proc/self/cgroup": "0::/app/web\n",
                    "sys/fs/cgroup/app/cpu.max": "400000 100000\n",
                    "sys/fs/cgroup/app/web/cpu.max": "max 100000\n",
                },
                4,
                4,
            ),
            (
                {
                    "proc/self/cgroup": "3:cpu:/app\n",
                    "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                    "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                    "sys/fs/cgroup/cpu/app/cpu.cfs_quota_us": "150000\n",
                    "sys/fs/cgroup/cpu/app/cpu.cfs_period_us": "50000\n",
                },
                3,
                3,
            ),
        ],
    )
    def test_the_limits_of_this_process(
        self, write: Callable[[str, str], None], files: dict[str, str], share: float, whole: int
    ) -> None:
        for name, content in files.items():
            write(name, content)
        assert limits.share_of_cores() == share
        assert limits.cores() == whole


PATHS = {
    "v2_root": "sys/fs/cgroup/memory.max",
    "v2_app": "sys/fs/cgroup/app/memory.max",
    "v2_app_web": "sys/fs/cgroup/app/web/memory.max",
    "v1_root": "sys/fs/cgroup/memory/memory.limit_in_bytes",
    "v1_app_web": "sys/fs/cgroup/memory/app/web/memory.limit_in_bytes",
    "groups": "proc/self/cgroup",
}


def test_resident_memory_grows_with_what_is_held() -> None:
    return_memory()  # what earlier tests let go of would be used first
    before = limits.resident_memory()
    held = torch.ones(64 * MIB, dtype=torch.uint8)
    assert 60 * MIB < limits.resident_memory() - before < 80 * MIB
    del held


def test_it_takes_as_many_open_files_as_it_can_be_given() -> None:
    program = """if True:
        import resource
        from explorer.runtime.limits import open_files
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 700))
        assert open_files() == 700
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (700, 700)
    """
    subprocess.run([sys.executable, "-c", program], check=True)
