"""A GPU that fills up, fails or disappears: the page says so, and the CPU computes the same."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer.choices import parameters
from explorer.runtime import device, engine, memory
from explorer.transformer import Transformer
from tests.app.driving import open_page, run_unchecked, texts

FULL: Final = "CUDA out of memory. Tried to allocate 20.00 MiB."
LOST: Final = "CUDA error: device lost"
SAID: Final = {
    FULL: "cuda:0 is out of memory",
    LOST: "cuda:0 could not compute: this picture was computed on the CPU",
}
PAGES: Final = ("attention", "decoding")
Fail = Callable[..., Any]


def failing(message: str, kind: type[Exception] = RuntimeError) -> Fail:
    """A function that raises, whatever its arguments are."""

    def fail(*_: Any, **__: Any) -> Any:
        raise kind(message)

    return fail


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A GPU, as far as anybody asks; models for it are made on the CPU."""

    class OnTheGpu(Transformer):
        def __init__(self, *arguments: Any, device: str, **more: Any) -> None:
            super().__init__(*arguments, device="cpu", **more)
            self.there = device != "cpu"

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Card")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (8 * 2**30, 8 * 2**30))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: None)
    monkeypatch.setattr(engine, "Transformer", OnTheGpu)
    engine.engine.cache_clear()
    parameters.devices.cache_clear()
    yield monkeypatch
    engine.engine.cache_clear()
    parameters.devices.cache_clear()


def only_on_the_gpu(fail: Fail, function: Callable[..., Any]) -> Fail:
    """`function`, failing where it is to run on a GPU."""

    def either(*arguments: Any, device: str, **more: Any) -> Any:
        return (fail if device != "cpu" else function)(*arguments, device=device, **more)

    return either


def drawn(page: AppTest) -> list[tuple[str, bytes]]:
    """Every picture of a page as it is sent."""
    sent = [(e.proto.id, e.proto.bytes) for e in page.get("bidi_component")]
    return [one for one in sent if b'"session"' not in one[1]]  # it has another name


def check_same_as_on_the_cpu(page: AppTest, name: str) -> None:
    """No error, and what a page computed on the CPU from the start shows."""
    cpu = open_page(name, device="cpu")
    assert drawn(page) == drawn(cpu)
    assert drawn(page)


def test_a_gpu_that_works_is_used(gpu: pytest.MonkeyPatch) -> None:
    page = open_page("attention")
    assert page.selectbox(key="device").value == "cuda:0"
    assert "Card" in texts(page)
    assert "on the CPU" not in texts(page)


@pytest.mark.parametrize(
    ("name", "message"), [*((name, FULL) for name in PAGES), ("attention", LOST)]
)
def test_while_the_model_is_loaded(gpu: pytest.MonkeyPatch, name: str, message: str) -> None:
    failing_there = only_on_the_gpu(failing(message), vars(engine)["Transformer"])
    gpu.setattr(engine, "Transformer", failing_there)
    page = open_page(name)
    assert SAID[message] in texts(page)
    check_same_as_on_the_cpu(page, name)


@pytest.mark.parametrize("message", [FULL, LOST])
def test_while_it_runs(gpu: pytest.MonkeyPatch, message: str) -> None:
    forward = vars(engine)["forward"]

    def not_there(model: Any, *arguments: Any, **more: Any) -> Any:
        return (failing(message) if model.there else forward)(model, *arguments, **more)

    gpu.setattr(engine, "forward", not_there)
    page = open_page("attention")
    assert SAID[message] in texts(page)
    check_same_as_on_the_cpu(page, "attention")


@pytest.mark.parametrize("kind", [RuntimeError, AssertionError])
def test_when_free_memory_is_asked_for(gpu: pytest.MonkeyPatch, kind: type[Exception]) -> None:
    gpu.setattr(torch.cuda, "mem_get_info", failing(LOST, kind))
    assert memory.free_memory("cuda:0") == 0
    page = open_page("attention")
    assert "cuda:0 is out of memory" in texts(page)
    check_same_as_on_the_cpu(page, "attention")
    open_page("training")


def test_when_it_fails_only_on_waiting(gpu: pytest.MonkeyPatch) -> None:
    """Work is handed to a GPU; that it failed is known later. So, too, of what is kept there."""
    page = open_page("attention")
    assert "on the CPU" not in texts(page)
    gpu.setattr(torch.cuda, "synchronize", failing(LOST))
    page.run()
    assert SAID[LOST] in texts(page)
    check_same_as_on_the_cpu(page, "attention")


@pytest.mark.parametrize("kind", [RuntimeError, AssertionError])
def test_when_its_driver_is_gone(gpu: pytest.MonkeyPatch, kind: type[Exception]) -> None:
    page = open_page("attention")
    assert page.selectbox(key="device").value == "cuda:0"
    gpu.setattr(torch.cuda, "get_device_name", failing(LOST, kind))
    gpu.setattr(torch.cuda, "mem_get_info", failing(LOST, kind))
    gpu.setattr(torch.cuda, "synchronize", failing(LOST, kind))
    page.run()
    assert device.device_name("cuda:0") == "GPU that does not answer"
    gpu.setattr(torch.cuda, "device_count", failing(LOST, kind))
    assert device.available_devices() == ["cpu"]
    page.run()
    open_page("attention")


def test_an_error_of_the_cpu_is_no_failure_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to fall back to: it is shown as the error it is."""
    engine.engine.cache_clear()
    monkeypatch.setattr(engine, "forward", failing("not a GPU's"))
    monkeypatch.setattr(AppTest, "_run", run_unchecked)
    page = open_page("attention")
    assert page.exception
    assert "on the CPU" not in texts(page)
