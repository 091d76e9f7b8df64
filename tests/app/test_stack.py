"""The page of the stack: every stop against torch.nn, every number beside it worked again."""

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor, nn

from explorer.config import ModelConfig
from explorer.interop import to_torch
from explorer.text import VOCAB_SIZE, Batch
from explorer.transformer import Transformer
from tests.app.by_torch import positions
from tests.app.driving import components, numbers, open_page, pictures, state_of, texts
from tests.figures.reading import labels

PAIRS = [
    ("the dog has seen the cat", "der Hund hat die Katze gesehen"),
    ("it was tired", "es war müde"),
]
BATCH = Batch.from_text([source for source, _ in PAIRS], [target for _, target in PAIRS])
MODELS: dict[str, dict[str, Any]] = {
    "post-norm": {},
    "pre-norm": {"norm": "pre", "enc": 1, "dec": 2, "d_model": 24, "heads": 3, "seed": 5},
    "deeper": {"enc": 3, "dec": 1, "d_model": 10, "heads": 1, "d_ff": 7},
}
SHOWN = 64


@dataclass(frozen=True)
class Wanted:
    """One stop as torch.nn computes it."""

    title: str
    values: np.ndarray
    before: np.ndarray | None  # what it is compared with


def model_of(settings: dict[str, Any]) -> Transformer:
    """The model that these controls describe."""
    d_model = settings.get("d_model", 64)
    config = ModelConfig(
        d_model=d_model,
        n_heads=settings.get("heads", 4),
        n_encoder_layers=settings.get("enc", 2),
        n_decoder_layers=settings.get("dec", 2),
        d_ff=settings.get("d_ff", 4 * d_model),
        norm_first=settings.get("norm") == "pre",
        src_vocab_size=VOCAB_SIZE,
        tgt_vocab_size=VOCAB_SIZE,
    )
    return Transformer(config, seed=settings.get("seed", 0))


