"""What a Transformer is made of, as one frozen, self-checking value."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelConfig:
    """Hyperparameters of an encoder–decoder Transformer (Vaswani et al. 2017, table 3, "base").

    Raises:
        ValueError: where the numbers cannot make a model: the message states the requirement,
            what was given, and a way out.
    """

    d_model: int = 512
    n_heads: int = 8
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1
    max_len: int = 512
    src_vocab_size: int = 1000
    tgt_vocab_size: int = 1000
    src_pad_id: int = 0
    tgt_pad_id: int = 0
    norm_first: bool = False  # False: the paper's LayerNorm(x + Sublayer(x)); True: pre-norm

    def __post_init__(self) -> None:
        for name in (
            "d_model",
            "n_heads",
            "n_encoder_layers",
            "n_decoder_layers",
            "d_ff",
            "max_len",
            "src_vocab_size",
            "tgt_vocab_size",
        ):
            value = getattr(self, name)
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {name}={value}")
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model must be divisible by n_heads, got d_model={self.d_model}, "
                f"n_heads={self.n_heads}; heads that fit: {head_choices(self.d_model)}"
            )
        if not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"dropout must lie in [0, 1), got dropout={self.dropout}")
        for side in ("src", "tgt"):
            pad_id, size = getattr(self, f"{side}_pad_id"), getattr(self, f"{side}_vocab_size")
            if not 0 <= pad_id < size:
                raise ValueError(
                    f"{side}_pad_id must be an id of the vocabulary, 0 to {size - 1}, "
                    f"got {side}_pad_id={pad_id}"
                )

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values (paper section 3.2.2)."""
        return self.d_model // self.n_heads


def head_choices(d_model: int, most: int = 32) -> list[int]:
    """Every number of heads up to `most` that divides `d_model`."""
    return [heads for heads in range(1, min(most, d_model) + 1) if d_model % heads == 0]
