"""Which devices there are, and how much memory a model and its trace take."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer import device
from explorer.config import ModelConfig
from explorer.transformer import Transformer

MIB = 2**20


def small(**changes: Any) -> ModelConfig:
    sizes = {"d_model": 8, "n_heads": 2, "n_encoder_layers": 2, "n_decoder_layers": 2, "d_ff": 12,
             "src_vocab_size": 11, "tgt_vocab_size": 7}  # fmt: skip
    return ModelConfig(**{**sizes, **changes})


def floats_in(node: Any) -> list[Tensor]:
    """Every float tensor of a trace, one entry a field."""
    if isinstance(node, Tensor):
        return [node] if node.is_floating_point() else []
    if is_dataclass(node):
        node = [getattr(node, field.name) for field in fields(node)]
    return [t for item in node for t in floats_in(item)] if isinstance(node, list | tuple) else []


class TestEstimate:
    @pytest.mark.parametrize(
        ("config", "batch", "src", "tgt"),
        [
            (small(), 1, 1, 1),
            (small(), 3, 5, 4),
            (small(norm_first=True), 2, 4, 6),
            (small(n_encoder_layers=1, n_decoder_layers=3), 2, 3, 5),
            (small(n_encoder_layers=4, n_decoder_layers=1, norm_first=True), 1, 7, 2),
            (small(d_model=12, n_heads=4, d_ff=5), 2, 9, 8),
            (small(d_model=6, n_heads=1, d_ff=50, src_vocab_size=5, tgt_vocab_size=90), 4, 2, 3),
        ],
    )
    def test_it_is_what_a_model_and_its_trace_really_hold(
        self, config: ModelConfig, batch: int, src: int, tgt: int
    ) -> None:
        estimate = device.estimate(config, batch, src, tgt)
        model = Transformer(config)
        assert estimate.model == sum(p.numel() * p.element_size() for p in model.parameters())

        trace = model(torch.ones(batch, src).long(), torch.ones(batch, tgt).long())
        tensors = floats_in(trace)
        assert estimate.trace == sum(t.numel() * t.element_size() for t in tensors)
        encoded = floats_in(model.encode(torch.ones(batch, src).long()))
        assert estimate.encoded == sum(t.numel() * t.element_size() for t in encoded)

        # Fields may share memory, never take more than their size says.
        held = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
        assert 0.5 * estimate.trace < sum(held.values()) <= estimate.trace

    def test_the_base_model_of_the_paper(self) -> None:
        # nn.Transformer() has 44,140,544 parameters, 2 × 1024 of them in final norms that the
        # paper lacks; to these come two tables of 1000 × 512, and 512 + 1 for each of 1000 logits.
        expected = 44_140_544 - 2 * 1024 + 2 * 1000 * 512 + 513 * 1000
        assert device.estimate(ModelConfig(), 1, 1, 1).model == 4 * expected


class TestMemoryLimit:
    """The smallest of the machine's memory and every limit of a container around this process."""

    @pytest.fixture
    def machine(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
        """A machine of 1000 MiB whose files are those given."""
        sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000 * MIB // 4096}
        monkeypatch.setattr(device.os, "sysconf", sizes.__getitem__)
        monkeypatch.setattr(device, "Path", lambda path: tmp_path / path.lstrip("/"))

        def write(**files: str) -> None:
            for name, content in files.items():
                path = tmp_path / PATHS[name]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)

        return write

    def test_without_a_container(self, machine: Callable[..., None]) -> None:
        assert device.memory_limit() == 1000 * MIB

    def test_a_container_sees_its_own_group_as_the_root(self, machine: Callable[..., None]) -> None:
        machine(v2_root=f"{300 * MIB}\n", groups="0::/\n")
        assert device.memory_limit() == 300 * MIB

    def test_the_word_max_is_no_limit(self, machine: Callable[..., None]) -> None:
        machine(v2_root="max\n", groups="0::/app/web\n", v2_app_web="max\n")
        assert device.memory_limit() == 1000 * MIB

    def test_a_limit_above_the_machine_is_none(self, machine: Callable[..., None]) -> None:
        machine(v1_root="9223372036854771712\n", groups="4:memory:/\n")
        assert device.memory_limit() == 1000 * MIB

    def test_a_group_of_its_own(self, machine: Callable[..., None]) -> None:
        machine(v2_app_web=f"{200 * MIB}\n", groups="0::/app/web\n")
        assert device.memory_limit() == 200 * MIB

    def test_a_limit_on_a_group_above(self, machine: Callable[..., None]) -> None:
        machine(v2_app_web="max\n", v2_app=f"{250 * MIB}\n", groups="0::/app/web\n")
        assert device.memory_limit() == 250 * MIB

    def test_version_1_at_the_root(self, machine: Callable[..., None]) -> None:
        machine(v1_root=f"{400 * MIB}\n", groups="4:memory:/\n1:cpu:/\n")
        assert device.memory_limit() == 400 * MIB

    def test_version_1_in_a_group_of_its_own(self, machine: Callable[..., None]) -> None:
        machine(
            v1_root="9223372036854771712\n",
            v1_app_web=f"{150 * MIB}\n",
            groups="5:cpu,cpuacct:/\n4:memory:/app/web\n",
        )
        assert device.memory_limit() == 150 * MIB

    def test_free_is_the_limit_less_what_is_held(
        self, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        machine(v2_root=f"{300 * MIB}\n", groups="0::/\n", statm="99999 25600 77 1 0 3 0\n")
        assert device.resident_memory() == 25600 * 4096
        assert device.free_memory("cpu") == 200 * MIB
        machine(v2_root=f"{50 * MIB}\n")
        assert device.free_memory("cpu") == 0

    def test_on_the_gpu_the_driver_knows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda name: (7 * MIB, 9 * MIB))
        assert device.free_memory("cuda:1") == 7 * MIB


