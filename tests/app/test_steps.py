"""Step by step: every number on the page follows from the numbers of the step before."""

import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import nn

from explorer.config import ModelConfig
from explorer.explore import explore, run
from explorer.interop import to_torch
from explorer.text import VOCAB_SIZE, Batch
from explorer.transformer import AttentionKind, Transformer
from explorer.ui import reading
from explorer.ui.step_views import BARE_STEPS, STEPS
from explorer.what_if import AttentionChange, changed
from tests.app import by_torch
from tests.app.driving import APP, components, matrices, open_page, pictures, state_of
from tests.figures.test_arithmetic import (
    WrittenSum,
    check_sum,
    read_number,
    read_softmax,
    read_sum,
)
from tests.properties.strategies import shaken

PAIRS = [
    ("the dog has seen the cat", "der Hund hat die Katze gesehen"),
    ("it was tired", "es war müde"),
]
KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")
SHAKEN = 424_242  # a seed that no other test takes: models are kept by their settings
D_MODEL, HEADS, D_K = 16, 2, 8
LAYER = 2
Matrices = dict[str, np.ndarray]


@pytest.fixture(autouse=True)
def with_biases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of one seed get biases and norms other than 0 and 1, here and in the twin."""

    def model(config: ModelConfig, *, seed: int = 0, device: str = "cpu") -> Transformer:
        made = Transformer(config, seed=seed, device=device)
        return shaken(made) if seed == SHAKEN else made

    monkeypatch.setattr(reading, "Transformer", model)
    monkeypatch.setattr(by_torch, "Transformer", model)


def batch_of(side: str = "right") -> Batch:
    return Batch.from_text([s for s, _ in PAIRS], [t for _, t in PAIRS], side=side)


def small_model(seed: int = SHAKEN) -> Transformer:
    """The model that the page shows, made a second time."""
    return reading.Transformer(
        ModelConfig(d_model=D_MODEL, n_heads=HEADS, n_encoder_layers=2, n_decoder_layers=2,
                    d_ff=4 * D_MODEL, src_vocab_size=VOCAB_SIZE, tgt_vocab_size=VOCAB_SIZE),
        seed=seed,
    )  # fmt: skip


def biases(kind: AttentionKind) -> Matrices:
    """b_Q, b_K, b_V and b_O of the layer on show, by torch's names for them."""
    twin = to_torch(small_model())
    stack = twin.encoder if kind == "encoder" else twin.decoder
    layer = stack.layers[LAYER - 1]
    attention = layer.multihead_attn if kind == "cross" else layer.self_attn
    q, k, v = attention.in_proj_bias.detach().double().numpy().reshape(3, D_MODEL)
    return {"q": q, "k": k, "v": v, "o": attention.out_proj.bias.detach().double().numpy()}


def hidden_cells(kind: AttentionKind, side: str = "right") -> np.ndarray:
    """What the second pair may not look at, from its ids alone: PAD and the future."""
    batch = batch_of(side)
    src, tgt = batch.src[1].tolist(), batch.tgt_in[1].tolist()
    queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
    return np.array([
        [key == 0 or (kind == "decoder" and j > i) for j, key in enumerate(keys)]
        for i in range(len(queries))
    ])  # fmt: skip


def small(kind: AttentionKind, form: str, head: int = 2, **more: Any) -> AppTest:
    """The page, for the second pair (which has PAD) and a model small enough to be shown whole."""
    settings = {"d_model": D_MODEL, "heads": HEADS, "seed": SHAKEN, "form": form, "head": head,
                "attention": kind, "layer": LAYER, "pair": 2}  # fmt: skip
    return open_page("steps", **(state_of(PAIRS) | settings | more))


def go(at: AppTest, step: str | None = None, which: str = "q", **choices: int) -> AppTest:
    """Another step, another query, another key."""
    state = at.session_state
    if step is not None:
        state["step"] = step
        if step == "q k v":
            at.run()  # the choice of q, k or v is only there now
            state["which"] = which
    for name, position in choices.items():
        state[f"{name}_chosen"] = position
    at.run()
    assert not at.exception
    return at


def drawn(at: AppTest, key: str = "step_picture") -> Matrices:
    return matrices(pictures(at)[key])


def said(at: AppTest, number: int = 0) -> str:
    """The numbers of the step, written out; of a what-if where number is 1."""
    return at.code[number].value


def walk(at: AppTest, key: str = "step_picture") -> dict[str, Matrices]:
    """The matrices of all nine steps, of q k v once for each; nothing where none are drawn."""
    found = {}
    for step in STEPS:
        for which in ("q", "k", "v") if step == "q k v" else ("",):
            go(at, step, which)
            if key in pictures(at):
                found[which or step] = drawn(at, key)
    return found


@cache
def usual(kind: AttentionKind, head: int = 2) -> dict[str, Matrices]:
    """All steps in matrix form without any change, opened once for all tests."""
    return walk(small(kind, "matrix", head))


def softmax(masked: np.ndarray) -> np.ndarray:
    """Row by row, in float64; blank cells get 0, and so does a row of nothing else."""
    powers = np.where(np.isnan(masked), 0.0, np.exp(np.nan_to_num(masked)))
    return powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)


