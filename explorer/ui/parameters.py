"""Every choice of a visitor, declared once: its key in the address, its values, its default.

Widgets, addresses and uploaded files are all checked against these declarations. The label of a
choice is in the code that draws it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, get_args

from explorer.analysis.variants import VARIANTS as MODEL_VARIANTS
from explorer.config import (
    SCHEDULES_BEFORE,
    Activation,
    ModelConfig,
    Norm,
    Positions,
    Schedule,
    TrainConfig,
    Tying,
    head_choices,
)
from explorer.exercises.question import LEVELS, SET_SIZE, TOPICS
from explorer.languages import LANGUAGES, mark, tr, tr_n
from explorer.mistakes.catalogue import MISTAKES
from explorer.names import ATTENTION_KINDS, PaddingSide, Reading
from explorer.positional import VARIANTS
from explorer.runtime.device import available_devices
from explorer.runtime.generation import Method
from explorer.text import MAX_PAIRS, MAX_TOKENS
from explorer.ui.domains import Decimal, Divisors, Domain, OneOf, Text, Whole, YesNo, default_heads
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import SHIPPED_NAMES, SMALL_TASKS
from explorer.weights.huggingface.shelf import model_names
from explorer.weights.opening import opens_on

MAX_ROWS: Final = 20  # more than the model reads, so that no typed sentence is lost
USUAL_PAIRS: Final = 2
HERE: Final = "here"  # weights trained here
LOADED: Final = "loaded"  # a pretrained model that was loaded here from its files
UNTRAINED_NAME: Final = "untrained"
WEIGHTS_BEFORE: Final = "reverse"  # the usual weights before there was a translator
LEVEL_BEFORE: Final = "all"  # what an address without a level meant when it named questions
OWN_PAIRS: Final = "pairs"
READ_WORDS: Final = (*SMALL_TASKS, HERE, UNTRAINED_NAME)
KNOWN_NAMES: Final = (*SHIPPED_NAMES, HERE, UNTRAINED_NAME)  # all others are pretrained models
Values = Mapping[str, Any]
Where = Literal["around", "page"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One choice.

    `default` and `domain` may depend on the values declared before. With a default of None nothing
    is chosen at first, and the page shows its most telling case.
    """

    key: str
    domain: Domain | Callable[[Values], Domain]
    default: Any = None
    where: Where = "page"  # "around": above the page, for all pages
    limited_by_page: bool = False  # only the page knows the largest value

    def usual(self, values: Values) -> Any:
        """The value until another one is chosen."""
        return self.default(values) if callable(self.default) else self.default

    def within(self, values: Values) -> Domain:
        """The possible values, given the values of the others."""
        return self.domain(values) if callable(self.domain) else self.domain


PARAMETERS: Final[dict[str, Parameter]] = {}


def _declare(
    key: str,
    domain: Domain | Callable[[Values], Domain],
    default: Any = None,
    *,
    where: Where = "page",
    limited_by_page: bool = False,
) -> Parameter:
    PARAMETERS[key] = Parameter(
        key=key, domain=domain, default=default, where=where, limited_by_page=limited_by_page
    )
    return PARAMETERS[key]


def your_models() -> list[str]:
    """The pretrained models in the folder of models, but for those named as weights are here."""
    return [name for name in model_names() if name not in (*KNOWN_NAMES, LOADED)]


@cache
def devices() -> tuple[str, ...]:
    """The devices of this machine, best first."""
    return tuple(available_devices())


def _layers_of(kind: str) -> Callable[[Values], Domain]:
    def layers(values: Values) -> Domain:
        stack = ENC if values[kind] in ("encoder", None) else DEC
        return Whole(1, max(1, values[stack.key]))  # a pretrained model may lack a stack

    return layers


def _heads_in(values: Values) -> Domain:
    return Whole(1, values["heads"])


USUAL: Final = ModelConfig(d_model=64, n_heads=4, n_encoder_layers=2, n_decoder_layers=2, d_ff=256)
TRAINING: Final = TrainConfig(steps=600, warmup=150)
TEMPERATURES: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
SEEDS: Final = Whole(0, 999_999)

