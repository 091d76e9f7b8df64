"""The page of the stack: every number that stands beside a stop, worked again from torch.nn's."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest

from explorer.vocabulary import VOCAB_SIZE
from tests.app.driving import components, numbers, open_page, pictures, state_of, texts
from tests.app.stack_by_torch import MODELS, PAIRS, ByTorch, Wanted, model_of
from tests.app.stops import SHOWN, go, value_of
from tests.figures.reading import labels

MEASURES = {"similarity": "likeness to the start", "change": "change", "norm": "vector norm"}
NUMBER = r"\(?([−\d.]+(?:e[+-]\d+)?)\)?"


def unmarked(text: str) -> str:
    """Without the marks that keep a right-to-left word from turning the text around it."""
    return text.replace("\u2068", "").replace("\u2069", "")


@pytest.mark.parametrize("name", ["post-norm", "pre-norm"])
def test_layer_norm_by_hand(name: str) -> None:
    settings = MODELS[name]
    torchs = ByTorch(settings, 0)
    assert torchs.normed
    memory = [wanted.title for wanted in torchs.way].index("memory: memory")
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings, word=3)
    for number, wanted in enumerate(torchs.way):
        go(at, number)
        shown = [code.value for code in at.code if "\nμ = " in code.value]
        if number not in torchs.normed:
            assert not shown, wanted.title
            assert "norm_picture" not in pictures(at)
            continue
        before, after = (half[3].astype(np.float64) for half in torchs.normed[number])
        name_line, mean_line, deviation_line, *lines = shown[0].splitlines()
        assert unmarked(name_line) == ("“seen”:" if number < memory + 1 else "“hat”:")
        count, mean = re.fullmatch(rf"μ = mean of (\d+) numbers = {NUMBER}", mean_line).groups()
        assert int(count) == len(before)
        assert value_of(mean) == pytest.approx(before.sum() / len(before), abs=6e-4)
        variance, epsilon, deviation = map(
            value_of,
            re.fullmatch(
                rf"σ = √\(variance \+ ε\) = √\({NUMBER} \+ (\S+)\) = {NUMBER}", deviation_line
            ).groups(),
        )
        assert epsilon == 1e-5
        assert variance == pytest.approx(((before - before.mean()) ** 2).mean(), abs=6e-4)
        assert deviation == pytest.approx(math.sqrt(variance + epsilon), abs=2e-3)
        assert len(lines) == 4
        for dimension, line in enumerate(lines):
            x, mu, sigma, gain, bias, out = map(
                value_of,
                re.fullmatch(
                    rf"out\[{dimension}\] = \({NUMBER} − {NUMBER}\) / {NUMBER} · {NUMBER} "
                    rf"\+ {NUMBER} = {NUMBER}",
                    line,
                ).groups(),
            )
            assert x == pytest.approx(before[dimension], abs=6e-4)
            assert (mu, sigma) == (value_of(mean), deviation)
            assert out == pytest.approx(after[dimension], abs=6e-4)
            slack = (1e-3 + abs(x - mu) / sigma * 5e-4) / sigma + 1e-3  # of three digits each
            assert out == pytest.approx((x - mu) / sigma * gain + bias, abs=slack)
        drawn = numbers(pictures(at)["norm_picture"])
        np.testing.assert_allclose(drawn, np.stack([before, after])[:, :SHOWN], atol=2e-5)


@pytest.mark.parametrize("name", ["pre-norm", "deeper"])
def test_inside_the_feed_forward(name: str) -> None:
    settings = MODELS[name]
    torchs = ByTorch(settings, 1)
    at = open_page("stack", **state_of(PAIRS, pair=2), **settings)
    for number in range(len(torchs.way)):
        go(at, number)
        drawn = pictures(at)
        if number not in torchs.hidden:
            assert "hidden_picture" not in drawn
            continue
        hidden = torchs.hidden[number]
        np.testing.assert_allclose(numbers(drawn["hidden_picture"]), hidden[:, :SHOWN], atol=2e-5)
        caption = drawn["hidden_picture"]["caption"]
        assert caption.startswith(f"Shape ({hidden.shape[0]}, {hidden.shape[1]})")
        share = int(re.search(r"(\d+)% of the hidden units are 0", caption)[1])
        assert share == pytest.approx(100 * (hidden <= 0).mean(), abs=0.51)
        assert 0 < share < 100
        (badge,) = re.findall(r"\S*badge\[[^\n]*comes out the same[^\n]*", texts(at))
        assert ":material/check:" in badge
        assert float(re.search(r"the same \((\S+)\)", badge)[1]) < 1e-4


@pytest.mark.parametrize("stop", ["logits", "probabilities"])
@pytest.mark.parametrize("name", ["post-norm", "pre-norm"])
def test_the_next_words_are_the_most_probable(name: str, stop: str) -> None:
    settings = MODELS[name]
    way = ByTorch(settings, 0).way
    titles = [wanted.title for wanted in way]
    logits = way[titles.index("output: logits")].values.astype(np.float64)
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    softmax = powers / powers.sum(axis=1, keepdims=True)
    known = ["PAD", "BOS", "EOS", "UNK"]
    for _, sentence in PAIRS:
        known += [word for word in sentence.split() if word not in known]
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings)
    names = ["next word", "id", stop]
    for token in (0, 4, 6):
        go(at, titles.index(f"output: {stop}"), word=token)
        table = components(at)["next-words"]
        assert table["header"] == names
        assert f"after position {token}" in table["caption"]
        best = sorted(range(VOCAB_SIZE), key=lambda id_: -softmax[token, id_])[:8]
        assert [int(line[1]) for line in table["rows"]] == best
        assert [line[0] for line in table["rows"]] == [
            known[id_] if id_ < len(known) else f"#{id_}" for id_ in best
        ]
        numbers_of = softmax if stop == "probabilities" else logits
        shown = [value_of(line[2]) for line in table["rows"]]
        np.testing.assert_allclose(shown, numbers_of[token, best], atol=6e-5)
    columns = list(labels(pictures(at)["stop_picture"]["spec"], "x").values())
    assert columns == known


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [u @ v / math.sqrt(u @ u) / math.sqrt(v @ v) for u, v in zip(a, b, strict=True)]
    )


def said_of(stop: Wanted, way: list[Wanted]) -> str:
    """What a stop of the stream is called: a sum by the sub-layer whose output it adds."""
    part, name = stop.title.split(": ")
    before = way[next(n for n, wanted in enumerate(way) if wanted is stop) - 1]
    return f"{part}: after {before.title.split(': ')[1]}" if name.startswith("add") else stop.title


@pytest.mark.parametrize("side", ["src", "tgt"])
@pytest.mark.parametrize("name", ["pre-norm", "deeper"])
def test_the_residual_stream(name: str, side: str) -> None:
    settings = MODELS[name]
    way = ByTorch(settings, 0).way
    end = [wanted.title for wanted in way].index("memory: memory") + 1
    half = way[:end] if side == "src" else way[end:]
    ends = ("+ position", "add", "add & norm", *(("memory", "norm") if "norm" in settings else ()))
    passed = [wanted for wanted in half if wanted.title.split(": ")[1] in ends]
    tensors = [wanted.values.astype(np.float64) for wanted in passed]
    lengths = [np.sqrt((values**2).sum(axis=1)) for values in tensors]
    moves = [np.sqrt(((b - a) ** 2).sum(axis=1)) for a, b in pairwise(tensors)]
    expected = {
        "similarity": [cosine(values, tensors[0]) for values in tensors],
        "change": [np.zeros(len(tensors[0])), *moves],
        "norm": lengths,
    }
    here = passed[2]
    number = next(n for n, wanted in enumerate(way) if wanted is here)
    at = open_page("stack", **state_of(PAIRS, pair=1), stack_shows="stream", **settings)
    for measure, columns in expected.items():
        picture = pictures(go(at, number, stream=measure))["stream_picture"]
        np.testing.assert_allclose(
            numbers(picture), np.transpose(columns), atol=5e-5, err_msg=measure
        )
        assert MEASURES[measure] in picture["alt"]
        shown = list(labels(picture["spec"], "x").values())
        assert shown == [said_of(wanted, way) for wanted in passed]
        assert len(set(shown)) == len(shown)
        (frame,) = picture["spec"]["layout"]["shapes"]
        assert (frame["x0"], frame["x1"]) == (1.5, 2.5)
    go(at, number - 1)  # a sub-layer's own output is not on the stream
    assert not pictures(at)["stream_picture"]["spec"]["layout"].get("shapes")


def test_an_address_with_a_stop_shows_the_stop() -> None:
    at = open_page("stack", **state_of(PAIRS), stop=12, stop_shows="change", stream="norm")
    assert "stop_picture" in pictures(at)


def test_an_old_address_about_the_residual_stream_shows_it() -> None:
    at = open_page("stack", **state_of(PAIRS), stream="norm")
    assert set(pictures(at)) == {"stream_picture"}
    at.segmented_control(key="stream").set_value("similarity").run()
    assert set(pictures(at)) == {"stream_picture"}
    assert at.query_params["stack_shows"] == "stream"  # also after a reload
    at.segmented_control(key="stack_shows").set_value("stop").run()
    assert "stop_picture" in pictures(at)
    assert "stream_picture" not in pictures(at)


def test_man_as_four_numbers() -> None:
    """man = [0.1, 0.4, 0.3, 0.19]; √4 = 2; PE(1) of four dimensions is a reference value."""
    at = open_page("stack", four=True)
    word = [[0.1], [0.4], [0.3], [0.19]]
    scaled = [[0.2], [0.8], [0.6], [0.38]]
    for place, position in (
        (1, [0.84147098, 0.54030231, 0.00999983, 0.99995000]),
        (0, [0, 1, 0, 1]),
        (127, [math.sin(127), math.cos(127), math.sin(1.27), math.cos(1.27)]),
    ):
        at.text_input(key="man_at").set_value(str(place)).run()
        assert not at.exception
        picture = pictures(at)["four_numbers"]
        column = np.array(position)[:, None]
        for panel, values in enumerate((word, scaled, column, np.array(scaled) + column)):
            np.testing.assert_allclose(numbers(picture, panel), values, atol=2e-5)
    at.text_input(key="man_at").set_value("1")
    go(at, 0, man="1 -2 0 0.5")
    assert components(at)["man_grid"]["cells"] == [["1", "-2", "0", "0.5"]]
    np.testing.assert_allclose(
        numbers(pictures(at)["four_numbers"], 3),
        [[2.84147098], [-4 + 0.54030231], [0.00999983], [1.99995]],
        atol=1e-5,
    )


def test_an_embedding_is_a_row_of_the_table() -> None:
    at = open_page("stack", **state_of(PAIRS, pair=1), word=1)
    table = model_of({}).src_embedding.token.weight.detach().numpy()
    (shown,) = (code.value for code in at.code if code.value.startswith("“"))
    # PAD 0, BOS 1, EOS 2, UNK 3, the 4, dog 5
    match = re.fullmatch(r"“dog” has id 5: row 5 of E = \((.*), …\)", unmarked(shown))
    np.testing.assert_allclose(
        [value_of(cell) for cell in match[1].split(", ")], table[5, :8], atol=6e-4
    )
