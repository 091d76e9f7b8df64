"""What every test shares."""

import inspect
import os
from collections.abc import Callable
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


@pytest.fixture(scope="session")
def unchecked() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function without its runtime shape checks, as the app runs it.

    For the errors about shapes: under test the checks would speak first.
    """
    return inspect.unwrap
