"""Three replicas behind nginx: who visits stays with one, and when it dies, another takes over."""

import asyncio
import re
import socket
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlencode

import pytest
from websockets.exceptions import ConnectionClosed

from explorer.ui.controls.sentences import LINK_CHARACTERS
from explorer.weights.checkpoints import LARGEST
from tests.deploy.cluster import CONFIG, Cluster, Visitor, configure, in_the_image, nginx
from tests.faults.guest import Guest
from tests.support.async_tests import async_test
from tests.support.servers import HEALTH, ROOT, Server, free_addresses

PEOPLE = 6  # two on each replica
SETTINGS = {"weights": "untrained", "pairs": 1, "tgt": "das Tier war müde"}
MIB = 2**20


@dataclass
class Typist:
    """Somebody who types on, and comes back through the proxy when their session is gone."""

    name: str
    visitor: Visitor
    guest: Guest = field(init=False)
    typed: str = ""
    runs: int = 0
    moved: int = 0  # times that a session was lost, and a picture came from another

    @property
    def replica(self) -> str:
        return self.visitor.cookies["replica"]

    async def arrive(self) -> None:
        """As a browser does: the page, a question after the server's health, the session."""
        for path in ("/attention", HEALTH):
            assert await asyncio.to_thread(self.visitor.get, path) == 200
        await self._enter()

    async def _enter(self) -> None:
        address = f"http://{self.visitor.address}"
        query = urlencode({**SETTINGS, "src": self.typed})
        self.guest = await Guest.come(address, "attention", query, cookie=self.visitor.cookie)
        self.runs += 1

    async def type_until(self, done: asyncio.Event) -> None:
        """A new word after every picture."""
        while not done.is_set():
            self.typed = f"{self.name}{self.runs} crossed the street"
            try:
                await self.guest.put(src=self.typed)
                self.runs += 1
            except ConnectionClosed:
                assert await asyncio.to_thread(self.visitor.get, HEALTH) == 200
                await self._enter()
                self.moved += 1
            assert self.guest.errors == []
            assert any(self.typed.split()[0] in shown["alt"] for shown in self.guest.pictures)
            await asyncio.sleep(0.2)

    async def upload(self) -> int:
        """Send a file to a field of this session; the status of the answer."""
        box = await self.guest.show_file_field()
        return await asyncio.to_thread(self.visitor.send, box, b"weights")


async def come(cluster: Cluster, count: int) -> list[Typist]:
    """So many visitors, one after the other."""
    people = [Typist(f"word{n}x", Visitor(cluster.proxy.address)) for n in range(count)]
    for person in people:
        await person.arrive()
    return people


async def go(people: list[Typist]) -> None:
    for person in people:
        await person.guest.leave()


@async_test
async def test_all_requests_of_a_visitor_reach_the_replica_of_their_session(
    cluster: Cluster,
) -> None:
    people = await come(cluster, PEOPLE)
    assert Counter(person.replica for person in people) == dict.fromkeys(cluster.replicas, 2)
    for person in people:
        # Only the replica that has the session takes a file for it.
        assert [await person.upload() for _ in range(3)] == [204] * 3
        own = person.replica
        person.visitor.cookies["replica"] = next(r for r in cluster.replicas if r != own)
        assert await person.upload() == 403
    await go(people)


def test_a_cookie_leads_nowhere_else(cluster: Cluster) -> None:
    visitor = Visitor(cluster.proxy.address)
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        visitor.cookies["replica"] = f"127.0.0.1:{elsewhere.getsockname()[1]}"
        assert visitor.get(HEALTH) == 200
        assert visitor.cookies["replica"] in cluster.replicas
        with pytest.raises(BlockingIOError):  # nobody has called
            elsewhere.accept()


def asked(cluster: Cluster, method: str, path: str, headers: dict[str, str]) -> HTTPResponse:
    """The head of the answer to a request of which nothing but the head is sent."""
    connection = HTTPConnection(cluster.proxy.address, timeout=10)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    connection.close()
    return answer


