"""Whatever stands in a model's settings: it is described, or refused in one sentence."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.weights.huggingface.description import describe
from explorer.weights.huggingface.files import PretrainedError
from tests.faults.nasty import NUMBERS, anything
from tests.weights.huggingface.tiny_files import EVERY_FAMILY

odd: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(NUMBERS)
    | anything
    | st.lists(st.integers(-3, 30), max_size=4)
    | st.dictionaries(st.text(max_size=5), st.integers(), max_size=3)
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_settings_are_read_or_refused(data: st.DataObject) -> None:
    settings = dict(data.draw(st.sampled_from(EVERY_FAMILY)))
    for name in data.draw(st.lists(st.sampled_from(sorted(settings)), max_size=3)):
        settings[name] = data.draw(odd)
    content = bytearray(json.dumps(settings).encode())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=2)):
        content[place] = data.draw(st.integers(0, 255))
    with TemporaryDirectory() as folder:
        Path(folder, "config.json").write_bytes(content)
        try:
            config, refused = describe(Path(folder)).config, ""
        except PretrainedError as error:
            config, refused = None, str(error)
    assert "\n" not in refused
    assert len(refused) < 1000
    # T5 may have more heads than numbers for a word: they have a width of their own.
    assert config is None or all(1 <= n < 2**24 for n in (config.n_heads, config.d_model))