class ByTorch:
    """The way through the model, computed sub-layer by sub-layer with torch.nn's modules."""

    def __init__(self, settings: dict[str, Any], row: int) -> None:
        self.model = model_of(settings)
        self.twin = to_torch(self.model).eval()
        self.pre = settings.get("norm") == "pre"
        self.way: list[Wanted] = []
        self.normed: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # of a stop: before and after
        self.hidden: dict[int, np.ndarray] = {}  # of a stop: the feed-forward's inside
        src, tgt = BATCH.src[row : row + 1], BATCH.tgt_in[row : row + 1]
        src_pad, tgt_pad = src == BATCH.pad_id, tgt == BATCH.pad_id  # torch: True = ignore
        future = torch.ones(tgt.shape[1], tgt.shape[1]).triu(1).bool()
        with torch.inference_mode():
            x = self.embed("source", self.model.src_embedding.token.weight, src)
            for number, layer in enumerate(self.twin.encoder.layers, start=1):
                part = f"encoder {number}"
                x = self.attend(part, "self-attention", layer.self_attn, layer.norm1, x, None,
                                key_padding_mask=src_pad)  # fmt: skip
                x = self.feed(part, layer, layer.norm2, x)
            memory = self.end("memory: memory", x, self.twin.encoder.norm)
            y = self.embed("target", self.model.tgt_embedding.token.weight, tgt)
            for number, layer in enumerate(self.twin.decoder.layers, start=1):
                part = f"decoder {number}"
                y = self.attend(part, "masked self-attention", layer.self_attn, layer.norm1, y,
                                None, key_padding_mask=tgt_pad, attn_mask=future)  # fmt: skip
                y = self.attend(part, "cross-attention", layer.multihead_attn, layer.norm2, y,
                                memory, key_padding_mask=src_pad)  # fmt: skip
                y = self.feed(part, layer, layer.norm3, y)
            if self.pre:
                y = self.end("output: norm", y, self.twin.decoder.norm)
            logits = nn.functional.linear(y, self.model.to_logits.weight, self.model.to_logits.bias)
            self.add("output: logits", logits, None)
            self.add("output: probabilities", nn.functional.softmax(logits, dim=-1), None)

    def add(self, title: str, values: Tensor, before: Tensor | None) -> None:
        self.way.append(
            Wanted(title, values[0].numpy(), None if before is None else before[0].numpy())
        )

    def embed(self, part: str, table: Tensor, ids: Tensor) -> Tensor:
        d_model = table.shape[1]
        embedded = nn.functional.embedding(ids, table)
        scaled = embedded * math.sqrt(d_model)
        out = scaled + positions(ids.shape[1], d_model)
        self.add(f"{part}: embedding", embedded, None)
        self.add(f"{part}: × √d_model", scaled, embedded)
        self.add(f"{part}: + position", out, scaled)
        return out

    def attend(
        self,
        part: str,
        name: str,
        attention: nn.MultiheadAttention,
        norm: nn.LayerNorm,
        x: Tensor,
        memory: Tensor | None,
        **masks: Tensor,
    ) -> Tensor:
        query = norm(x) if self.pre else x
        key = query if memory is None else memory
        return self.around(part, name, attention(query, key, key, **masks)[0], norm, x)

    def feed(self, part: str, layer: Any, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        hidden = nn.functional.relu(layer.linear1(norm(x) if self.pre else x))
        self.hidden[len(self.way)] = hidden[0].numpy()
        return self.around(part, "feed-forward", layer.linear2(hidden), norm, x)

    def around(self, part: str, name: str, out: Tensor, norm: nn.LayerNorm, x: Tensor) -> Tensor:
        """The sub-layer's output, then what Add & Norm makes of it."""
        if self.pre:
            self.normed[len(self.way)] = x[0].numpy(), norm(x)[0].numpy()
        self.add(f"{part}: {name}", out, x)
        added = x + out
        if not self.pre:
            self.normed[len(self.way)] = added[0].numpy(), norm(added)[0].numpy()
        left = added if self.pre else norm(added)
        self.add(f"{part}: {'add' if self.pre else 'add & norm'}", left, x)
        return left

    def end(self, title: str, x: Tensor, norm: nn.LayerNorm | None) -> Tensor:
        out = x if norm is None else norm(x)
        if norm is not None:
            self.normed[len(self.way)] = x[0].numpy(), out[0].numpy()
        self.add(title, out, x)
        return out


def go(at: AppTest, stop: int, **state: Any) -> AppTest:
    """Another stop of the same page."""
    for key, value in {"stop_chosen": stop, **state}.items():
        at.session_state[key] = value
    at.run()
    assert not at.exception
    return at


def value_of(cell: str) -> float:
    """A number as it is written on the page."""
    assert cell.replace("−", "").strip("0.") or "−" not in cell  # no minus before a zero
    return float(cell.replace("−", "-"))


def known_columns(title: str, values: np.ndarray) -> np.ndarray:
    """What of a stop is drawn: of the vocabulary only the ids that are words by now."""
    words = len({word for _, sentence in PAIRS for word in sentence.split()})
    is_output = title in ("output: logits", "output: probabilities")
    return values[:, : min(SHOWN, 4 + words) if is_output else SHOWN]


@pytest.mark.parametrize("row", [0, 1], ids=["longest", "padded"])
@pytest.mark.parametrize("name", MODELS)
def test_every_stop_is_torchs(name: str, row: int) -> None:
    settings = MODELS[name]
    way = ByTorch(settings, row).way
    at = open_page("stack", **state_of(PAIRS, pair=row + 1), **settings)
    assert at.selectbox(key="stop").options == [f"{n} · {w.title}" for n, w in enumerate(way)]
    for number, wanted in enumerate(way):
        go(at, number)
        picture = pictures(at)["stop_picture"]
        drawn = known_columns(wanted.title, wanted.values)
        np.testing.assert_allclose(numbers(picture), drawn, atol=2e-5, err_msg=wanted.title)
        shape = "({}, {})".format(*wanted.values.shape)
        assert f"Shape {shape}" in picture["caption"]
        assert shape in picture["alt"]
        assert f"Largest number {np.abs(drawn).max():.3f}" in picture["alt"]
        zeros = (wanted.values == 0).mean()  # a small feed-forward may have none of its units on
        said = f"{zeros:.0%} of the numbers are" if zeros else "No number is"
        assert picture["caption"].endswith(f"{said} exactly 0.")
        part, stop = wanted.title.split(": ")
        assert f"**{part.capitalize()}: {stop}**" in texts(at)


@pytest.mark.parametrize("name", MODELS)
def test_change_is_the_difference_to_what_a_stop_was_made_from(name: str) -> None:
    settings = MODELS[name]
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings)
    for number, wanted in enumerate(ByTorch(settings, 0).way):
        go(at, number, stop_shows="change")
        picture = pictures(at)["stop_picture"]
        shown = known_columns(wanted.title, wanted.values)
        if wanted.before is None:
            assert "stop_shows" not in [control.key for control in at.segmented_control]
            assert "Change since" not in picture["caption"]
            np.testing.assert_allclose(numbers(picture), shown, atol=2e-5, err_msg=wanted.title)
        else:
            moved = wanted.values - wanted.before
            np.testing.assert_allclose(
                numbers(picture), moved[:, :SHOWN], atol=4e-5, err_msg=wanted.title
            )
            assert "Change since what it was made from." in picture["caption"]


