"""Look for lost letters, clicks and page turns: `python -m tests.soak typing --count 200`."""

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from tests.faults.wire import wire_to
from tests.soak.browsers import BROWSERS, Chromium
from tests.soak.kinds import KINDS, Stage, soak
from tests.soak.person import Person
from tests.support.servers import serving


async def main() -> int:
    """Do what the command line says; returns how many were lost."""
    options = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    options.add_argument("kinds", nargs="*", default=[*KINDS], help=f"some of {', '.join(KINDS)}")
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options.add_argument("--slow", type=float, default=1, help="the browser, so many times")
    options.add_argument("--beside", type=int, default=0, help="programs that keep cores busy")
    options.add_argument("--browser", choices=BROWSERS, default="chromium")
    asked = options.parse_args()
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        for _ in range(asked.beside):
            spinning = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(spinning.kill)
        server = stack.enter_context(serving(Path(folder) / "log.txt"))
        wire = stack.enter_context(wire_to(server.port))
        others = await stack.enter_async_context(Chromium.launched())
        lost = 0
        for kind in asked.kinds:
            async with BROWSERS[asked.browser].launched() as browser:
                person = Person(await browser.window(), server.url, random.Random())
                stage = Stage(server, wire, person, others)
                lost += len(await soak(kind, stage, asked.count, asked.seed, asked.slow))
        return lost


sys.exit(min(1, asyncio.run(main())))
