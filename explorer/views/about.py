"""Sentences about a run: the sentence it read, its weights, and its vocabulary."""

from explorer.config import ModelConfig
from explorer.languages import tr, tr_n
from explorer.weights.catalogue import Learnt, ModelRequest


def sentence_in_words(source: str, target: str) -> str:
    """A pair; without a target, the source alone."""
    if target:
        return tr("“{source}” → “{target}”", source=source, target=target)
    return tr("“{source}”", source=source)


def weights_in_words(
    request: ModelRequest, learnt: Learnt | None, quality: str, dropout_seed: int | None
) -> str:
    """The name of the weights, their quality, and the shape of their model, in words."""
    config = request.config
    if learnt is None:
        named = tr("untrained weights, seed {seed}", seed=request.seed)
    else:
        # The weights of a task have its name.
        same = learnt.task is not None and learnt.task.title == learnt.name
        names = [learnt.title] if same else dict.fromkeys((learnt.shown_name, learnt.title))
        named = f"{', '.join(names)}: {quality}"
    values = {
        "weights": named,
        "d_model": config.d_model,
        "heads": tr_n("{n} head", "{n} heads", config.n_heads),
        "encoder": config.n_encoder_layers,
        "decoder": config.n_decoder_layers,
    }
    if dropout_seed is None:
        return tr(
            "Weights: {weights}; d_model {d_model}, {heads}, {encoder} + {decoder} layers", **values
        )
    return tr(
        "Weights: {weights}; d_model {d_model}, {heads}, {encoder} + {decoder} layers, dropout on "
        "(seed {seed})",
        **values,
        seed=dropout_seed,
    )


def vocabularies_in_words(config: ModelConfig) -> str:
    """How many ids a model knows."""
    is_whole = config.has_encoder and config.has_decoder
    if is_whole and config.src_vocab_size != config.tgt_vocab_size:
        return tr(
            "The vocabularies have {source:,} and {target:,} ids.",
            source=config.src_vocab_size,
            target=config.tgt_vocab_size,
        )
    ids = config.src_vocab_size if config.has_encoder else config.tgt_vocab_size
    return tr("The vocabulary has {ids:,} ids.", ids=ids)