def test_the_zeros_that_are_counted_are_those_that_are_drawn() -> None:
    """A post-norm model hands on its last layer as memory: the change is 0 everywhere."""
    at = open_page("stack", **state_of(PAIRS, pair=1), stop_shows="change")
    picture = pictures(go(at, 11))["stop_picture"]
    assert (numbers(picture) == 0).all()
    assert "100% of the numbers are exactly 0" in picture["caption"]


@pytest.mark.parametrize("name", MODELS)
def test_tokens_in_numbers(name: str) -> None:
    settings = MODELS[name]
    at = open_page("stack", **state_of(PAIRS, pair=2), **settings)
    source = ["it", "was", "tired", "PAD", "PAD", "PAD"]
    target = ["BOS", "es", "war", "müde", "EOS", "PAD", "PAD"]
    past_memory = False
    for number, wanted in enumerate(ByTorch(settings, 1).way):
        table = components(go(at, number))["token-statistics"]
        values = wanted.values.astype(np.float64)
        mean = values.sum(axis=1) / values.shape[1]
        columns = [
            mean,
            np.sqrt(((values - mean[:, None]) ** 2).sum(axis=1) / values.shape[1]),
            np.sqrt((values**2).sum(axis=1)),
        ]
        header = ["token", "mean", "std", "norm"]
        if wanted.before is not None:
            columns.append(np.sqrt(((values - wanted.before) ** 2).sum(axis=1)))
            header.append("change")
        assert table["header"] == header
        words = target if past_memory else source
        assert [line[0] for line in table["rows"]] == [f"{n} · {w}" for n, w in enumerate(words)]
        shown = [[value_of(cell) for cell in line[1:]] for line in table["rows"]]
        np.testing.assert_allclose(
            shown, np.transpose(columns), atol=0.0005 + 5e-5, err_msg=wanted.title
        )
        past_memory |= wanted.title.startswith("memory")


def unmarked(text: str) -> str:
    """Without the marks that keep a right-to-left word from turning the text around it."""
    return text.replace("\u2068", "").replace("\u2069", "")


NUMBER = r"\(?([−\d.]+(?:e[+-]\d+)?)\)?"


@pytest.mark.parametrize("name", MODELS)
def test_layer_norm_by_hand(name: str) -> None:
    settings = MODELS[name]
    torchs = ByTorch(settings, 0)
    assert torchs.normed
    memory = [wanted.title for wanted in torchs.way].index("memory: memory")
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings, word_chosen=3)
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


@pytest.mark.parametrize("name", MODELS)
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
        go(at, titles.index(f"output: {stop}"), word_chosen=token)
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


def test_ids_are_named_as_the_sentences_name_them() -> None:
    """Typed ids have a PAD of their own, and neither BOS nor EOS."""
    state = state_of([("2 3 4 1", "3 2 1 1")], tokens="ids", pad_id=1)
    at = open_page("stack", **state)
    go(at, 28)
    picture = pictures(at)["stop_picture"]
    assert "1 · 2" in [line[0] for line in components(at)["token-statistics"]["rows"]]
    names = [re.sub("<[^>]*>", "", name) for name in labels(picture["spec"], "x").values()]
    assert names[0].endswith("0")
    assert names[1] == "PAD"
    assert names[2].endswith("2")


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [u @ v / math.sqrt(u @ u) / math.sqrt(v @ v) for u, v in zip(a, b, strict=True)]
    )