# Around the page: the model …
WEIGHTS: Final = _declare(
    "weights",
    lambda values: OneOf((*KNOWN_NAMES, LOADED, *your_models()), {"trained here": HERE}),
    lambda values: opens_on(),
    where="around",
)
RUN: Final = _declare(
    "run", Text(r"[A-Za-z0-9_-]{8,24}", mark("the name of a training")), where="around"
)
MODEL: Final = _declare(
    "model", Text(r"[A-Za-z0-9_-]{8,24}", mark("the name of a loaded model")), where="around"
)
D_MODEL: Final = _declare("d_model", Whole(8, 1024), USUAL.d_model, where="around")
HEADS: Final = _declare(
    "heads",
    lambda values: Divisors(values["d_model"]),
    lambda values: default_heads(values["d_model"], USUAL.n_heads),
    where="around",
)
ENC: Final = _declare("enc", Whole(1, 6), USUAL.n_encoder_layers, where="around")
DEC: Final = _declare("dec", Whole(1, 6), USUAL.n_decoder_layers, where="around")
D_FF: Final = _declare("d_ff", Whole(1, 8192), where="around")  # None: 4 × d_model
NORM: Final = _declare("norm", OneOf(("post", "pre")), "post", where="around")
# The parts that other models have in place of the paper's, by the field of their config.
PARTS: Final = {
    "norm": _declare("norm_kind", OneOf(get_args(Norm)), USUAL.norm, where="around"),
    "activation": _declare(
        "activation", OneOf(get_args(Activation)), USUAL.activation, where="around"
    ),
    "gated": _declare("gated", YesNo(), USUAL.gated, where="around"),
    "positions": _declare(
        "position_kind", OneOf(get_args(Positions)), USUAL.positions, where="around"
    ),
    "bias": _declare("bias", YesNo(), USUAL.bias, where="around"),
    "d_kv": _declare("d_k", Whole(1, 256), where="around"),  # None: d_model ÷ heads
    "scale_scores": _declare("divide", YesNo(), USUAL.scale_scores, where="around"),
    "scale_embedding": _declare("multiply", YesNo(), USUAL.scale_embedding, where="around"),
    "tying": _declare("tying", OneOf(get_args(Tying)), USUAL.tying, where="around"),
}
SEED: Final = _declare("seed", SEEDS, 0, where="around")
DROPOUT: Final = _declare("dropout", OneOf((0.0, 0.1, 0.2, 0.3, 0.5)), 0.0, where="around")
DROPOUT_SEED: Final = _declare("dropout_seed", SEEDS, 0, where="around")
SIDE: Final = _declare("side", OneOf(get_args(PaddingSide)), "right", where="around")
LENGTH: Final = _declare("length", Whole(1, MAX_TOKENS), where="around")  # None: longest sentence
DEVICE: Final = _declare(
    "device",
    lambda values: OneOf(devices()),
    lambda values: devices()[0],
    where="around",
)
# … and the sentences
PAIRS: Final = _declare(
    "pairs",
    Whole(1, MAX_ROWS),
    # One for a pretrained model: PAD for the sake of another sentence would only be in the way.
    lambda values: USUAL_PAIRS if values["weights"] in KNOWN_NAMES else 1,
    where="around",
)
TOKENS: Final = _declare(
    "tokens",
    OneOf(get_args(Reading)),
    lambda values: "subwords" if values["weights"] not in READ_WORDS else "words",
    where="around",
)
PAD_ID: Final = _declare("pad_id", Whole(0, VOCAB_SIZE - 1), 0, where="around")
PAIR: Final = _declare(
    "pair", lambda values: Whole(1, min(values["pairs"], MAX_PAIRS)), 1, where="around"
)
TYPED_TARGET: Final = _declare("typed_target", YesNo(), False, where="around")

LANGUAGE: Final = _declare("lang", OneOf(tuple(LANGUAGES)), where="around")  # None: the browser's

TOUR: Final = _declare("tour", Whole(1, 11), where="around")  # the stop, from 1

# Of several pages
ATTENTION: Final = _declare("attention", OneOf(ATTENTION_KINDS))
LAYER: Final = _declare("layer", _layers_of("attention"))
HEAD: Final = _declare("head", _heads_in)
SCALE: Final = _declare(
    "scale", OneOf(("unit", "largest"), {"0 to 1": "unit", "0 to largest": "largest"}), "unit"
)

# Masks
RULE: Final = _declare(
    "rule",
    OneOf(
        ("pad_queries", "columns"),
        {"PAD queries hidden": "pad_queries", "columns read as sentences": "columns"},
    ),
    "pad_queries",
)
ADDITIVE_LENGTH: Final = _declare("additive_length", Whole(2, 12), 10)

# Positions
ASPECT: Final = _declare(
    "aspect",
    OneOf(
        ("encoding", "waves", "inputs", "similarity", "order"),
        {"input + encoding": "inputs", "why order matters": "order"},
    ),
)
POSITIONS: Final = _declare("positions", Whole(8, 256), 80)
BASE: Final = _declare("base", OneOf((10, 100, 1000, 10_000, 100_000)), 10_000)
FORMULA: Final = _declare(
    "formula", OneOf(tuple(VARIANTS), {"doubled exponent": "doubled"}), "paper"
)
DIMENSION: Final = _declare("dimension", Whole(0, 1023), 0, limited_by_page=True)
INPUT: Final = _declare(
    "input",
    OneOf(
        ("sentence", "six_ids", "eighty"),
        {"sentence on show": "sentence", "six ids, d_model 4": "six_ids"},
    ),
    "sentence",
)
SCALED: Final = _declare("scaled", YesNo(), True)
ORDER_A: Final = _declare("order_a", Text(), "I like cats more than dogs")
ORDER_B: Final = _declare("order_b", Text(), "I like dogs more than cats")

