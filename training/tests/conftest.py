"""Shapes are checked as in the tests of the explorer, before anything of it is imported."""

from jaxtyping import install_import_hook

import tests.conftest  # noqa: F401

install_import_hook(["training.heads", "training.loss"], "beartype.beartype")
