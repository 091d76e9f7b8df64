"""What a picture shows, in words: sentence and weights."""

from explorer.exploration import Exploration
from explorer.names import BOS, EOS, PAD


def about(seen: Exploration) -> str:
    """The sentence in focus and the weights, a line each."""
    said = [label for label in seen.batch.tgt_labels[seen.row] if label not in (PAD, BOS, EOS)]
    target = seen.tokenizer.join(said)
    sentence = f"“{seen.sources[seen.row]}”" + (f" → “{target}”" if target else "")
    config = seen.model.config
    weights = (
        f"untrained weights, seed {seen.request.seed}"
        if seen.learnt is None
        else f"{seen.learnt.name}, {seen.learnt.title}"
    )
    shape = f"d_model {config.d_model}, {config.n_heads} heads"
    layers = f"{config.n_encoder_layers} + {config.n_decoder_layers} layers"
    return f"{sentence}\nWeights: {weights}; {shape}, {layers}"