@pytest.mark.parametrize("side", ["src", "tgt"])
@pytest.mark.parametrize("name", MODELS)
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
        "likeness to the start": [cosine(values, tensors[0]) for values in tensors],
        "change": [np.zeros(len(tensors[0])), *moves],
        "norm": lengths,
    }
    here = passed[2]
    number = next(n for n, wanted in enumerate(way) if wanted is here)
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings)
    for measure, columns in expected.items():
        picture = pictures(go(at, number, stream=measure))["stream_picture"]
        np.testing.assert_allclose(
            numbers(picture), np.transpose(columns), atol=5e-5, err_msg=measure
        )
        assert measure in picture["alt"]
        shown = labels(picture["spec"], "x").values()
        assert [label.replace("<br>", ": ") for label in shown] == [w.title for w in passed]
        (frame,) = picture["spec"]["layout"]["shapes"]
        assert (frame["x0"], frame["x1"]) == (1.5, 2.5)
    go(at, number - 1)  # a sub-layer's own output is not on the stream
    assert not pictures(at)["stream_picture"]["spec"]["layout"].get("shapes")


@pytest.mark.parametrize(("rate", "kept"), [(0.5, "50%"), (0.1, "90%")])
def test_dropout_sets_numbers_to_zero_and_says_so(rate: float, kept: str) -> None:
    way = ByTorch({}, 0).way
    at = open_page("stack", **state_of(PAIRS, pair=1), dropout=rate, dropout_seed=4)
    for number in (2, 14):
        assert way[number].title.endswith("+ position")
        picture = pictures(go(at, number))["stop_picture"]
        drawn = numbers(picture)
        dropped = drawn == 0
        assert dropped.mean() == pytest.approx(rate, abs=0.08)
        undropped = way[number].values / (1 - rate)
        np.testing.assert_allclose(drawn[~dropped], undropped[~dropped], rtol=1e-4, atol=1e-5)
        assert f"{100 * dropped.mean():.0f}% of the numbers are exactly 0" in picture["caption"]
        said = next(line for line in texts(at).splitlines() if line.startswith("Why are some"))
        assert f"kept with probability {kept} and scaled up by 1/{1 - rate}" in said
    before = numbers(pictures(go(at, 2))["stop_picture"])
    go(at, 2, dropout_seed=5)
    assert ((numbers(pictures(at)["stop_picture"]) == 0) != (before == 0)).any()
    go(at, 2, dropout=0.0)
    assert (numbers(pictures(at)["stop_picture"]) != 0).all()
    assert "Why are some" not in texts(at)
    assert "Switch dropout on" in texts(at)


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
        at.number_input(key="man_at").set_value(place).run()
        assert not at.exception
        picture = pictures(at)["four_numbers"]
        column = np.array(position)[:, None]
        for panel, values in enumerate((word, scaled, column, np.array(scaled) + column)):
            np.testing.assert_allclose(numbers(picture, panel), values, atol=2e-5)
    at.number_input(key="man_at").set_value(1)
    go(at, 0, man="1 -2 0 0.5")
    assert components(at)["man_grid"]["values"] == [[1, -2, 0, 0.5]]
    np.testing.assert_allclose(
        numbers(pictures(at)["four_numbers"], 3),
        [[2.84147098], [-4 + 0.54030231], [0.00999983], [1.99995]],
        atol=1e-5,
    )


def test_an_embedding_is_a_row_of_the_table() -> None:
    at = open_page("stack", **state_of(PAIRS, pair=1), word_chosen=1)
    table = model_of({}).src_embedding.token.weight.detach().numpy()
    (shown,) = (code.value for code in at.code if code.value.startswith("“"))
    # PAD 0, BOS 1, EOS 2, UNK 3, the 4, dog 5
    match = re.fullmatch(r"“dog” has id 5: row 5 of E = \((.*), …\)", unmarked(shown))
    np.testing.assert_allclose(
        [value_of(cell) for cell in match[1].split(", ")], table[5, :8], atol=6e-4
    )


