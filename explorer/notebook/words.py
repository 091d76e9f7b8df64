"""What a picture shows, in words: sentence and weights."""

from explorer.exploration import Exploration
from explorer.languages import tr, tr_n
from explorer.names import BOS, EOS, PAD


def about(seen: Exploration) -> str:
    """The sentence in focus and the weights, a line each."""
    said = [label for label in seen.batch.tgt_labels[seen.row] if label not in (PAD, BOS, EOS)]
    source, target = seen.sources[seen.row], seen.tokenizer.join(said)
    sentence = (
        tr("“{source}” → “{target}”", source=source, target=target)
        if target
        else tr("“{source}”", source=source)
    )
    weights = (
        tr("untrained weights, seed {seed}", seed=seen.request.seed)
        if seen.learnt is None
        else f"{seen.learnt.shown_name}, {seen.learnt.title}"
    )
    config = seen.model.config
    said_of_weights = tr(
        "Weights: {weights}; d_model {d_model}, {heads}, {encoder} + {decoder} layers",
        weights=weights,
        d_model=config.d_model,
        heads=tr_n("{n} head", "{n} heads", config.n_heads),
        encoder=config.n_encoder_layers,
        decoder=config.n_decoder_layers,
    )
    return f"{sentence}\n{said_of_weights}"
