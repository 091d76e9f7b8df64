"""Questions about the stack: how large is what stands in it?"""

from random import Random

from explorer.exercises.facts import Facts, Kind, place, require
from explorer.exercises.sources import AttentionStop
from explorer.languages import mark


@Kind(
    "stack",
    AttentionStop.of,
    title=mark("Parameters of an attention"),
    text=mark(
        "How many parameters are in {where}? d_model is {d_model}; the heads have {width} numbers "
        "together. An answer within 3% counts as right."
    ),
    hint=mark(
        "Four matrices: for queries, keys, values, and the output. How many numbers has each?"
    ),
    why=mark(
        "4 × {d_model} × {width} = {matrices:,}; with the biases, if it has any, {parameters:,}. "
        "The length of the sentence does not change it."
    ),
)
def attention_parameters(stop: AttentionStop, rng: Random) -> Facts:
    config = stop.run.request.config
    d_model, width = config.d_model, config.n_heads * config.d_k
    module = stop.run.loaded.model.attention(stop.kind, stop.layer)
    right = sum(parameter.numel() for parameter in module.parameters())
    sizes = {"d_model": d_model, "width": width, "matrices": 4 * d_model * width}
    return Facts(
        right,
        {"where": place(stop.kind, stop.layer), **sizes, "parameters": right},
        tolerance=0.03 * right,
        look=stop.look,
    )


@Kind(
    "stack",
    AttentionStop.of,
    title=mark("Twice as many heads"),
    text=mark(
        "The model has d_model = {d_model}. Heads in each attention: {heads}; so each head has "
        "d_k = {d_k}. What is d_k with twice as many heads?"
    ),
    hint=mark("The heads share d_model among themselves."),
    why=mark(
        "{d_model} ÷ {twice} = {half}. More heads are narrower heads: the number of parameters "
        "stays the same."
    ),
)
def twice_the_heads(stop: AttentionStop, rng: Random) -> Facts:
    config = stop.run.request.config
    d_model, heads = config.d_model, config.n_heads
    require(config.d_kv is None, d_model % (2 * heads) == 0)
    half = d_model // (2 * heads)
    sizes = {"d_model": d_model, "heads": heads, "d_k": config.d_k, "twice": 2 * heads}
    return Facts(half, {**sizes, "half": half}, look=stop.look)
