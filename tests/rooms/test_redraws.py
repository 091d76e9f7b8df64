"""The manual explains every reason in the log."""

from explorer.paths import ROOT
from explorer.rooms.redraws import LOG, Why


def test_the_manual_names_every_reason_of_the_log() -> None:
    manual = (ROOT / "docs" / "workshop.md").read_text()
    assert LOG.name in manual
    assert {why for why in Why if f"| {why} |" not in manual} == {Why.LEADS}
