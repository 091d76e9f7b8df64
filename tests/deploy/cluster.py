"""Server processes behind nginx with the configuration of `deploy/`, all on loopback."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final

from tests.support.servers import PATIENCE, ROOT, Server, app, free_addresses

CONFIG: Final = ROOT / "deploy" / "nginx.conf"
DOCKERFILE: Final = ROOT / "deploy" / "Dockerfile"


def in_the_image() -> dict[str, Any]:
    """The settings of Streamlit that the Dockerfile makes."""
    return dict(re.findall(r"(STREAMLIT_\w+)=(\S+)", DOCKERFILE.read_text()))


def configure(folder: Path, proxy: str, replicas: list[str]) -> Path:
    """nginx.conf with these addresses in place of its own, and with a folder of its own."""
    text = CONFIG.read_text()
    addresses = re.findall(r" server ([\d.]+:\d+) ", text)
    port = in_the_image()["STREAMLIT_SERVER_PORT"]
    ports = "|".join(address.rpartition(":")[2] for address in replicas)
    changes = [
        *zip(addresses, replicas, strict=True),
        (rf"172\.28\.85\.(11|12|13):{port}", rf"127\.0\.0\.1:({ports})"),
        ("listen 8080;", f"listen {proxy};"),
        (" /tmp/", f" {folder}/"),
    ]
    for there, here in changes:
        assert there in text, f"nginx.conf has no {there!r}"
        text = text.replace(there, here)
    path = folder / "nginx.conf"
    path.write_text(text)
    return path


def nginx(config: Path, *options: str) -> list[str]:
    """The command that runs nginx with this configuration."""
    # Debian puts it where only root's PATH leads.
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    assert program, "there is no nginx: `make servers` installs it"
    return [program, "-c", str(config), "-p", str(config.parent), "-e", "stderr", *options]


class Visitor:
    """Requests as a browser sends them, each over a connection of its own; it keeps cookies."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.cookies: dict[str, str] = {}

    @property
    def cookie(self) -> str:
        """The header that a browser sends."""
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def get(self, path: str) -> int:
        """Ask for a path; the status of the answer."""
        return self._ask("GET", path)

    def send(self, box: dict[str, str], content: bytes) -> int:
        """Send a file to a field; the status of the answer."""
        return self._ask("PUT", "/files", content, box)

    def _ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> int:
        connection = HTTPConnection(self.address, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {"Cookie": self.cookie, **(headers or {})})
            answer = connection.getresponse()
            answer.read()
            for header in answer.headers.get_all("Set-Cookie", []):
                self.cookies |= {name: kept.value for name, kept in SimpleCookie(header).items()}
            return answer.status
        finally:
            connection.close()


@dataclass(frozen=True)
class Cluster:
    """The proxy and the replicas behind it, by their addresses."""

    proxy: Server
    replicas: dict[str, Server]

    def revive(self) -> list[Server]:
        """Start again what was killed."""
        dead = [replica for replica in self.replicas.values() if not replica.is_running]
        for replica in dead:
            replica.start()
        for replica in dead:
            replica.wait()
        return dead


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[Cluster]:
    """A cluster whose replicas have these settings, started now and stopped at the end."""
    proxy, *addresses = free_addresses(4)
    config = configure(folder, proxy, addresses)
    with ExitStack() as stack:
        replicas = {
            address: app(address, folder / f"{address}.log", **in_the_image() | settings)
            for address in addresses
        }
        for replica in replicas.values():
            stack.callback(replica.stop)
        for replica in replicas.values():
            replica.wait()
        started = Server(proxy, folder / "nginx.log", nginx(config, "-g", "daemon off;"))
        stack.callback(started.stop)
        started.wait()
        yield Cluster(started, replicas)
