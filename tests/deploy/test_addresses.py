"""Behind nginx, visitors are told apart by their addresses, and cannot make up others."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.deploy.cluster import configure, in_the_image, nginx
from tests.support.async_tests import async_test
from tests.support.people import Person, connected
from tests.support.servers import Server, app, free_addresses

pytestmark = pytest.mark.all

WHO = Path(__file__).with_name("who.py")
# Whom a replica trusts: the proxy's address, as in compose.yaml; whole networks, which may have
# visitors in them, as in kubernetes.yaml; or, by mistake, everybody.
TRUSTED = ("127.0.0.1", "10.0.0.0/8,127.0.0.0/8", "*")


@pytest.fixture(scope="module", params=TRUSTED)
def proxy(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("who")
    address, *replicas = free_addresses(4)  # the first replica is there, the others are not
    command = nginx(configure(folder, address, replicas), "-g", "daemon off;")
    settings = in_the_image() | {"FORWARDED_ALLOW_IPS": request.param}
    with ExitStack() as stack:
        for server in (
            app(replicas[0], folder / "replica.log", WHO, **settings),
            Server(address, folder / "proxy.log", command),
        ):
            stack.callback(server.stop)
            server.wait()
        yield address


@pytest.mark.parametrize(
    "claim", [{}, {"X-Forwarded-For": "203.0.113.9"}, {"X-Forwarded-For": "127.0.0.1, 203.0.113.9"}]
)
@async_test
async def test_visitors_are_known_by_their_own_address(proxy: str, claim: dict[str, str]) -> None:
    for host in ("127.0.0.2", "127.0.0.3"):
        wire = await connected(f"http://{proxy}", source=host, headers=claim)
        person = Person(wire, "", "")
        await person.run()
        await person.leave()
        (shown,) = person.shown("text")
        assert shown.text.body == host
