"""A visitor without a page: what the browser says is in a dictionary."""

from typing import Any

import pytest
import streamlit as st

from explorer.ui.frame import session as sessions
from explorer.ui.frame.session import Session


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The states of widgets and components in a browser, for a session that has just begun."""
    here = Session()
    monkeypatch.setattr(st, "session_state", found := {"session": here})
    monkeypatch.setattr(sessions._this_run, "session", here, raising=False)
    return found
