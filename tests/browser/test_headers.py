"""The headers that limit what a page may do: enough for every page, and no more.

That a host may let another site show it: tests/deploy/test_replicas.py.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Browser

from tests.browser.visitor import Visitor
from tests.support.servers import Server

NOTE_VIOLATIONS = """() => {
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) =>
    window.violations.push(`${event.effectiveDirective} ${event.blockedURI}`));
}"""
VIOLATIONS = "() => window.violations"
# The effects that a typed text would have as a part of the page.
STRANGE_ELEMENTS = """() => {
  const script = document.createElement("script");
  script.textContent = "window.ran = true";
  const image = document.createElement("img");
  image.src = "https://example.org/what-was-typed.png";
  document.body.append(script, image);
}"""


def test_a_foreign_script_or_picture_is_not_loaded(visit: Callable[..., Visitor]) -> None:
    """That no page needs more is checked at every visit: see `Visitor.problems`."""
    visitor = visit("/glossary")
    visitor.page.evaluate(NOTE_VIOLATIONS)
    visitor.page.evaluate(STRANGE_ELEMENTS)
    visitor.page.wait_for_function("() => window.violations.length === 2")
    assert not visitor.page.evaluate("() => window.ran")
    script, image = sorted(visitor.page.evaluate(VIOLATIONS), reverse=True)
    assert script.startswith("script-src")
    assert image.startswith("img-src https://example.org")
    assert len(visitor.problems) == 2
    visitor.problems.clear()


class Elsewhere(BaseHTTPRequestHandler):
    """A page of another site, which shows the explorer in a frame."""

    explorer = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<iframe src='{self.explorer}'></iframe>".encode())

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def elsewhere(explorer: str) -> Iterator[str]:
    """The address of such a page."""
    handler = type("Handler", (Elsewhere,), {"explorer": explorer})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, args=[0.05], daemon=True).start()
        yield f"http://127.0.0.1:{site.server_address[1]}/"
        site.shutdown()


def test_another_site_cannot_show_a_page_in_a_frame(browser: Browser, server: Server) -> None:
    with elsewhere(server.url) as address, closing(browser.new_context()) as context:
        page = context.new_page()
        with page.expect_event("requestfailed") as refused:
            page.goto(address)
        assert refused.value.url == f"{server.url}/"
        assert refused.value.failure == "net::ERR_BLOCKED_BY_RESPONSE"
