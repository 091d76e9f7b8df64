"""The headers of every page, and the setting that lets other sites show it."""

from collections.abc import Iterator

import pytest

from explorer.web.headers import EMBEDDERS, safe_headers


@pytest.fixture(autouse=True)
def forget_headers() -> Iterator[None]:
    safe_headers.cache_clear()
    yield
    safe_headers.cache_clear()


def policy() -> dict[str, str]:
    directives = safe_headers()["Content-Security-Policy"].split("; ")
    return dict(part.split(" ", 1) for part in directives)


def test_only_the_explorer_itself_shows_a_page_in_a_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(EMBEDDERS, raising=False)
    assert policy()["frame-ancestors"] == "'self'"


def test_a_host_names_the_sites_that_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EMBEDDERS, " https://moodle.example.org  https://*.example.com:8443 ")
    expected = "'self' https://moodle.example.org https://*.example.com:8443"
    assert policy()["frame-ancestors"] == expected


@pytest.mark.parametrize(
    "wrong", ["moodle.example.org;", "https://a.example, https://b.example", "a\r\nX: y", "'self'"]
)
def test_anything_else_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EMBEDDERS, wrong)
    with pytest.raises(ValueError, match=f"{EMBEDDERS} must name sites, separated by spaces"):
        safe_headers()


def test_no_script_in_a_page_runs_but_streamlits_own() -> None:
    scripts = policy()["script-src"].split()
    assert "'unsafe-inline'" not in scripts
    assert "'unsafe-eval'" not in scripts
    assert sum(source.startswith("'sha256-") for source in scripts) == 1