# Attention
HIDE_PAD: Final = _declare("hide_pad", YesNo(), False)

# Step by step
EXAMPLES_BEFORE: Final = {
    "this model": "model",
    "toy numbers": "toy",
    "two heads by hand": "two_heads",
    "0 to 99, masked": "masked_hundred",
}
CASE: Final = _declare(
    "case", OneOf(("model", "toy", "two_scores", "two_heads", "masked_hundred"), EXAMPLES_BEFORE)
)
FORM: Final = _declare("form", OneOf(("vector", "matrix")), "vector")
STEP: Final = _declare(
    "step",
    OneOf(
        ("x", "qkv", "dots", "scores", "mask", "softmax", "context", "concat", "out"),
        {"q k v": "qkv", "q·k": "dots", "÷ √d_k": "scores", "× v": "context", "× W_O": "out"},
    ),
    "dots",
)
WHICH: Final = _declare("which", OneOf(("q", "k", "v")), "q")
QUERY: Final = _declare("query", Whole(0, 2 * MAX_TOKENS), limited_by_page=True)
KEY: Final = _declare("key", Whole(0, 2 * MAX_TOKENS), limited_by_page=True)
UNSCALED: Final = _declare("unscaled", YesNo(), False)
UNMASKED: Final = _declare("unmasked", YesNo(), False)
TEMPERATURE: Final = _declare("temperature", OneOf(TEMPERATURES), 1.0)
OFF_HEAD: Final = _declare("off_head", _heads_in)
TOY_Q: Final = _declare("toy_q", Text())
TOY_K: Final = _declare("toy_k", Text())
TOY_V: Final = _declare("toy_v", Text())
TOY_X: Final = _declare("toy_x", Text())

# Stack
STOP: Final = _declare("stop", Whole(0, 999), limited_by_page=True)
STACK_SHOWS: Final = _declare("stack_shows", OneOf(("stop", "stream", "lens")))
STOP_SHOWS: Final = _declare("stop_shows", OneOf(("values", "change")), "values")
STREAM: Final = _declare(
    "stream",
    OneOf(("similarity", "change", "norm"), {"likeness to the start": "similarity"}),
    "similarity",
)
WORD: Final = _declare("word", Whole(0, MAX_TOKENS), limited_by_page=True)
MAN: Final = _declare("man", Text())
MAN_AT: Final = _declare("man_at", Whole(0, MAX_TOKENS - 1), 1)

# Training
TASK: Final = _declare(
    "task",
    OneOf(("reverse", "copy", "sort", "numbers", "german", OWN_PAIRS), {"your own pairs": "pairs"}),
)
LONGEST: Final = _declare("longest", Whole(4, 24), 12)
STEPS: Final = _declare("steps", Whole(50, 20_000), TRAINING.steps)
LR: Final = _declare("lr", Decimal(0.00001, 0.1), TRAINING.lr)
SCHEDULE: Final = _declare(
    "schedule", OneOf(get_args(Schedule), SCHEDULES_BEFORE), TRAINING.schedule
)
WARMUP: Final = _declare("warmup", Whole(0, 10_000), TRAINING.warmup)
BATCH: Final = _declare("batch", Whole(4, 256), TRAINING.batch_size)
SMOOTHING: Final = _declare("smoothing", Decimal(0.0, 0.5), TRAINING.label_smoothing)
CLIP: Final = _declare("clip", Decimal(0.0, 100.0), TRAINING.clip)
LONE: Final = _declare("lone", Decimal(0.0, 0.9), TRAINING.lone_heads)
TRAIN_SEED: Final = _declare("train_seed", SEEDS, TRAINING.seed)
LEARNING: Final = _declare("learning", OneOf(ATTENTION_KINDS), "cross")
LEARNING_LAYER: Final = _declare("learning_layer", Whole(1, 6), limited_by_page=True)
REPLAY: Final = _declare("replay", Whole(0, 20_000), limited_by_page=True)