def filled(weights: np.ndarray) -> np.ndarray:
    """Weights that were drawn blank, because the mask hides them, are 0."""
    return np.nan_to_num(weights)


def named(word: str, position: int) -> str:
    """A word and its position in a sum, kept apart from the direction of what surrounds it."""
    return f"“\u2068{word}\u2069” ({position})"


def close(actual: np.ndarray, wanted: np.ndarray, what: str = "") -> None:
    np.testing.assert_allclose(actual, wanted, atol=1e-5, rtol=1e-5, err_msg=what)


def same(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_array_equal(one, other)


# The matrices of the page, each from those before it


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("head", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_every_matrix_follows_from_those_before_it(
    kind: AttentionKind, head: int, side: str
) -> None:
    seen = walk(small(kind, "matrix", head, side=side))
    own = slice((head - 1) * D_K, head * D_K)
    bias = biases(kind)
    for which, x in (("q", "x_query"), ("k", "x_key"), ("v", "x_key")):
        part = seen[which]
        same(part[f"x_{which}"], seen["x"].get(x, seen["x"]["x_key"]))
        assert part[f"w_{which}"].shape == (D_MODEL, D_K)
        product = part[f"x_{which}"] @ part[f"w_{which}"] + bias[which][own]
        close(part[which], product, which)
    assert ("x_query" in seen["x"]) == (kind == "cross")  # else both are the same x

    dots = seen["q·k"]
    same(dots["q"], seen["q"]["q"])
    same(dots["k_t"], seen["k"]["k"].T)
    close(dots["dots"], dots["q"] @ dots["k_t"])

    scaled = seen["÷ √d_k"]
    same(scaled["dots"], dots["dots"])
    close(scaled["scores"], scaled["dots"] / math.sqrt(8))

    hidden = hidden_cells(kind, side)
    mask = seen["mask"]
    same(mask["scores"], scaled["scores"])
    same(np.isnan(mask["masked"]), hidden)
    same(mask["masked"][~hidden], mask["scores"][~hidden])

    weighed = seen["softmax"]
    same(weighed["masked"], mask["masked"])
    same(np.isnan(weighed["weights"]), hidden)
    close(filled(weighed["weights"]), softmax(weighed["masked"]))
    assert hidden.any()
    assert (weighed["weights"][~hidden] > 0).all()

    context = seen["× v"]
    same(context["weights"], weighed["weights"])
    same(context["v"], seen["v"]["v"])
    close(context["context"], filled(context["weights"]) @ context["v"])

    together = seen["concat"]["concat"]
    assert together.shape == (len(hidden), D_MODEL)
    same(together[:, own], context["context"])

    out = seen["× W_O"]
    same(out["concat"], together)
    assert out["w_o"].shape == (D_MODEL, D_MODEL)
    close(out["out"], out["concat"] @ out["w_o"] + bias["o"])


@pytest.mark.parametrize("kind", KINDS)
def test_heads_side_by_side_are_the_contexts_of_all_heads(kind: AttentionKind) -> None:
    first, second = (drawn(go(small(kind, "matrix", head), "× v"))["context"] for head in (1, 2))
    together = drawn(go(small(kind, "matrix", 1), "concat"))["concat"]
    same(together, np.hstack([first, second]))


@pytest.mark.parametrize("kind", KINDS)
def test_weights_and_output_are_torchs(kind: AttentionKind) -> None:
    wanted = by_torch.weights_by_torch(
        batch_of(), 1, kind, LAYER - 1, d_model=D_MODEL, n_heads=HEADS, seed=SHAKEN
    )
    for head in (1, 2):
        at = small(kind, "matrix", head, step="softmax")
        close(filled(drawn(at)["weights"]), wanted[head - 1])
        close(drawn(at, "weights")["1"], wanted[head - 1])  # and in the overview beside it


@pytest.mark.parametrize("query", [0, 2, 5])  # the last one is PAD
@pytest.mark.parametrize("kind", KINDS)
def test_every_vector_follows_from_those_before_it(kind: AttentionKind, query: int) -> None:
    whole = usual(kind)
    at = small(kind, "vector", query_chosen=query, key_chosen=1)
    seen = walk(at)
    bias = biases(kind)
    same(seen["x"]["x_query"][0], whole["q"]["x_q"][query])
    same(seen["x"]["x_key"], whole["k"]["x_k"])
    for which, row in (("q", query), ("k", 1), ("v", 1)):
        part = seen[which]
        same(part[f"x_{which}"][0], whole[which][f"x_{which}"][row])
        product = part[f"x_{which}"] @ part[f"w_{which}"] + bias[which][D_K:]
        close(part[which], product, which)
        same(part[which][0], whole[which][which][row])

    dots = seen["q·k"]
    same(dots["keys"], whole["k"]["k"])
    same(dots["q"], whole["q"]["q"][[query]])
    close(dots["products"], dots["q"] * dots["keys"])
    close(dots["dots"][:, 0], dots["products"].sum(axis=1))

    scaled, mask, weighed = seen["÷ √d_k"], seen["mask"], seen["softmax"]
    same(scaled["dots"], dots["dots"])
    close(scaled["scores"], scaled["dots"] / math.sqrt(8))
    hidden = hidden_cells(kind)[query]
    same(mask["scores"], scaled["scores"])
    same(np.isnan(mask["masked"][:, 0]), hidden)
    same(mask["masked"][~hidden], scaled["scores"][~hidden])
    same(weighed["masked"], mask["masked"])
    same(np.isnan(weighed["weights"][:, 0]), hidden)
    close(filled(weighed["weights"].T), softmax(weighed["masked"].T))
    wanted = by_torch.weights_by_torch(
        batch_of(), 1, kind, LAYER - 1, d_model=D_MODEL, n_heads=HEADS, seed=SHAKEN
    )
    close(filled(weighed["weights"][:, 0]), wanted[1, query])

    context = seen["× v"]
    same(context["weights"], weighed["weights"])
    same(context["v"], whole["v"]["v"])
    close(context["shares"], filled(context["weights"]) * context["v"])
    close(context["context"][0], context["shares"].sum(axis=0))
    same(seen["concat"]["concat"][0, D_K:], context["context"][0])
    out = seen["× W_O"]
    same(out["concat"], seen["concat"]["concat"])
    close(out["out"], out["concat"] @ out["w_o"] + bias["o"])


# The table of one query against every key


@pytest.mark.parametrize("query", [0, 2, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_the_table_has_the_numbers_of_the_pictures(kind: AttentionKind, query: int) -> None:
    seen = usual(kind)
    table = components(small(kind, "vector", query_chosen=query, key_chosen=1))["ledger"]
    assert table["header"] == ["key", "k", "q·k", "÷ √d_k", "mask", "softmax", "weight × v"]
    assert table["chosen"] == 1
    hidden = hidden_cells(kind)[query]
    batch = batch_of()
    words = (batch.tgt_in_labels if kind == "decoder" else batch.src_labels)[1]
    pad = [word == "PAD" for word in words]
    weights = filled(seen["softmax"]["weights"][query])
    shares = weights[:, None] * seen["v"]["v"]
    contexts = seen["× v"]["context"]
    largest = max(np.abs(shares).max(), np.abs(contexts[query]).max())  # one scale for the column
    for key, (name, k, dot, score, mask, weight, share) in enumerate(table["rows"]):
        assert name == f"{key} · {words[key]}"
        assert read_number(dot["text"]).says(seen["q·k"]["dots"][query, key])
        assert read_number(score["text"]).says(seen["÷ √d_k"]["scores"][query, key])
        assert read_number(weight["text"]).says(weights[key])
        assert weight["at"] == pytest.approx(weights[key], abs=1e-6)
        future = kind == "decoder" and key > query
        reason = "PAD, future" if future and pad[key] else "future" if future else "PAD"
        assert mask["text"] == (f"−∞ {reason}" if hidden[key] else "0")
        keys = seen["k"]["k"]
        np.testing.assert_allclose(k["strip"], 100 * keys[key] / np.abs(keys).max(), atol=0.51)
        np.testing.assert_allclose(share["strip"], 100 * shares[key] / largest, atol=0.51)
    assert len(table["rows"]) == len(words)
    queries = seen["q"]["q"]
    np.testing.assert_allclose(
        table["query"][1]["strip"], 100 * queries[query] / np.abs(queries).max(), atol=0.51
    )
    assert read_number(table["total"][5]["text"]).says(1.0)
    np.testing.assert_allclose(
        table["total"][6]["strip"], 100 * contexts[query] / largest, atol=0.51
    )


def test_a_query_that_may_look_at_nothing_says_so() -> None:
    at = small("decoder", "vector", side="left", step="softmax", query_chosen=0, key_chosen=3)
    assert np.isnan(drawn(at)["weights"]).all()
    assert np.isnan(drawn(at)["masked"]).all()
    assert "every weight is 0" in said(at)
    table = components(at)["ledger"]
    assert {row[5]["text"] for row in table["rows"]} == {"0.000"}
    assert table["total"][5]["text"] == "0.000"
    go(at, "× v")
    assert (drawn(at)["context"] == 0).all()
    assert read_sum(said(at)).result.value == 0


# The sums in words and numbers


@pytest.mark.parametrize("form", ["vector", "matrix"])
@pytest.mark.parametrize(
    ("kind", "query", "key"),
    [("encoder", 0, 0), ("encoder", 1, 4), ("decoder", 3, 1), ("decoder", 1, 2), ("decoder", 2, 6),
     ("cross", 4, 2), ("cross", 6, 5)],
)  # fmt: skip
def test_every_sum_written_out_is_right(
    kind: AttentionKind, query: int, key: int, form: str
) -> None:
    seen = usual(kind)
    bias = biases(kind)
    batch = batch_of()
    queries = (batch.src_labels if kind == "encoder" else batch.tgt_in_labels)[1]
    keys = (batch.tgt_in_labels if kind == "decoder" else batch.src_labels)[1]
    of_query, of_key = named(queries[query], query), named(keys[key], key)
    at = small(kind, form, query_chosen=query, key_chosen=key)

    go(at, "x")
    assert said(at).startswith(f"x of {of_query} = (")
    inside = re.search(r"= \((.*), …\)$", said(at))
    assert inside
    for text, true in zip(inside[1].split(", "), seen["q"]["x_q"][query, :8], strict=True):
        assert read_number(text).says(true)

    for which, row, name in (("q", query, of_query), ("k", key, of_key), ("v", key, of_key)):
        go(at, "q k v", which)
        assert said(at).startswith(f"{which}[0] of {name} = ")
        part = seen[which]
        check_sum(said(at), part[f"x_{which}"][row], part[f"w_{which}"][:, 0],
                  part[which][row, 0], bias[which][D_K])  # fmt: skip

    go(at, "q·k")
    assert said(at).startswith(f"q·k for {of_query} → {of_key} = ")
    dot = seen["q·k"]["dots"][query, key]
    check_sum(said(at), seen["q"]["q"][query], seen["k"]["k"][key], dot)

    go(at, "÷ √d_k")
    found = re.fullmatch(r"score for (.*) = (\S+) ÷ √(\d+) = (\S+) ÷ (\S+) = (\S+)", said(at))
    assert found
    assert found[1] == f"{of_query} → {of_key}"
    assert found[3] == str(D_K)
    before, again, root, score = (read_number(found[n]) for n in (2, 4, 5, 6))
    assert before.says(dot)
    assert before == again
    assert root.says(math.sqrt(8))
    assert score.value == pytest.approx(before.value / root.value, abs=0.001)

    go(at, "mask")
    found = re.fullmatch(r"(.*): (\S+) \+ (\S+) = (\S+) \((.*)\)", said(at))
    assert found
    assert found[1] == f"{of_query} → {of_key}"
    score, added, result = (read_number(found[n]).value for n in (2, 3, 4))
    assert result == score + added
    assert score == pytest.approx(dot / math.sqrt(8), abs=0.00051)
    hidden = hidden_cells(kind)[query, key]
    assert added == (-math.inf if hidden else 0)
    late = kind == "decoder" and key > query
    reason = "PAD, future" if late and keys[key] == "PAD" else "future" if late else "PAD"
    assert found[5] == (reason if hidden else "may attend")

    go(at, "softmax")
    assert said(at).startswith(f"weight for {of_query} → {of_key} = ")
    written = read_softmax(said(at))
    assert written.adds_up()
    scores = seen["mask"]["masked"][query]
    np.testing.assert_allclose(written.exponents, scores[~np.isnan(scores)], atol=0.00051)
    assert written.own == (-math.inf if hidden else pytest.approx(scores[key], abs=0.00051))
    assert written.weight == pytest.approx(
        filled(seen["softmax"]["weights"])[query, key], abs=0.000051
    )

    go(at, "× v")
    assert said(at).startswith(f"context[0] of {of_query} = ")
    check_sum(said(at), filled(seen["softmax"]["weights"])[query], seen["v"]["v"][:, 0],
              seen["× v"]["context"][query, 0])  # fmt: skip

    go(at, "concat")
    assert said(at) == "2 heads × 8 numbers = 16 = d_model. Head 2 fills places 8 to 15."

    go(at, "× W_O")
    assert said(at).startswith(f"out[0] of {of_query} = ")
    out = seen["× W_O"]
    check_sum(said(at), out["concat"][query], out["w_o"][:, 0], out["out"][query, 0], bias["o"][0])


def test_more_than_64_products_are_folded() -> None:
    source = " ".join(f"w{n}" for n in range(70))
    at = open_page("steps", **state_of([(source, "x")]), query_chosen=3, key_chosen=69)
    go(at, "q k v")
    assert read_sum(said(at)).left_out == 0  # d_model is 64
    go(at, "× v")
    written = read_sum(said(at))
    assert len(written.pairs) == 64
    assert written.left_out == 6
    assert written.adds_up()
    assert "[6 more products: " in said(at)
    go(at, "softmax")
    assert "[6 more terms: " in said(at)
    assert read_softmax(said(at)).adds_up()
    at.session_state["d_model"] = 72
    go(at, "q k v")
    assert "[8 more products: " in said(at)
    assert read_sum(said(at)).adds_up()


# What if

CHANGES: dict[str, dict[str, Any]] = {
    "unscaled": {"unscaled": True},
    "unmasked": {"unmasked": True},
    "flatter": {"temperature": 4.0},
    "sharper": {"temperature": 0.25},
    "other head off": {"off_head": 1},
    "this head off": {"off_head": 2},
    "all at once": {"unscaled": True, "unmasked": True, "temperature": 2.0, "off_head": 1},
}
BEGINS = {  # the first step in which something changes
    "unscaled": "÷ √d_k",
    "unmasked": "mask",
    "flatter": "÷ √d_k",
    "sharper": "÷ √d_k",
    "other head off": "concat",
    "this head off": "× v",
    "all at once": "÷ √d_k",
}


def by_hand(
    seen: dict[str, Matrices], kind: AttentionKind, change: dict[str, Any], head: int = 2
) -> Matrices:
    """The steps of a head with a change, from Q, K, V and the parameters as they are drawn."""
    scale = 1.0 if change.get("unscaled") else math.sqrt(D_K)
    scores = seen["q"]["q"] @ seen["k"]["k"].T / scale / change.get("temperature", 1.0)
    hidden = hidden_cells(kind) & (not change.get("unmasked"))
    masked = np.where(hidden, np.nan, scores)
    weights = softmax(masked)
    kept = 0.0 if change.get("off_head") == head else 1.0
    return {
        "scores": scores,
        "masked": masked,
        "weights": weights,
        "context": weights @ seen["v"]["v"] * kept,
    }


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_if_is_computed_as_by_hand(kind: AttentionKind, name: str) -> None:
    change = CHANGES[name]
    plain = usual(kind)
    at = small(kind, "matrix", **change)
    seen, other = walk(at), walk(at, "step_what_if")
    for step, found in plain.items():  # what is on the page anyway stays as it was
        for matrix, values in found.items():
            same(seen[step][matrix], values)
    begins = STEPS.index(BEGINS[name])
    assert list(other) == [step for step in STEPS[begins:] if step in other]
    assert [step for step in STEPS if step in other] == list(STEPS[begins:])

    wanted = by_hand(plain, kind, change)
    for step in ("÷ √d_k", "mask", "softmax", "× v"):
        for matrix in wanted.keys() & other.get(step, {}).keys():
            found = other[step][matrix]
            close(filled(found), filled(wanted[matrix]), f"{matrix} in {step}")
            if matrix in ("masked", "weights"):
                same(np.isnan(found), np.isnan(wanted["masked"]))
            else:
                assert not np.isnan(found).any()
    # The other head's part: computed by hand from its own Q, K and V.
    first = by_hand(usual(kind, 1), kind, change, head=1)["context"]
    concat = np.hstack([first, by_hand(plain, kind, change)["context"]])
    close(other["concat"]["concat"], concat)
    close(other["× W_O"]["out"], concat @ plain["× W_O"]["w_o"] + biases(kind)["o"])


@pytest.mark.parametrize("name", ["unscaled", "unmasked", "flatter", "all at once"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_if_stands_in_the_table_beside_what_is(kind: AttentionKind, name: str) -> None:
    plain = usual(kind)
    for query in (1, 4):
        at = small(kind, "vector", query_chosen=query, key_chosen=0, **CHANGES[name])
        table = components(at)["ledger"]
        assert table["header"] == ["key", "q·k", "÷ √d_k", "mask", "softmax",
                                   "what if: score", "what if: weight"]  # fmt: skip
        wanted = by_hand(plain, kind, CHANGES[name])
        for key, (_, dot, score, _, weight, new_score, new_weight) in enumerate(table["rows"]):
            assert read_number(dot["text"]).says(plain["q·k"]["dots"][query, key])
            assert read_number(score["text"]).says(plain["÷ √d_k"]["scores"][query, key])
            assert read_number(weight["text"]).says(filled(plain["softmax"]["weights"])[query, key])
            assert read_number(new_score["text"]).says(wanted["scores"][query, key])
            assert read_number(new_weight["text"]).says(wanted["weights"][query, key])
        assert read_number(table["total"][6]["text"]).says(1.0)


def test_in_matrix_form_the_changed_weights_stand_below() -> None:
    plain = usual("decoder")
    at = small("decoder", "matrix", unmasked=True)
    close(drawn(at, "weights")["1"], filled(plain["softmax"]["weights"]))
    wanted = by_hand(plain, "decoder", {"unmasked": True})["weights"]
    close(drawn(at, "what_if_weights")["1"], wanted)


@pytest.mark.parametrize("form", ["vector", "matrix"])
def test_without_a_what_if_there_is_no_second_picture(form: str) -> None:
    for step in STEPS:
        at = go(small("cross", form), step)
        assert not {"step_what_if", "what_if_weights"} & pictures(at).keys()
        assert len(at.code) == 1
        assert not at.info


@pytest.mark.parametrize("form", ["vector", "matrix"])
@pytest.mark.parametrize("name", CHANGES)
def test_sums_of_a_what_if_are_right(name: str, form: str) -> None:
    change = CHANGES[name]
    plain = usual("decoder")
    wanted = by_hand(plain, "decoder", change)
    for query, key in ((2, 1), (1, 3), (4, 6)):
        at = small("decoder", form, query_chosen=query, key_chosen=key, **change)
        go(at, "÷ √d_k")
        if len(at.code) > 1:
            numbers = said(at, 1).partition(" (what if")[0]
            *_, before, after = numbers.rpartition(" = ")[0].split(" = ")[-1].split(" ÷ ")
            dot, divisor = read_number(before), read_number(after)
            score = read_number(numbers.rpartition(" = ")[2])
            assert dot.says(plain["q·k"]["dots"][query, key])
            factor = 1.0 if change.get("unscaled") else math.sqrt(8)
            assert divisor.says(factor * change.get("temperature", 1.0))
            assert score.says(wanted["scores"][query, key])
        go(at, "mask")
        if len(at.code) > 1:
            assert ("−∞" in said(at, 1)) == np.isnan(wanted["masked"][query, key])
        go(at, "softmax")
        if len(at.code) > 1:
            written = read_softmax(said(at, 1))
            assert written.adds_up()
            assert written.weight == pytest.approx(wanted["weights"][query, key], abs=0.00006)
        go(at, "× v")
        if len(at.code) > 1:
            sums, _, instead = said(at, 1).partition("\n")
            told = read_sum(sums)
            context = (
                read_number(instead.rpartition(" ")[2].rstrip(".")) if instead else told.result
            )
            assert told.adds_up(), sums
            assert context.says(wanted["context"][query, 0])
            assert ("switched off" in instead) == (change.get("off_head") == at.session_state.head)
        go(at, "× W_O")
        told = read_sum(said(at, 1))
        assert told.adds_up()
        assert told.result.says(
            drawn(at, "step_what_if")["out"][query if form == "matrix" else 0, 0]
        )


def test_with_dropout_the_sums_still_add_up() -> None:
    at = small("encoder", "vector", dropout=0.5, dropout_seed=1, query_chosen=1, key_chosen=0)
    for step in ("q k v", "q·k", "× v", "× W_O"):
        go(at, step)
        sums, _, instead = said(at).partition("\n")
        assert read_sum(sums).adds_up(), sums
        assert bool(instead) == (step == "× v")
        if instead:  # what dropout made of the sum
            assert read_number(instead.rpartition(" ")[2].rstrip(".")).says(
                drawn(at, "step_picture")["context"][0, 0]
            )


def test_a_changed_divisor_is_told_for_a_product_of_0_as_well() -> None:
    at = open_page("steps", case="toy numbers", step="÷ √d_k", query_chosen=0, key_chosen=0,
                   unscaled=True)  # fmt: skip
    assert "0.000 ÷ √3" in said(at)
    assert "÷ √3 = " not in said(at, 1).partition("(what if")[0]
    signs = [n["text"] for n in pictures(at)["step_what_if"]["spec"]["layout"]["annotations"]]
    assert "÷ √d_k =" not in signs


def test_a_product_near_0_is_never_told_as_a_what_if() -> None:
    """q·k that all but cancels: rounding must not be taken for another divisor."""
    sentence = " ".join(f"w{n}" for n in range(110))
    at = open_page("steps", **state_of([(sentence, "x")]), step="q·k", form="matrix", d_model=96,
                   heads=1)  # fmt: skip
    dots = np.abs(drawn(at)["dots"])
    for place in np.argsort(dots, axis=None)[:8]:
        query, key = divmod(int(place), dots.shape[1])
        go(at, "÷ √d_k", query=query, key=key)
        assert "what if" not in said(at), said(at)
        assert "÷ √96" in said(at)


EFFECT = re.compile(
    r"moves by ([\d.]+)% .*mean over (\d+) tokens.*up to ([\d.]+), .* at (\d+) of (\d+) positions"
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CHANGES)
def test_the_effect_is_what_another_run_finds(kind: AttentionKind, name: str) -> None:
    at = small(kind, "vector", pair=1, **CHANGES[name])  # the longest pair: no PAD
    found = EFFECT.search(at.info[0].value)
    assert found
    told = CHANGES[name]
    change = AttentionChange(
        scaled=not told.get("unscaled"),
        masked=not told.get("unmasked"),
        temperature=told.get("temperature", 1.0),
        without_head=told["off_head"] - 1 if "off_head" in told else None,
    )
    model, batch = small_model(), batch_of()
    twin = changed(model, kind, LAYER - 1, change)
    before, after = run(model, batch), run(twin, batch)  # the whole batch, not one row of it
    old, new = (trace.attention(kind, LAYER - 1).out[0] for trace in (before, after))
    moved = 100 * ((new - old).norm(dim=1) / old.norm(dim=1)).mean()
    assert float(found[1]) == pytest.approx(float(moved), abs=0.501)
    assert int(found[2]) == len(old)
    largest = float((after.logits[0] - before.logits[0]).abs().max())
    assert float(found[3]) == pytest.approx(largest, abs=0.00052)
    best = [trace.logits[0].argmax(dim=1) for trace in (before, after)]
    assert int(found[4]) == int((best[0] != best[1]).sum())
    assert int(found[5]) == len(batch.tgt_in[0])
    if name == "unmasked" and kind == "decoder":
        assert moved > 5
    elif name == "unmasked":  # nothing was hidden
        assert (moved, largest) == (0, 0)


def test_the_effect_counts_words_not_padding() -> None:
    at = small("encoder", "vector", unscaled=True)
    found = EFFECT.search(at.info[0].value)
    assert found
    assert (int(found[2]), int(found[5])) == (3, 5)  # it was tired; BOS es war müde EOS


# Numbers to do on paper

TOY_Q = [[0, 10, 0], [0, 0, 10], [10, 10, 0]]
TOY_K = [[10, 0, 0], [0, 10, 0], [0, 0, 10], [0, 0, 10]]
TOY_V = [[1, 0, 1], [10, 0, 2], [100, 5, 0], [1000, 6, 0]]


def test_the_toy_numbers_give_the_published_weights_and_outputs() -> None:
    at = open_page("steps", case="toy numbers", form="matrix")
    seen = {step: drawn(go(at, step)) for step in BARE_STEPS}
    same(seen["q·k"]["q"], TOY_Q)
    same(seen["q·k"]["k_t"], np.array(TOY_K).T)
    same(seen["× v"]["v"], TOY_V)
    same(seen["q·k"]["dots"], [[0, 100, 0, 0], [0, 0, 100, 100], [100, 100, 0, 0]])
    close(seen["÷ √d_k"]["scores"], np.array(seen["q·k"]["dots"]) / math.sqrt(3))
    assert not np.isnan(seen["mask"]["masked"]).any()
    weights = [[0, 1, 0, 0], [0, 0, 0.5, 0.5], [0.5, 0.5, 0, 0]]
    np.testing.assert_allclose(seen["softmax"]["weights"], weights, atol=1e-6)
    outputs = [[10, 0, 2], [550, 5.5, 0], [5.5, 0, 1.5]]
    np.testing.assert_allclose(seen["× v"]["context"], outputs, rtol=1e-5, atol=1e-5)


def test_the_toy_sums_are_written_out() -> None:
    at = open_page("steps", case="toy numbers", query_chosen=2, key_chosen=1)
    assert said(go(at, "q·k")) == (
        f"q·k for {named('query 3', 2)} → {named('key 2', 1)} = "
        "10.000·0.000 + 10.000·10.000 + 0.000·0.000 = 100.000"
    )
    assert "100.000 ÷ √3 = 100.000 ÷ 1.732 = 57.735" in said(go(at, "÷ √d_k"))
    written = read_softmax(said(go(at, "softmax")))
    assert written.adds_up()
    assert written.weight == 0.5
    assert said(go(at, "× v")).endswith("= 0.500·1.000 + 0.500·10.000 + 0.000·100.000 + "
                                        "0.000·1000.000 = 5.500")  # fmt: skip


@pytest.mark.parametrize("place", ["state", "address"])
def test_an_edited_cell_changes_the_result(place: str) -> None:
    values = "1 0 1;10 0 2;100 5 0;-2.5 6 0"
    keys = "10 0 0;0 10 0;0 0 10;0 0 9.5"
    at = open_page("steps", case="toy numbers", form="matrix", step="× v")
    if place == "state":
        at.session_state["toy_v"], at.session_state["toy_k"] = values, keys
    else:
        at = AppTest.from_file(str(APP), default_timeout=60)
        at.query_params.update({"toy_v": values, "toy_k": keys})
        at.run()
        for name, value in (("case", "toy numbers"), ("form", "matrix"), ("step", "× v")):
            at.session_state[name] = value
        at.switch_page("pages/steps.py").run()
    at.run()
    assert not at.exception
    k, v = np.array(TOY_K, float), np.array(TOY_V, float)
    k[3, 2], v[3, 0] = 9.5, -2.5
    weights = softmax(np.array(TOY_Q) @ k.T / math.sqrt(3))
    assert 0.9 < weights[1, 2] < 0.99  # no longer a half
    close(drawn(at)["weights"], weights)
    close(drawn(at)["context"], weights @ v)
    assert at.query_params["toy_v"] in (values, [values])


@pytest.mark.parametrize("head", [1, 2])
def test_two_heads_by_hand_are_torchs(head: int) -> None:
    at = open_page("steps", case="two heads by hand", form="matrix", seed=5)
    x = np.array([[0, 0.1, 0.2, 0.3], [1, 1.1, 1.2, 1.3], [2, 2.1, 2.2, 2.3]])
    found = {}
    for number in (1, 2):
        at.session_state["head"] = number
        found[number] = walk(at)
        for which in "qkv":
            close(found[number][which][f"x_{which}"], x)
    parts = [np.hstack([found[n][w][f"w_{w}"] for n in (1, 2)]).T for w in "qkv"]
    twin = nn.MultiheadAttention(4, 2, batch_first=True).double()
    with torch.no_grad():
        twin.in_proj_weight.copy_(torch.from_numpy(np.vstack(parts)))
        twin.in_proj_bias.zero_()
        twin.out_proj.weight.copy_(torch.from_numpy(found[1]["× W_O"]["w_o"].T))
        twin.out_proj.bias.zero_()
        inputs = torch.from_numpy(x)[None]
        out, weights = twin(inputs, inputs, inputs, average_attn_weights=False)
    close(found[head]["softmax"]["weights"], weights[0, head - 1].numpy())
    close(found[head]["× W_O"]["out"], out[0].numpy())
    same(found[head]["concat"]["concat"],
         np.hstack([found[n]["× v"]["context"] for n in (1, 2)]))  # fmt: skip


def test_two_heads_change_with_the_seed_and_with_what_is_typed() -> None:
    shown = [
        drawn(open_page("steps", case="two heads by hand", form="matrix", step="× W_O", **more))
        for more in ({}, {"seed": 1}, {"toy_x": "0 0 0 0;0 0 0 0;0 0 0 0"})
    ]
    assert np.abs(shown[0]["out"] - shown[1]["out"]).max() > 0.01
    same(shown[2]["out"], np.zeros((3, 4)))
    same(shown[2]["w_o"], shown[0]["w_o"])


def test_0_to_99_are_masked_above_the_diagonal() -> None:
    at = open_page("steps", case="0 to 99, masked", form="matrix", step="mask")
    future = np.triu(np.ones((10, 10), dtype=bool), 1)
    counted = np.arange(100.0).reshape(10, 10)
    np.testing.assert_allclose(drawn(at)["scores"], counted, atol=1e-4)
    masked = drawn(at)["masked"]
    same(np.isnan(masked), future)
    np.testing.assert_allclose(masked[~future], counted[~future], atol=1e-4)
    go(at, "softmax")
    close(filled(drawn(at)["weights"]), softmax(np.where(future, np.nan, counted)))
    go(at, "mask", query=4, key=7)
    assert said(at) == f"{named('4', 4)} → {named('7', 7)}: 47.000 + (−∞) = −∞ (future)"
    go(at, "softmax", query=9, key=9)
    written = read_softmax(said(at))
    assert written.shift == pytest.approx(99, abs=0.001)
    assert written.adds_up()


def test_a_what_if_of_given_numbers() -> None:
    at = open_page("steps", case="0 to 99, masked", form="matrix", step="softmax", unmasked=True,
                   temperature=10.0)  # fmt: skip
    close(drawn(at, "step_what_if")["weights"], softmax(np.arange(100.0).reshape(10, 10) / 10))
    assert not at.info  # there is no model whose output could move


# Windows


@pytest.mark.parametrize("form", ["vector", "matrix"])
@pytest.mark.parametrize(("heads", "head"), [(8, 1), (8, 8), (4, 3), (4, 4)])
def test_of_a_wide_model_only_what_is_shown_is_sent(heads: int, head: int, form: str) -> None:
    d_k = 512 // heads
    at = open_page("steps", **state_of([("a b c", "x y")]), d_model=512, heads=heads, head=head,
                   form=form, enc=1, dec=1, d_ff=8, query_chosen=2, key_chosen=1)  # fmt: skip
    rows = 1 if form == "vector" else 3
    shapes = {
        "x_query": (rows, 512), "x_key": (3, 512), "x_q": (rows, 512), "w_q": (512, d_k),
        "q": (rows, d_k), "keys": (3, d_k), "products": (3, d_k),
        "k_t": (d_k, 3), "v": (3, d_k), "shares": (3, d_k), "context": (rows, d_k),
        "concat": (rows, 512), "w_o": (512, 512), "out": (rows, 512),
    }  # fmt: skip
    most = {"x_query": 32, "x_key": 32, "x_q": 32, "w_q": 32, "w_o": 32, "out": 32}
    checked = set()
    for step in STEPS:
        picture = pictures(go(at, step))["step_picture"]
        notes = [note["text"] for note in picture["spec"]["layout"]["annotations"]]
        for name, values in matrices(picture).items():
            if name not in shapes:  # scores and weights have no dimension to leave out
                assert max(values.shape) <= 3
                continue
            checked.add(name)
            x_like = name in most or step in ("q k v", "× W_O")
            limit = 32 if x_like else 64
            height, width = shapes[name]
            cut = limit if name in ("w_q", "w_o") else 64 if name == "k_t" else height
            expected = (min(height, cut), min(width, limit))
            assert values.shape == expected, (step, name)
            assert f"({height}, {width})" in picture["alt"], (step, name)
            shown_across, shown_down = expected[1], cut
            part = (
                f", {shown_across} shown"
                if shown_across < width
                else f", {shown_down} shown"
                if shown_down < height
                else ""
            )
            assert f"({height}, {width}){part}" in notes, (step, name)
    assert checked >= {"x_q", "w_q", "q", "context", "concat", "w_o", "out", "v"}


@pytest.mark.parametrize(("heads", "head"), [(8, 1), (8, 5), (8, 8), (4, 3), (4, 4), (32, 32)])
def test_the_window_on_all_heads_shows_this_one(heads: int, head: int) -> None:
    d_k = 512 // heads
    at = open_page("steps", **state_of([("a b c", "x y")]), d_model=512, heads=heads, head=head,
                   form="matrix", enc=1, dec=1, d_ff=8)  # fmt: skip
    context = drawn(go(at, "× v"))["context"]
    picture = pictures(go(at, "concat"))["step_picture"]
    concat = matrices(picture)["concat"]
    first = re.search(r"concat, from place (\d+)", picture["alt"])
    start = (head - 1) * d_k - (int(first[1]) if first else 0)
    same(concat[:, start : start + min(d_k, 64)], context)
    assert f"Head {head} fills places {(head - 1) * d_k} to {head * d_k - 1}." in said(at)
    frames = [s for s in picture["spec"]["layout"]["shapes"] if s["line"]["width"] == 2]
    (frame,) = frames
    assert (frame["x0"], frame["x1"]) == (start - 0.5, start + min(d_k, 64) - 0.5)


def test_the_sums_of_a_wide_model_are_about_all_dimensions() -> None:
    at = open_page("steps", **state_of([("a b c", "x y")]), d_model=512, heads=4, form="matrix",
                   enc=1, dec=1, d_ff=8, query_chosen=2, key_chosen=1)  # fmt: skip
    seen = explore(["a b c"], ["x y"], d_model=512, n_heads=4, n_layers=1)
    written: WrittenSum = read_sum(said(go(at, "q·k")))
    trace = seen.trace.attention("encoder", 0)
    q, k = trace.q[0, 0, 2].double().numpy(), trace.k[0, 0, 1].double().numpy()
    assert written.result.says(float(q @ k))
    check_sum(said(at), q, k, float(q @ k))
    assert written.left_out == 64
