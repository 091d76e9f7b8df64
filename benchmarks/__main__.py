"""`python -m benchmarks` runs all benchmarks, `python -m benchmarks live memory` only these two."""

import argparse
import sys
import traceback
from collections.abc import Callable
from typing import Final

from benchmarks import (
    causes,
    first,
    flicker,
    following,
    forward,
    home,
    learning,
    live,
    memory,
    mixed,
    pretrained,
    report,
    room,
    sessions,
    shares,
    small,
    traffic,
    views,
    watched,
)

BENCHMARKS: Final[dict[str, Callable[[], report.Section]]] = {
    "live": live.measure,
    "flicker": flicker.measure,
    "first": first.measure,
    "home": home.measure,
    "forward": forward.measure,
    "pretrained": pretrained.measure,
    "causes": causes.measure,
    "traffic": traffic.measure,
    "views": views.measure,
    "mixed": mixed.measure,
    "room": room.measure,
    "following": following.measure,
    "memory": memory.measure,
    "sessions": sessions.measure,
    "shares": shares.measure,
    "small": small.measure,
    "watched": watched.measure,
    "learning": learning.measure,
}


def main() -> None:
    """Run the named benchmarks; each result is saved as soon as it is ready."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := sorted(set(names) - BENCHMARKS.keys()):
        parser.error(f"names must be among {', '.join(BENCHMARKS)}, got {', '.join(unknown)}")
    failed = []
    for name in names:
        print(f"{name} …", flush=True)
        try:
            section = BENCHMARKS[name]()
        except Exception:  # the others need not wait for it
            traceback.print_exc()
            failed.append(name)
            continue
        report.save(name, section)
        for row in section.rows:
            print(f"  {row.what}: {row.measured} (aim {row.aim})", flush=True)
    report.write(list(BENCHMARKS))
    if failed:
        sys.exit(f"failed, and not written: {', '.join(failed)}")


if __name__ == "__main__":
    main()