# Decoding
METHOD: Final = _declare("method", OneOf(get_args(Method), {"beam search": "beam"}), "greedy")
WIDTH: Final = _declare("width", OneOf((1, 2, 3, 4, 6, 8)), 4)
HEAT: Final = _declare("heat", OneOf(TEMPERATURES), 1.0)
TOP_K: Final = _declare("top_k", OneOf((1, 2, 3, 5, 10, 20, "all")), "all")
TOP_P: Final = _declare("top_p", OneOf((0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)), 1.0)
DICE: Final = _declare("dice", SEEDS, 0)
AT: Final = _declare("at", Whole(1, 999), limited_by_page=True)
WRITING_LAYER: Final = _declare("writing_layer", Whole(1, 99), limited_by_page=True)

# Predict
QUESTIONS: Final = _declare("questions", SEEDS, 0)
TOPIC: Final = _declare("topic", OneOf(("all", *TOPICS)), "all")
LEVEL: Final = _declare("level", OneOf(("all", *LEVELS)), LEVELS[0])
QUESTION: Final = _declare("question", Whole(1, SET_SIZE + 1), 1, limited_by_page=True)

# Lab
DIFFERS: Final = _declare(
    "differs",
    OneOf(("mistake", "weights", "sentence", "head", "part", "side", "method")),
    "mistake",
)
WHICH_MISTAKE: Final = _declare("which_mistake", OneOf(tuple(MISTAKES)))
OTHER_WEIGHTS: Final = _declare("other_weights", WEIGHTS.within)
OTHER_SENTENCE: Final = _declare("other_sentence", Text())
OTHER_LAYER: Final = _declare("other_layer", Whole(1, 99), limited_by_page=True)
OTHER_HEAD: Final = _declare("other_head", Whole(1, 99), limited_by_page=True)
OTHER_PART: Final = _declare("other_part", OneOf(MODEL_VARIANTS))
OTHER_METHOD: Final = _declare("other_method", OneOf(("beam", "sampling")), "beam")

# Addresses that say one of these were written when the translator was there.
WITH_TRANSLATOR: Final = frozenset(
    parameter.key
    for parameter in (
        *PARTS.values(), LANGUAGE, TOUR, STACK_SHOWS, QUESTIONS, TOPIC, QUESTION, DIFFERS,
        WHICH_MISTAKE, OTHER_WEIGHTS, OTHER_SENTENCE, OTHER_LAYER, OTHER_HEAD, OTHER_PART,
        OTHER_METHOD,
    )
)  # fmt: skip

SHAPE: Final = (D_MODEL, HEADS, ENC, DEC, D_FF, NORM, *PARTS.values())


def text_key(side: str, row: int) -> str:
    """The key of a sentence: src, tgt, src2, tgt2, …"""
    return side if row == 0 else f"{side}{row + 1}"


TEXT_KEYS: Final = tuple(text_key(side, row) for row in range(MAX_ROWS) for side in ("src", "tgt"))
AROUND: Final = tuple(p.key for p in PARAMETERS.values() if p.where == "around")


def shape_of(config: ModelConfig) -> dict[str, Any]:
    """The choices that describe a model's shape."""
    return {
        D_MODEL.key: config.d_model,
        HEADS.key: config.n_heads,
        ENC.key: config.n_encoder_layers,
        DEC.key: config.n_decoder_layers,
        D_FF.key: None if config.d_ff == 4 * config.d_model else config.d_ff,
        NORM.key: "pre" if config.norm_first else "post",
        **{parameter.key: getattr(config, part) for part, parameter in PARTS.items()},
    }


def cannot_hold(config: ModelConfig) -> str:
    """The reason why the controls cannot show a model of this shape, or nothing."""
    why = mark("The explorer shows models with {name} from {low} to {high:,}, not {value:,}.")
    why_encoder = mark(
        "The explorer shows models with encoder layers from {low} to {high:,}, not {value:,}."
    )
    why_decoder = mark(
        "The explorer shows models with decoder layers from {low} to {high:,}, not {value:,}."
    )
    sizes = [
        (why, "d_model", D_MODEL, config.d_model),
        (why_encoder, "", ENC, config.n_encoder_layers),
        (why_decoder, "", DEC, config.n_decoder_layers),
        (why, "d_ff", D_FF, config.d_ff),
    ]
    if config.d_kv is not None:
        sizes.append((why, "d_k", PARTS["d_kv"], config.d_kv))
    for text, name, parameter, value in sizes:
        domain = parameter.domain
        if isinstance(domain, Whole) and not domain.low <= value <= domain.high:
            return tr(text, name=name, low=domain.low, high=domain.high, value=value)
    if config.n_heads not in (heads := head_choices(config.d_model)):
        return tr_n(
            "The explorer shows models with up to {n} head, not {given}.",
            "The explorer shows models with up to {n} heads, not {given}.",
            heads[-1],
            given=config.n_heads,
        )
    return ""
