"""The scripts of the pages, tried without a browser: what they compute.

Playwright, which drives the browser of other tests, comes with the node that is used here.
"""

import subprocess
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

from explorer.paths import COMPONENTS

TESTS = Path(__file__).with_name("scripts")


def node(*arguments: str) -> bytes:
    path, _ = compute_driver_executable()
    done = subprocess.run([path, *arguments], capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout


def test_each_is_named_after_a_script() -> None:
    scripts = {path.stem for path in COMPONENTS.glob("*.js")}
    assert {path.name.removesuffix(".test.mjs") for path in TESTS.iterdir()} <= scripts


def test_what_the_scripts_compute() -> None:
    tests = sorted(map(str, TESTS.glob("*.test.mjs")))
    assert tests
    # A promise that is never kept would be waited for without an end: 20 seconds are plenty.
    node("--test", "--test-timeout=20000", "--test-reporter=spec", *tests)
