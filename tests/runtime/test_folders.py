import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from explorer.runtime.folders import new_folder, sweep

MAKE = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from explorer.runtime.folders import new_folder
(new_folder() / "weights").write_bytes(b"large")
print("made", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_folders_of_a_killed_process_are_removed(folders: Path) -> None:
    command = [sys.executable, "-c", MAKE, str(folders)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"made\n"
        own = new_folder()
        sweep()
        assert len(list(folders.iterdir())) == 2  # both run
        process.kill()
    sweep()
    assert list(folders.iterdir()) == [own]
    sweep(own=True)
    assert list(folders.iterdir()) == []


def test_the_number_of_a_process_may_have_been_used_again(folders: Path) -> None:
    own = new_folder()
    program, number, begun, rest = own.name.split("-")
    before = folders / f"{program}-{number}-{int(begun) - 100}-{rest}"
    before.mkdir()
    sweep()
    assert list(folders.iterdir()) == [own]


@pytest.mark.parametrize("name", ["explorer-notes", "explorer-1-2", "other-999999999-1-x"])
def test_folders_of_others_stay(name: str, folders: Path) -> None:
    (folders / name).mkdir()
    sweep()
    assert (folders / name).is_dir()


def test_a_link_is_not_followed(folders: Path) -> None:
    there = folders / "there"
    there.mkdir()
    (folders / "explorer-999999999-1-x").symlink_to(there)
    sweep()
    assert there.is_dir()
