"""The devices of this machine, and the names by which a person chooses them."""

import pytest
import torch

from explorer.runtime import device


def test_devices_best_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert device.available_devices() == ["cuda:0", "cuda:1", "mps", "cpu"]
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert device.available_devices() == ["cpu"]


def test_names_of_devices_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda name: f"Card {name[-1]}")
    names = [device.device_name(name) for name in ("cuda:1", "mps", "cpu")]
    assert names == ["Card 1", "Apple GPU", "CPU"]
