"""The first page that a client gets has the styles of all pages, whatever it has kept or takes."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from explorer.web.first_frame import FirstFrame
from explorer.web.scripts import STYLES

PAGE = "<html><head></head><body>" + "<p>page</p>" * 100 + "</body></html>"
ASKS = {"Accept": "text/html,*/*;q=0.8"}


def page(request: Request) -> Response:
    if request.headers.get("if-none-match") == '"kept"':
        return Response(status_code=304)
    return HTMLResponse(PAGE, headers={"ETag": '"kept"'})


@pytest.fixture
def client() -> TestClient:
    # Compression lies inside, as Streamlit's own does.
    inside = [Middleware(FirstFrame), Middleware(GZipMiddleware)]
    routes = [
        Route("/text", lambda request: PlainTextResponse("</body>")),
        Route("/{path:path}", page),  # as Streamlit does
    ]
    return TestClient(Starlette(routes=routes, middleware=inside))


@pytest.mark.parametrize(
    "more", [{}, {"Accept-Encoding": "gzip"}, {"If-None-Match": '"kept"'}, {"Range": "bytes=0-9"}]
)
def test_the_first_page_has_the_styles(more: dict[str, str], client: TestClient) -> None:
    answer = client.get("/", headers=ASKS | more)
    assert answer.status_code == 200
    assert f"<style>{STYLES}</style>\n<div" in answer.text  # at the end: the later ones win
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "etag" not in answer.headers  # of the page without them


def test_other_answers_are_as_they_were(client: TestClient) -> None:
    assert client.get("/text", headers=ASKS).text == "</body>"
    plain = client.get("/", headers={"Accept": "*/*", "If-None-Match": '"kept"'})
    assert plain.status_code == 304


@pytest.mark.parametrize("base", ["/", "/explorer/"])
@pytest.mark.parametrize(
    ("asked", "home"),
    [
        ("", ""),
        ("attention?src=a", ""),
        ("home?lang=de", "./?lang=de"),
        ("Home", "./?"),
        ("Masks?src=A+b", "./masks?src=A+b"),
        ("ATTENTION", "./attention"),
        ("practice?topic=masks&room=ABC", "./predict?topic=masks&room=ABC"),
        ("words?term=softmax", "./glossary?term=softmax"),
        ("nopage", "./?no_page=nopage"),
        ("collab?src=a+b&lang=de", "./?no_page=collab&src=a+b&lang=de"),  # ends like *Lab*
        ("no%20page", "./?no_page=no%20page"),
        ("%C3%A4%26x=1", "./?no_page=%C3%A4%26x%3D1"),
    ],
)
def test_a_page_that_does_not_exist_is_home_and_capitals_do_not_matter(
    base: str, asked: str, home: str, client: TestClient
) -> None:
    answer = client.get(base + asked, headers=ASKS, follow_redirects=False)
    assert (answer.status_code, answer.headers.get("location", "")) == (303 if home else 200, home)
