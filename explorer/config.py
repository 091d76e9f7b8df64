"""The hyperparameters of a Transformer and of its training, as frozen, self-checking values."""

from dataclasses import dataclass
from typing import Final, Literal, get_args


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelConfig:
    """Hyperparameters of an encoder–decoder Transformer (Vaswani et al. 2017, table 3, "base").

    Raises:
        ValueError: if the numbers do not describe a model; the message states the requirement,
            the value given, and a way out.
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
    tied: bool = False  # one matrix for both embeddings and the logits (paper section 3.4)

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
        src, tgt = (
            (getattr(self, f"{side}_vocab_size"), getattr(self, f"{side}_pad_id"))
            for side in ("src", "tgt")
        )
        if self.tied and src != tgt:
            raise ValueError(
                "tied embeddings need one vocabulary for source and target, got src_vocab_size="
                f"{src[0]}, tgt_vocab_size={tgt[0]}, src_pad_id={src[1]}, tgt_pad_id={tgt[1]}; "
                "make them equal or choose tied=False"
            )

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values (paper section 3.2.2)."""
        return self.d_model // self.n_heads

    @property
    def n_weights(self) -> int:
        """The number of learnt numbers: matrices, biases, gains and embeddings."""
        d, ff = self.d_model, self.d_ff
        attention, norm, feed_forward = 4 * d * d + 4 * d, 2 * d, 2 * d * ff + ff + d
        matrices = 1 if self.tied else 3  # both embeddings, and the one to the logits
        vocabularies = (self.src_vocab_size, self.tgt_vocab_size, self.tgt_vocab_size)
        return (
            sum(vocabularies[:matrices]) * d
            + self.n_encoder_layers * (attention + feed_forward + 2 * norm)
            + self.n_decoder_layers * (2 * attention + feed_forward + 3 * norm)
            + (2 * norm if self.norm_first else 0)
            + self.tgt_vocab_size  # the bias of the logits
        )


Schedule = Literal["linear", "paper", "constant"]
# Their old names, still found in files and addresses.
SCHEDULES_BEFORE: Final[dict[str, Schedule]] = {
    "warm-up, then to 0": "linear",
    "the paper's": "paper",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TrainConfig:
    """How a model is trained.

    Raises:
        ValueError: if training is impossible with these numbers.
    """

    steps: int = 800
    batch_size: int = 64
    lr: float = 5e-3  # the peak rate for d_model 64; a wider model gets 64/d_model of it
    schedule: Schedule = "linear"  # warm-up, then a straight line towards 0
    warmup: int = 200  # steps up to the peak rate
    label_smoothing: float = 0.0  # paper section 5.4: 0.1
    clip: float = 1.0  # largest norm of the gradient; 0: no clipping
    lone_heads: float = 0.25  # see MultiHeadAttention
    seed: int = 0  # of the sentences and of dropout

    def __post_init__(self) -> None:
        for name, low in (("steps", 1), ("batch_size", 1), ("warmup", 0), ("clip", 0)):
            if not getattr(self, name) >= low:
                raise ValueError(f"{name} must be at least {low}, got {getattr(self, name)}")
        if not 0.0 < self.lr < 1.0:
            raise ValueError(f"lr must lie between 0 and 1, got lr={self.lr}")
        for name in ("label_smoothing", "lone_heads"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise ValueError(f"{name} must lie in [0, 1), got {name}={getattr(self, name)}")
        if self.schedule not in get_args(Schedule):
            raise ValueError(f"schedule must be one of {get_args(Schedule)}, got {self.schedule!r}")

    def lr_at(self, step: int, d_model: int) -> float:
        """The learning rate of one step, counted from 1.

        The paper's rate (section 5.3) is d_model^−½ · min(step^−½, step · warmup^−³ᐟ²) and ignores
        `lr`.
        """
        # In a wider matrix, a step of the same size in every weight changes the product more, so
        # the best rate falls with the width (Yang et al. 2022).
        highest = self.lr * min(1.0, 64 / d_model)
        if self.schedule == "constant":
            return highest
        if self.schedule == "paper":
            rising = step * max(1, self.warmup) ** -1.5
            return float(d_model**-0.5 * min(step**-0.5, rising))
        if step <= self.warmup:
            return highest * step / self.warmup
        return highest * max(0, self.steps + 1 - step) / (self.steps + 1 - self.warmup)


def head_choices(d_model: int, most: int = 32) -> list[int]:
    """Every number of heads up to `most` that divides `d_model`."""
    return [heads for heads in range(1, min(most, d_model) + 1) if d_model % heads == 0]
