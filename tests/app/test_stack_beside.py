"""The page of the stack: every number that stands beside a stop."""

import math
import re

import numpy as np
import pytest

from explorer.analysis.stops import residual_stream
from explorer.names import Side
from explorer.vocabulary import VOCAB_SIZE
from tests.app.driving import components, numbers, open_page, pictures, state_of
from tests.app.stops import go_to, value_of
from tests.app.untrained import MODELS, PAIRS, model_of, stops_of
from tests.figures.reading import labels


@pytest.mark.parametrize("stop", ["logits", "probabilities"])
def test_the_next_words_are_the_most_probable(stop: str) -> None:
    all_stops = stops_of({}, 0)
    values = {one.title: one.values.numpy() for one in all_stops}[f"output: {stop}"]
    known = ["PAD", "BOS", "EOS", "UNK"]
    for _, sentence in PAIRS:
        known += [word for word in sentence.split() if word not in known]
    at = open_page("stack", **state_of(PAIRS, pair=1))
    for token in (0, 4, 6):
        go_to(at, [one.title for one in all_stops].index(f"output: {stop}"), word=token)
        table = components(at)["next-words"]
        assert table["header"] == ["next word", "id", stop]
        assert f"at position {token}" in table["caption"]
        best = sorted(range(VOCAB_SIZE), key=lambda id_: -values[token, id_])[:8]
        assert [line[:2] for line in table["rows"]] == [
            [known[id_] if id_ < len(known) else f"#{id_}", str(id_)] for id_ in best
        ]
        shown = [value_of(line[2]) for line in table["rows"]]
        np.testing.assert_allclose(shown, values[token, best], atol=6e-5)
    assert list(labels(pictures(at)["stop_picture"]["spec"], "x").values()) == known


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [u @ v / math.sqrt(u @ u) / math.sqrt(v @ v) for u, v in zip(a, b, strict=True)]
    )


@pytest.mark.parametrize(("name", "side"), [("usual", "src"), ("pre-norm", "tgt")])
def test_the_residual_stream(name: str, side: Side) -> None:
    all_stops = stops_of(MODELS[name], 0)
    passed = residual_stream(all_stops, side)
    tensors = [stop.values.double().numpy() for stop in passed]
    number = next(n for n, stop in enumerate(all_stops) if stop is passed[2])
    at = open_page("stack", **state_of(PAIRS, pair=1), stack_shows="stream", **MODELS[name])
    picture = pictures(go_to(at, number))["stream_picture"]
    np.testing.assert_allclose(
        numbers(picture),
        np.transpose([cosine(values, tensors[0]) for values in tensors]),
        atol=5e-5,
    )
    shown = list(labels(picture["spec"], "x").values())
    lines = [name.split("<br>") for name in shown]
    assert [line[0] for line in lines] == [stop.part for stop in passed]
    assert [line[-1] for line in lines] == [stop.sublayer or stop.name for stop in passed]
    assert len(set(shown)) == len(shown)
    (frame,) = picture["spec"]["layout"]["shapes"]
    assert (frame["x0"], frame["x1"]) == (1.5, 2.5)
    # A sub-layer's own output is not on the stream: nothing would change if one went there.
    assert len(at.selectbox(key="stop").options) == sum(stop.on_stream for stop in all_stops)


def test_man_as_four_numbers() -> None:
    """man = [0.1, 0.4, 0.3, 0.19]; √4 = 2; PE(1) of four dimensions is a reference value."""
    at = open_page("stack", drawer="four")
    word = [[0.1], [0.4], [0.3], [0.19]]
    scaled = [[0.2], [0.8], [0.6], [0.38]]
    for place, position in (
        (1, [0.84147098, 0.54030231, 0.00999983, 0.99995000]),
        (0, [0, 1, 0, 1]),
        (127, [math.sin(127), math.cos(127), math.sin(1.27), math.cos(1.27)]),
    ):
        at.text_input(key="man_at").set_value(str(place)).run()
        picture = pictures(at)["four_numbers"]
        column = np.array(position)[:, None]
        for panel, values in enumerate((word, scaled, column, np.array(scaled) + column)):
            np.testing.assert_allclose(numbers(picture, panel), values, atol=2e-5)
    at.text_input(key="man_at").set_value("1")
    go_to(at, 0, man="1 -2 0 0.5")
    assert components(at)["man_grid"]["cells"] == [["1", "-2", "0", "0.5"]]
    np.testing.assert_allclose(
        numbers(pictures(at)["four_numbers"], 3),
        [[2.84147098], [-4 + 0.54030231], [0.00999983], [1.99995]],
        atol=1e-5,
    )


def test_an_embedding_is_a_row_of_the_table() -> None:
    at = open_page("stack", **state_of(PAIRS, pair=1), stack_shows="stop", word=1)
    table = model_of({}).src_embedding.token.weight.detach().numpy()
    (shown,) = (code.value for code in at.code if code.value.startswith("“"))
    # PAD 0, BOS 1, EOS 2, UNK 3, the 4, dog 5
    match = re.fullmatch(r"“dog” has id 5: row 5 of E = \((.*), …\)", shown)
    values = np.array([value_of(cell) for cell in match[1].split(", ")])
    np.testing.assert_allclose(values, table[5, :8], atol=6e-4)
