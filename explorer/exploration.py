"""One call from text to trace, for notebooks and scripts."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.config import ModelConfig
from explorer.runtime.engine import engine, forward
from explorer.runtime.memory import estimate
from explorer.text import Answer, Batch
from explorer.tokenizer import TextTokenizer
from explorer.transformer import Transformer, TransformerTrace
from explorer.weights.catalogue import UNTRAINED, request
from explorer.weights.loaded import Loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """Sentences, the model that read them, and everything it computed."""

    batch: Batch
    model: Transformer
    trace: TransformerTrace


def explore(
    sources: Sequence[str],
    targets: Sequence[str] | None = None,
    *,
    model: Loaded | None = None,
    d_model: int = 64,
    n_heads: int = 4,
    n_layers: int = 2,
    seed: int = 0,
    device: str = "cpu",
) -> Exploration:
    """Tokenise the pairs and run a model: a loaded one, or one with seeded weights.

    Without targets, a loaded model reads its own answers.

    >>> seen = explore(["the animal was tired"], ["das Tier war müde"])
    >>> seen.trace.attention("cross", 0).weights.shape  # (batch, heads, target, source)
    torch.Size([1, 4, 5, 4])

    Raises:
        ValueError: if there is no pair, sources and targets differ in number, or targets are
            missing for a model with seeded weights.
    """
    if model is not None:
        return _of_loaded(model, sources, targets)
    if targets is None:
        raise ValueError("targets are needed: a model with seeded weights has no answers")
    batch = TextTokenizer().batch(sources, targets)
    config = ModelConfig(
        d_model=d_model,
        n_heads=n_heads,
        n_encoder_layers=n_layers,
        n_decoder_layers=n_layers,
        d_ff=4 * d_model,
        src_vocab_size=batch.src_vocab.size,
        tgt_vocab_size=batch.tgt_vocab.size,
    )
    wanted = request(UNTRAINED, config, seed=seed, device=device)
    need = estimate(config, len(batch.src), batch.src.shape[1], batch.tgt_in.shape[1])
    return engine().use(
        wanted,
        need,
        lambda loaded, _: Exploration(
            batch=batch, model=loaded.model, trace=forward(loaded.model, batch)
        ),
    )


def _of_loaded(
    loaded: Loaded, sources: Sequence[str], targets: Sequence[str] | None
) -> Exploration:
    read: Sequence[str | Answer] = [""] * len(sources) if targets is None else targets
    if targets is None and loaded.config.has_decoder:
        read = loaded.answers(sources)
    batch = loaded.tokenizer.batch(sources, read)
    return Exploration(batch=batch, model=loaded.model, trace=forward(loaded.model, batch))
