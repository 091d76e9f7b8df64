"""What every test shares."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import settings

# Nothing of explorer is imported here: jaxtyping must hook its imports first.

torch.set_num_threads(1)  # the tensors are tiny: more threads only wait for each other
torch.set_warn_always(True)  # or only the first test to call for a warning would fail

settings.register_profile("local", deadline=None, max_examples=25)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


WITH_SERVERS = {"browser", "faults", "deploy"}  # folders


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where tests run in parallel, those with servers and browsers stay in one process.

    They share them, and two browsers at a time would wait for each other.
    """
    for item in items:
        if WITH_SERVERS & set(item.path.relative_to(Path(__file__).parent).parts):
            item.add_marker(pytest.mark.xdist_group("servers"))


@pytest.fixture(scope="session")
def unchecked() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function without its runtime shape checks, as the app runs it.

    For the errors about shapes: under test the checks would speak first.
    """
    return inspect.unwrap
