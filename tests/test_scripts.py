"""The scripts of the pages, tried without a browser: what they compute.

Playwright, which drives the browser of other tests, comes with the node that is used here.
"""

import io
import json
import subprocess
import zipfile
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

from explorer.paths import COMPONENTS

TESTS = Path(__file__).with_name("scripts")

# Writes an archive of {name: text}.
ZIP = """
const { zip } = await import(process.argv[1]);
const files = Object.entries(JSON.parse(process.argv[2]));
const archive = await zip(files.map(([name, text]) => [name, new Blob([text])]));
process.stdout.write(new Uint8Array(await archive.arrayBuffer()));
"""


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


def test_a_zip_archive_is_read_by_others() -> None:
    files = {"Bild ä 図.svg": "<svg>ä</svg>", "empty.txt": "", "long.html": "again\n" * 1000}
    script = (COMPONENTS / "zip.js").as_uri()
    made = node("--input-type=module", "-e", ZIP, "--", script, json.dumps(files))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name).decode() for name in archive.namelist()} == files
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert made[-14:-10] == b"\3\0\3\0"  # how many files there are, which zipfile only counts
    assert len(made) < 1000  # it is packed
