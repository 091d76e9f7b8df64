"""A connection between browser and server that can be cut, can go dead, and can be mended."""

import select
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Wire(socketserver.ThreadingTCPServer):
    """A proxy that passes on all data, in both directions, to a port of this machine."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Relay)
        self.target = ("127.0.0.1", port)
        self.is_up = True
        self.is_dead = False
        self.open: set[socket.socket] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def cut(self) -> None:
        """Close every connection, and from now on every new one immediately."""
        self.is_up = False
        for end in list(self.open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def die(self) -> None:
        """Keep every connection, and pass nothing on, as a network does that is out of reach."""
        self.is_dead = True

    def mend(self) -> None:
        """Let everything through again, also what has come meanwhile."""
        self.is_up, self.is_dead = True, False


class _Relay(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        wire = self.server
        assert isinstance(wire, Wire)
        with suppress(OSError), socket.create_connection(wire.target) as there:
            ends = {self.request: there, there: self.request}
            wire.open |= ends.keys()
            try:
                while wire.is_up:
                    if wire.is_dead:
                        time.sleep(0.05)
                        continue
                    ready, _, _ = select.select([*ends], [], [], 0.2)
                    for end in ready:
                        content = end.recv(2**16)
                        if not content:
                            return
                        ends[end].sendall(content)
            finally:
                wire.open -= ends.keys()


@contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    """A proxy to this port, closed at the end."""
    with Wire(port) as wire:
        threading.Thread(target=wire.serve_forever, args=[0.05], daemon=True).start()
        try:
            yield wire
        finally:
            wire.cut()
            wire.shutdown()