def test_a_session_begins_under_the_name_in_the_address_bar(cluster: Cluster) -> None:
    host = "explorer.example.org:8080"
    headers = {"Host": host, "Origin": f"http://{host}", "Connection": "Upgrade"}
    headers |= {"Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    headers |= {"Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="}
    assert asked(cluster, "GET", "/_stcore/stream", headers).status == 101


@pytest.mark.parametrize(
    ("file", "kept"),
    [
        ("scripts/1/live_plot.js", True),
        ("scripts/1/missing.js", False),
    ],
)
def test_a_script_with_its_version_is_fetched_once(file: str, kept: bool, cluster: Cluster) -> None:
    answer = asked(cluster, "GET", f"/{file}", {})
    headers = answer.headers.get_all("Cache-Control", [])
    assert ("max-age=31536000" in ", ".join(headers)) == kept
    assert len(answer.headers.get_all("Set-Cookie", [])) == 1


@async_test
async def test_when_a_replica_dies_its_people_go_on_at_another_one(cluster: Cluster) -> None:
    people = await come(cluster, PEOPLE)
    before = {person.name: (person.replica, person.guest) for person in people}
    done = asyncio.Event()
    typing = asyncio.gather(*(person.type_until(done) for person in people))
    await asyncio.sleep(1.5)
    killed = people[0].replica
    cluster.replicas[killed].kill()
    runs = {person.name: person.runs for person in people}
    async with asyncio.timeout(30):
        while not typing.done() and any(p.runs < runs[p.name] + 4 for p in people):
            await asyncio.sleep(0.1)
    done.set()
    await typing

    for person in people:
        replica, guest = before[person.name]
        if replica == killed:
            assert person.replica != killed
            assert person.moved
        else:  # still in the very session, over the very WebSocket, that they came with
            assert person.replica == replica
            assert person.guest is guest

    # It is there again: whoever moved is not sent back, away from their session.
    cluster.revive()
    for person in people:
        assert await person.upload() == 204
    await go(people)


def test_a_long_address_passes(cluster: Cluster) -> None:
    settings = "&d_model=512&heads=8&enc=6&dec=6&attention=cross&page=attention" * 10
    path = f"/attention?src={'x' * LINK_CHARACTERS}{settings}"
    assert Visitor(cluster.proxy.address).get(path) == 200


@pytest.mark.parametrize(("size", "status"), [(LARGEST + 2 * MIB, 413), (LARGEST + 1000, 403)])
def test_nginx_refuses_what_is_larger_than_weights_may_be(
    cluster: Cluster, size: int, status: int
) -> None:
    # Nothing follows: the answer comes before the file.
    answer = asked(cluster, "PUT", "/files", {"Content-Length": str(size)})
    assert answer.status == status  # 403: the app's own, to somebody without a field


def test_nginx_does_not_wait_for_a_request_that_never_ends(
    cluster: Cluster, tmp_path: Path
) -> None:
    """One that waits for a second: the ten of its configuration are long for a test."""
    (address,) = free_addresses(1)
    config = configure(tmp_path, address, list(cluster.replicas))
    waits = "client_header_timeout 10s;"
    assert waits in config.read_text()
    config.write_text(config.read_text().replace(waits, "client_header_timeout 1s;"))
    proxy = Server(address, tmp_path / "log.txt", nginx(config, "-g", "daemon off;"))
    try:
        proxy.wait()
        host, port = address.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as wire:
            wire.sendall(b"GET / HTTP/1.1\r\nHost: explorer\r\nX-Slow: ")
            with suppress(ConnectionResetError):
                assert b"200" not in wire.recv(1000)  # it hangs up, at most saying why
    finally:
        proxy.stop()


def test_the_files_agree() -> None:
    image = in_the_image()
    port = image["STREAMLIT_SERVER_PORT"]
    largest = 1 + LARGEST // MIB
    conf = CONFIG.read_text()
    compose = (ROOT / "deploy" / "compose.yaml").read_text()
    kubernetes = (ROOT / "deploy" / "kubernetes.yaml").read_text()
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()

    assert f"client_max_body_size {largest}m;" in conf
    assert f'proxy-body-size: "{largest}m"' in kubernetes
    assert f"EXPOSE {port}" in dockerfile
    assert f"127.0.0.1:{port}{HEALTH}" in dockerfile
    assert f"containerPort: {port}" in kubernetes
    assert kubernetes.count(f"path: {HEALTH},") == 3
    redis = re.findall(r"redis://([\d.]+):", compose)
    trusted = re.findall(r"FORWARDED_ALLOW_IPS: ([\d.]+)", compose)
    addresses = re.findall(r"ipv4_address: ([\d.]+)", compose)
    others = {*redis, *trusted}
    assert len(others) == 2
    assert others < set(addresses)
    addresses = [host for host in addresses if host not in others]
    assert re.findall(r" server ([\d.]+:\d+) ", conf) == [f"{host}:{port}" for host in addresses]
