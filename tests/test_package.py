"""The package as it is installed: a wheel, unpacked where there is no repository."""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "-q", "-w", str(made), str(ROOT)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = made.glob("*.whl")
    site = made / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


@pytest.mark.all
def test_the_wheel_needs_no_repository(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", str(ROOT / "tests" / "installed.py"), "home"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    place, answer, size, title = done.stdout.splitlines()
    assert Path(place).is_relative_to(installed)
    assert answer == "three two one"
    assert 10_000 < int(size) < 100_000
    assert title == "How does a Transformer work?"


@pytest.mark.all
@pytest.mark.parametrize(
    ("arguments", "text"),
    [(["--help"], "starts the app"), (["nonsense"], "no command")],
)
def test_the_command(installed: Path, tmp_path: Path, arguments: list[str], text: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "explorer", *arguments],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert text in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_package_needs_what_the_repository_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]

    def names(lines: Iterable[str]) -> set[str]:
        return {re.split(r"[~=<>]", line)[0] for line in lines if re.match(r"\w", line)}

    def listed(file: str) -> set[str]:
        return names((ROOT / file).read_text().splitlines())

    assert names([*project["dependencies"], *extras["app"]]) == listed("requirements.txt")
    assert names(extras["models"]) == listed("requirements-models.txt")


def test_every_version_is_pinned_at_the_one_that_is_tested() -> None:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    needed: dict[str, str] = {}
    asked = [(Requirement(line), "") for line in lines if re.match(r"\w", line)]
    for requirement, extra in asked:
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        if name in needed and not requirement.extras:
            continue
        needed[name] = distribution(name).version
        for line in distribution(name).requires or []:
            asked += [(Requirement(line), extra) for extra in ("", *requirement.extras)]
    del needed["torch"]  # requirements.txt has its version; its build depends on the machine
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    wanted = [f"{name}=={version}" for name, version in sorted(needed.items())]
    assert [line for line in pinned if not line.startswith("#")] == wanted