class TestCores:
    """The machine's cores, or the smallest share that a container leaves."""

    @pytest.fixture
    def machine(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
        """A machine of 8 cores whose files are those given."""
        monkeypatch.setattr(
            device.os, "sched_getaffinity", lambda process: set(range(8)), raising=False
        )
        monkeypatch.setattr(device, "Path", lambda path: tmp_path / path.lstrip("/"))

        def write(files: dict[str, str]) -> None:
            for name, content in files.items():
                path = tmp_path / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)

        return write

    @pytest.mark.parametrize(
        ("files", "cores"),
        [
            ({}, 8),
            ({"sys/fs/cgroup/cpu.max": "max 100000\n"}, 8),
            ({"sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
            ({"sys/fs/cgroup/cpu.max": "350000 100000\n"}, 3),
            ({"sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1),
            ({"sys/fs/cgroup/cpu.max": "900000 100000\n"}, 8),
            (
                {
                    "proc/self/cgroup": "0::/app/web\n",
                    "sys/fs/cgroup/app/cpu.max": "400000 100000\n",
                    "sys/fs/cgroup/app/web/cpu.max": "max 100000\n",
                },
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
            ),
        ],
    )
    def test_what_it_may_use(
        self, machine: Callable[..., None], files: dict[str, str], cores: int
    ) -> None:
        machine(files)
        assert device.cores() == cores


PATHS = {
    "v2_root": "sys/fs/cgroup/memory.max",
    "v2_app": "sys/fs/cgroup/app/memory.max",
    "v2_app_web": "sys/fs/cgroup/app/web/memory.max",
    "v1_root": "sys/fs/cgroup/memory/memory.limit_in_bytes",
    "v1_app_web": "sys/fs/cgroup/memory/app/web/memory.limit_in_bytes",
    "groups": "proc/self/cgroup",
    "statm": "proc/self/statm",
}


def test_resident_memory_grows_with_what_is_held() -> None:
    """Where the kernel tells; elsewhere one number stands for it."""
    told = Path("/proc/self/statm").exists()
    device.return_memory()  # what earlier tests let go of would be used first
    before = device.resident_memory()
    held = torch.ones(64 * MIB, dtype=torch.uint8)
    grown = device.resident_memory() - before
    assert 60 * MIB < grown < 80 * MIB if told else grown == 0
    del held


def test_devices_best_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert device.available_devices() == ["cuda:0", "cuda:1", "mps", "cpu"]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert device.available_devices() == ["cpu"]


def test_what_a_person_calls_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda name: f"Card {name[-1]}")
    names = [device.device_name(name) for name in ("cuda:1", "mps", "cpu")]
    assert names == ["Card 1", "Apple GPU", "CPU"]