def buttons(at: AppTest) -> dict[str, Any]:
    return {button.label: button for button in at.button}


@pytest.mark.parametrize(
    ("settings", "last"),
    [({}, 28), ({"enc": 1, "dec": 1}, 18), ({"enc": 1, "dec": 1, "norm": "pre"}, 19)],
)
def test_back_and_next_end_at_the_ends(settings: dict[str, Any], last: int) -> None:
    at = open_page("stack", **state_of(PAIRS), **settings)
    assert at.selectbox(key="stop").value == 0
    assert buttons(at)["Back"].disabled
    assert not buttons(at)["Next"].disabled
    for wanted in range(1, last + 1):
        buttons(at)["Next"].click().run()
        assert not at.exception
        assert at.selectbox(key="stop").value == wanted
        assert not buttons(at)["Back"].disabled
    assert buttons(at)["Next"].disabled
    assert "**Output: probabilities**" in texts(at)
    buttons(at)["Back"].click().run()
    assert at.selectbox(key="stop").value == last - 1
    at.selectbox(key="stop").select(f"7 · {at.selectbox(key='stop').options[7][4:]}").run()
    buttons(at)["Next"].click().run()
    assert at.selectbox(key="stop").value == 8


def test_a_stop_that_is_gone_moves_to_the_last() -> None:
    at = open_page("stack", **state_of(PAIRS), enc=6, dec=6)
    go(at, 68)  # 3 + 6 × 4 + 1 + 3 + 6 × 6 + 2 stops
    assert "**Output: probabilities**" in texts(at)
    at.slider(key="enc").set_value(1)
    at.slider(key="dec").set_value(1).run()
    assert at.selectbox(key="stop").value == 18
    assert "**Output: probabilities**" in texts(at)
    assert buttons(at)["Next"].disabled


def test_a_wide_model_sends_64_columns_and_computes_with_all() -> None:
    settings = {"d_model": 512, "heads": 8, "enc": 1, "dec": 1}
    way = ByTorch(settings, 0).way
    at = open_page("stack", **state_of(PAIRS, pair=1), **settings)
    for number, wanted in enumerate(way):
        go(at, number)
        for key, picture in pictures(at).items():
            if key != "four_numbers":
                assert numbers(picture).shape[1] <= 64, (wanted.title, key)
        picture = pictures(at)["stop_picture"]
        if wanted.values.shape[1] == 512:
            assert "(7, 512)" in picture["caption"] or "(6, 512)" in picture["caption"]
            assert "dimensions 0 to 63 of 512" in picture["caption"]
            np.testing.assert_allclose(numbers(picture), wanted.values[:, :64], atol=1e-4)
        norm = np.linalg.norm(wanted.values.astype(np.float64), axis=1)
        rows = components(at)["token-statistics"]["rows"]
        np.testing.assert_allclose([value_of(row[3]) for row in rows], norm, atol=1e-3)


@pytest.mark.parametrize(
    ("title", "kind", "layer"),
    [
        ("encoder 2: self-attention", "encoder", 2),
        ("decoder 1: masked self-attention", "decoder", 1),
        ("decoder 2: cross-attention", "cross", 2),
    ],
)
def test_an_attention_can_be_seen_step_by_step(title: str, kind: str, layer: int) -> None:
    titles = [wanted.title for wanted in ByTorch({}, 0).way]
    at = open_page("stack", **state_of(PAIRS))
    go(at, titles.index(title))
    buttons(at)["This attention, step by step"].click().run()
    assert not at.exception
    assert "step_picture" in pictures(at)
    assert at.segmented_control(key="attention").value == kind
    assert at.selectbox(key="layer").value == layer


def test_where_queries_keys_and_values_come_from() -> None:
    titles = [wanted.title for wanted in ByTorch({}, 0).way]
    at = open_page("stack", **state_of(PAIRS))
    go(at, titles.index("decoder 1: cross-attention"))
    assert "q comes from x, the decoder; k and v come from memory" in texts(at)
    go(at, titles.index("encoder 1: self-attention"))
    assert "q, k and v all come from x" in texts(at)
