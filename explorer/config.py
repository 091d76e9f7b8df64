"""The hyperparameters of a Transformer and of its training, as frozen, self-checking values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from explorer.names import ATTENTION_KINDS, AttentionId, AttentionKind

Norm = Literal["layer", "rms"]  # LayerNorm (Ba et al. 2016), RMSNorm (Zhang and Sennrich 2019)
Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Positions = Literal["sinusoidal", "halves", "learned", "t5", "alibi", "rotary", "none"]
Tying = Literal["nothing", "all", "embeddings", "logits"]  # which matrices are the same one
Output = Literal["words", "masked", "nothing"]
ADDED_POSITIONS: Final = ("sinusoidal", "halves", "learned")  # to the embeddings
RELATIVE_BUCKETS: Final = 32  # kinds of distance that T5's bias knows


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelConfig:
    """Hyperparameters of a Transformer (Vaswani et al. 2017, table 3, "base").

    The fields after `tgt_pad_id` are where other models differ from the paper; each has the paper's
    value as default. A model without decoder layers is an encoder alone, as BERT is; one without
    encoder layers is a decoder alone, without cross-attention, as GPT-2 is.

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
    norm: Norm = "layer"
    norm_eps: float = 1e-5
    norm_embedding: bool = False  # a norm after adding the positions
    final_norm: bool | None = None  # a norm at the end of each stack; None: where norms come first
    activation: Activation = "relu"
    gated: bool = False  # FFN(x) = (act(xW₀) ⊙ xW₁)W₂ (Shazeer 2020)
    positions: Positions = "sinusoidal"  # see explorer.positional
    bias: bool = True  # in attention and feed-forward
    logits_bias: bool = True
    d_kv: int | None = None  # width of a head; None: d_model / n_heads
    scale_scores: bool = True  # q·k ÷ √d_k
    scale_embedding: bool = True  # × √d_model
    scale_logits: bool = False  # ÷ √d_model, which makes up for an unscaled tied embedding
    tying: Tying = "nothing"  # "all" is the paper's section 3.4
    output: Output = "words"  # of an encoder alone: "masked" words, as BERT, or "nothing"
    # Whether a token is padding wherever its id is that of PAD. Pretrained models read and write
    # that id like any other; there only a mask that is given says what is padding.
    pad_by_id: bool = True
    # RoBERTa counts positions without PAD; the first row of its table is PAD's own.
    positions_skip_pad: bool = False

    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_choices()
        self._check_numbers()
        self._check_vocabularies()

    def _check_sizes(self) -> None:
        for name, low in (
            ("d_model", 1),
            ("n_heads", 1),
            ("n_encoder_layers", 0),
            ("n_decoder_layers", 0),
            ("d_ff", 1),
            ("max_len", 1),
            ("src_vocab_size", 1),
            ("tgt_vocab_size", 1),
        ):
            value = getattr(self, name)
            if value < low:
                raise ValueError(f"{name} must be at least {low}, got {name}={value}")
        if not self.n_encoder_layers + self.n_decoder_layers:
            raise ValueError(
                "a model needs layers, got n_encoder_layers=0 and n_decoder_layers=0; "
                "give it at least one of either"
            )

    def _check_choices(self) -> None:
        for name, choices in (
            ("norm", Norm),
            ("activation", Activation),
            ("positions", Positions),
            ("tying", Tying),
            ("output", Output),
        ):
            require_one_of(name, getattr(self, name), get_args(choices))
        if not self.norm_eps > 0:
            raise ValueError(f"norm_eps must be above 0, got norm_eps={self.norm_eps}")
        if self.output != "words" and self.has_decoder:
            raise ValueError(
                f"a decoder writes words, got output={self.output!r} with "
                f"n_decoder_layers={self.n_decoder_layers}; choose output='words' or no decoder"
            )
        if self.output == "words" and not self.has_decoder:
            raise ValueError(
                "an encoder alone has output='masked' or 'nothing', got output='words'"
            )

    def _check_numbers(self) -> None:
        if self.d_kv is not None:
            if self.d_kv < 1:
                raise ValueError(f"d_kv must be at least 1, got d_kv={self.d_kv}")
        elif self.d_model % self.n_heads:
            raise ValueError(
                f"d_model must be divisible by n_heads, got d_model={self.d_model}, "
                f"n_heads={self.n_heads}; heads that fit: {head_choices(self.d_model)}"
            )
        if not 0.0 <= self.dropout < 1.0:
            raise ValueError(f"dropout must lie in [0, 1), got dropout={self.dropout}")

    def _check_vocabularies(self) -> None:
        for side in ("src", "tgt"):
            pad_id, size = getattr(self, f"{side}_pad_id"), getattr(self, f"{side}_vocab_size")
            if not 0 <= pad_id < size:
                raise ValueError(
                    f"{side}_pad_id must be an id of the vocabulary, 0 to {size - 1}, "
                    f"got {side}_pad_id={pad_id}"
                )
        if self.tying not in ("all", "embeddings"):
            return
        if (self.src_vocab_size, self.src_pad_id) != (self.tgt_vocab_size, self.tgt_pad_id):
            raise ValueError(
                "tied embeddings need one vocabulary for source and target, got "
                f"src_vocab_size={self.src_vocab_size}, tgt_vocab_size={self.tgt_vocab_size}, "
                f"src_pad_id={self.src_pad_id}, tgt_pad_id={self.tgt_pad_id}; "
                "make them equal or choose tying='nothing'"
            )
        if not (self.has_encoder and self.has_decoder):
            raise ValueError(
                f"tying={self.tying!r} is for an encoder and a decoder; a stack alone has "
                "tying='logits' or 'nothing'"
            )

    @property
    def has_encoder(self) -> bool:
        """Whether the model reads a source."""
        return self.n_encoder_layers > 0

    @property
    def has_decoder(self) -> bool:
        """Whether the model reads a target, and writes."""
        return self.n_decoder_layers > 0

    @property
    def attention_kinds(self) -> tuple[AttentionKind, ...]:
        """The attentions of the model: a stack alone has one."""
        return tuple(kind for kind in ATTENTION_KINDS if self.layers_of(kind))

    def layers_of(self, kind: AttentionKind) -> int:
        """The number of layers with this attention."""
        if kind == "encoder":
            return self.n_encoder_layers
        return self.n_decoder_layers if kind == "decoder" or self.has_encoder else 0

    @property
    def attentions(self) -> list[AttentionId]:
        """Every attention of every layer."""
        return [(kind, n) for kind in self.attention_kinds for n in range(self.layers_of(kind))]

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values (paper section 3.2.2)."""
        return self.d_model // self.n_heads if self.d_kv is None else self.d_kv

    @property
    def n_positions(self) -> int:
        """The number of rows in a table of learnt positions."""
        return self.max_len + self.positions_skip_pad

    @property
    def ends_with_norm(self) -> bool:
        """Whether each stack ends with a norm of its own."""
        return self.norm_first if self.final_norm is None else self.final_norm

    @property
    def n_logits(self) -> int:
        """The number of logits at each position: the words that the model may write."""
        if self.has_decoder:
            return self.tgt_vocab_size
        return self.src_vocab_size if self.output == "masked" else 0

    @property
    def n_weights(self) -> int:
        """The number of learnt numbers: matrices, biases, gains and embeddings."""
        d, ff, width = self.d_model, self.d_ff, self.n_heads * self.d_k
        norm = 2 * d if self.norm == "layer" else d
        attention = 4 * d * width + self.bias * (3 * width + d)
        feed_forward = (2 + self.gated) * d * ff + self.bias * (ff * (1 + self.gated) + d)
        cross = attention + norm if self.has_encoder else 0
        a_stack = norm * (self.ends_with_norm + self.norm_embedding)
        if self.positions == "learned":
            a_stack += self.n_positions * d
        if self.positions == "t5":
            a_stack += RELATIVE_BUCKETS * self.n_heads
        an_embedding = self.has_encoder * self.src_vocab_size * d
        another = self.has_decoder * self.tgt_vocab_size * d
        return (
            an_embedding
            + (0 if self.tying in ("all", "embeddings") else another)
            + (0 if self.tying in ("all", "logits") else self.n_logits * d)
            + self.n_logits * self.logits_bias
            + self.n_encoder_layers * (attention + feed_forward + 2 * norm)
            + self.n_decoder_layers * (attention + feed_forward + 2 * norm + cross)
            + (self.has_encoder + self.has_decoder) * a_stack
            + (d * d + d + norm if self.output == "masked" else 0)
        )


Schedule = Literal["linear", "paper", "constant"]
# Their old names, still found in files and addresses.
SCHEDULES_BEFORE: Final[dict[str, Schedule]] = {
    "warm-up, then to 0": "linear",
    "the paper's": "paper",
}


def named_as_today(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a model or a training, from a file that may use older names."""
    named = dict(settings)
    if isinstance(schedule := named.get("schedule"), str):
        named["schedule"] = SCHEDULES_BEFORE.get(schedule, schedule)
    if "tied" in named:
        named["tying"] = {True: "all", False: "nothing"}.get(named.pop("tied"), "?")
    named.pop("starts_with_pad", None)  # no model that was trained here had it
    return named


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
            if not (value := getattr(self, name)) >= low:
                raise ValueError(f"{name} must be at least {low}, got {value}")
        if not 0.0 < self.lr < 1.0:
            raise ValueError(f"lr must lie between 0 and 1, got lr={self.lr}")
        for name in ("label_smoothing", "lone_heads"):
            if not 0.0 <= (value := getattr(self, name)) < 1.0:
                raise ValueError(f"{name} must lie in [0, 1), got {name}={value}")
        require_one_of("schedule", self.schedule, get_args(Schedule))

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


def require_one_of(name: str, given: object, possible: Iterable[str]) -> None:
    """Check a choice.

    Raises:
        ValueError: if it is none of those that are possible.
    """
    listed = list(possible)
    if given not in listed:
        raise ValueError(f"{name} must be one of {', '.join(listed)}, got {given!r}")


def head_choices(d_model: int, most: int = 32) -> list[int]:
    """Every number of heads up to `most` that divides `d_model`."""
    return [heads for heads in range(1, min(most, d_model) + 1) if d_model % heads == 0]


def require_within(name: str, given: int, count: int, *, first: int = 0) -> None:
    """Check a number that counts something, from 0 or from `first`.

    Raises:
        ValueError: if there are not as many.
    """
    if not first <= given < first + count:
        raise ValueError(f"{name} must lie in {first} … {first + count - 1}, got {given}")
