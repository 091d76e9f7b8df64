"""What the pictures of a run show, in words: the sentence, and the weights."""

from explorer.config import ModelConfig
from explorer.languages import tr, tr_n
from explorer.weights.catalogue import Learnt


def sentence_in_words(source: str, target: str) -> str:
    """A pair; without a target, the source alone."""
    if target:
        return tr("“{source}” → “{target}”", source=source, target=target)
    return tr("“{source}”", source=source)


def untrained_in_words(seed: int) -> str:
    """Weights that have learnt nothing."""
    return tr("untrained weights, seed {seed}", seed=seed)


def learnt_in_words(learnt: Learnt, quality: str) -> str:
    """Weights by name and task, and how well they do."""
    # The weights of a task have its name.
    same = learnt.task is not None and learnt.task.title == learnt.name
    names = [learnt.title] if same else dict.fromkeys((learnt.shown_name, learnt.title))
    return f"{', '.join(names)}: {quality}"


def weights_in_words(named: str, config: ModelConfig, dropout_seed: int | None) -> str:
    """Which weights these are, and the shape of their model."""
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
