"""Results on disk: one JSON file per benchmark, and RESULTS.md made from all of them."""

import json
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import psutil

FOLDER: Final = Path(__file__).parent
PACKAGES: Final = ("streamlit", "plotly", "torch", "playwright")
INTRODUCTION: Final = """\
# Benchmarks

Written by `make bench` (`python -m benchmarks`); `make bench ARGS=live` repeats one part and keeps
the others. It starts and stops its own servers and a headless Chromium (`$CHROMIUM`, or one on
PATH). Absolute times depend on the machine and its other load: read the ratios.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured number."""

    what: str
    how: str
    aim: str
    measured: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The results of one benchmark."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()


def save(name: str, section: Section) -> None:
    """Save a section with the date and the machine of the measurement."""
    path = FOLDER / "results" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    stamp = {"date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC", "machine": machine()}
    path.write_text(json.dumps(stamp | asdict(section), indent=1, ensure_ascii=False) + "\n")


def write(names: Sequence[str]) -> None:
    """Write RESULTS.md from the newest result of every benchmark."""
    parts = [INTRODUCTION]
    for name in names:
        path = FOLDER / "results" / f"{name}.json"
        if path.exists():
            parts.append(_section(name, json.loads(path.read_text())))
    (FOLDER / "RESULTS.md").write_text("\n".join(parts))


def machine() -> str:
    """CPU, cores, memory and versions; nothing that identifies this computer."""
    memory = psutil.virtual_memory().total / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{_cpu_model()}, {os.cpu_count()} cores, {memory:.0f} GB; {platform.system()}, "
        f"Python {platform.python_version()}, {versions}"
    )


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return found[1].strip() if found else platform.processor() or platform.machine()


def _section(name: str, kept: dict[str, Any]) -> str:
    lines = [f"## {kept['title']}", "", "| what | how | aim | measured |", "|---|---|---|---|"]
    for row in kept["rows"]:
        cells = (row[column].replace("|", "\\|") for column in ("what", "how", "aim", "measured"))
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {note}" for note in kept["notes"])]
    lines += [f"- `make bench ARGS={name}`, {kept['date']}, {kept['machine']}", ""]
    return "\n".join(lines)
