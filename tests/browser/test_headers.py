"""The headers that limit what a page may do: enough for every page, and no more."""

from collections.abc import Callable

from tests.browser.visitor import Visitor

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
