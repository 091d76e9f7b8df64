"""One call from text to trace and its pictures, for notebooks and scripts."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from explorer.config import ModelConfig
from explorer.forward import forward
from explorer.names import PaddingSide
from explorer.notebook.exploration import Exploration
from explorer.reading_notes import require_all_read
from explorer.runtime.engine import Engine, LoadedModel, engine
from explorer.runtime.memory import estimate
from explorer.text import Answer, Batch
from explorer.tokenizer import TextTokenizer, Tokenizer
from explorer.weights.catalogue import UNTRAINED, ModelRequest, request
from explorer.weights.loaded import Loaded, answered, load

Texts = str | Sequence[str]
Targets = str | Sequence[str | None] | None


class Untrained(TypedDict, total=False):
    """A model with seeded weights: d_ff is 4 × d_model, and both stacks have `n_layers`."""

    d_model: int
    n_heads: int
    n_layers: int
    seed: int
    device: str


def explore(
    sources: Texts,
    targets: Targets = None,
    *,
    model: Loaded | str | Path | ModelConfig | None = None,
    tokenizer: Tokenizer | None = None,
    side: PaddingSide = "right",
    length: int | None = None,
    dropout_seed: int | None = None,
    **shape: Unpack[Untrained],
) -> Exploration:
    """Tokenise the pairs and run a model: a trained one, or one with seeded weights.

    `model="translator"` is the one that the app opens on, English to German. `model` may also be
    the name of another one that comes with the explorer or was added, a folder, a loaded model, or
    the config of an untrained one; without it the weights are random. Without targets, and for
    each target that is None, a trained model reads its own answer. `side`, `length` and
    `dropout_seed` are as in the app.

    >>> seen = explore(["the animal was tired"], ["das Tier war müde"])
    >>> seen.trace.attention("cross", 0).weights.shape  # (batch, heads, target, source)
    torch.Size([1, 4, 5, 4])

    Raises:
        ValueError: if there is no pair, or more than the model reads at once; if sources and
            targets differ in number, or targets are missing for a model with seeded weights; if
            there is no such model.
    """
    texts = [sources] if isinstance(sources, str) else list(sources)
    read: list[str | None] | None
    read = [targets] if isinstance(targets, str) else None if targets is None else list(targets)
    if isinstance(model, str | Path):
        model = load(model)
    if isinstance(model, Loaded):
        tokenizer = tokenizer or model.tokenizer
        given: Sequence[str | Answer] = answered(model, texts, read)
    elif read is None or None in read:
        raise ValueError(
            "targets are needed, or a model that writes them: without one the weights are random. "
            'model="translator" translates English to German'
        )
    else:
        given = [target or "" for target in read]
    tokenizer = tokenizer or TextTokenizer()
    batch = tokenizer.batch(texts, given, side=side, length=length)
    require_all_read(batch.notes)
    ran, wanted = _asked(model, batch, shape)
    need = estimate(wanted.config, len(batch.src), batch.src.shape[1], batch.tgt_in.shape[1])
    return ran.use(
        wanted,
        need,
        lambda loaded, _: Exploration(
            batch=batch,
            model=loaded.model,
            trace=forward(loaded.model, batch, dropout_seed=dropout_seed),
            request=wanted,
            tokenizer=tokenizer,
            learnt=model.learnt if isinstance(model, Loaded) else None,
            sources=tuple(texts),
            targets=tuple(given),
            engine=ran,
            dropout_seed=dropout_seed,
        ),
    )


def _asked(
    model: Loaded | ModelConfig | None, batch: Batch, shape: Untrained
) -> tuple[Engine, ModelRequest]:
    """The engine that runs a model, and the request by which it knows the model."""
    if isinstance(model, Loaded):
        # An engine of its own: no request names a model that may come from any folder.
        own, wanted = Engine(), request(UNTRAINED, model.config)
        own.models.put(wanted, 4 * model.config.n_weights, LoadedModel(model.model))
        return own, wanted
    seed, device = shape.get("seed", 0), shape.get("device", "cpu")
    config = model or _config(batch, shape)
    return engine(), request(UNTRAINED, config, seed=seed, device=device)


def _config(batch: Batch, shape: Untrained) -> ModelConfig:
    d_model, n_layers = shape.get("d_model", 64), shape.get("n_layers", 2)
    return ModelConfig(
        d_model=d_model,
        n_heads=shape.get("n_heads", 4),
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
        d_ff=4 * d_model,
        src_vocab_size=batch.src_vocab.size,
        tgt_vocab_size=batch.tgt_vocab.size,
    )
