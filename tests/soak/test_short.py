"""Each kind of soaking, for some seconds."""

from pathlib import Path

import pytest

from tests.faults.wire import wire_to
from tests.soak.browsers import Chromium
from tests.soak.kinds import CONTROLS, KINDS, Stage, soak
from tests.support.async_tests import run_async
from tests.support.servers import Server, serving

pytestmark = pytest.mark.browser
