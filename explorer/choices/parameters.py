"""Every choice of a visitor, declared once: its key in the address, its values, its default.

Each page has a class here for its own choices; `Frame` has those of all pages. Widgets, addresses
and uploaded files are all checked against these declarations. The label of a choice is in the code
that draws it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Generic, Literal, TypeVar, get_args

from explorer.choices.domains import (
    YES_OR_NO,
    Decimal,
    Divisors,
    Domain,
    OneOf,
    Renamed,
    Text,
    Whole,
    default_heads,
)
from explorer.config import (
    Activation,
    ModelConfig,
    Norm,
    Positions,
    Schedule,
    TrainConfig,
    Tying,
)
from explorer.exercises.draw import NEAREST, SET_SIZE
from explorer.exercises.facts import KINDS
from explorer.exercises.question import TOPICS, Topic
from explorer.languages import LANGUAGES, mark
from explorer.mistakes.catalogue import MISTAKES
from explorer.mistakes.parts import FORMULAS
from explorer.names import ATTENTION_KINDS, AttentionKind, PaddingSide, Reading
from explorer.runtime.device import available_devices
from explorer.runtime.generation import Method
from explorer.text import MAX_PAIRS, MAX_TOKENS
from explorer.views.positions import OF_ENCODING
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import SHIPPED_NAMES, SMALL_TASKS
from explorer.weights.huggingface.shelf import model_names
from explorer.weights.opening import opening_weights

MAX_ROWS: Final = 20  # a batch has at most 16; the sentences of a longer link are kept
HERE: Final = "here"  # weights trained here
LOADED: Final = "loaded"  # a pretrained model that was loaded here from its files
UNTRAINED_NAME: Final = "untrained"
OWN_PAIRS: Final = "pairs"
TRAINABLE: Final = ("reverse", "copy", "sort", "numbers", "german", OWN_PAIRS)
READ_WORDS: Final = (*SMALL_TASKS, HERE, UNTRAINED_NAME)
KNOWN_NAMES: Final = (*SHIPPED_NAMES, HERE, UNTRAINED_NAME)  # all others are pretrained models
USUAL: Final = ModelConfig(d_model=64, n_heads=4, n_encoder_layers=2, n_decoder_layers=2, d_ff=256)
TRAINING: Final = TrainConfig(steps=600, warmup=150)
TEMPERATURES: Final = (0.1, 0.25, 0.5, 1.0, 1.25, 1.5, 2.0, 4.0, 10.0)
SEEDS: Final = Whole(0, 999_999)

All = Literal["all"]
Chosen = Mapping[str, Any]  # choices by their keys; what is not among them has its usual value
T_co = TypeVar("T_co", covariant=True)
PARAMETERS: Final[dict[str, "Parameter[Any]"]] = {}


class Parameter(Generic[T_co]):
    """One choice; its key is its name in the class of its page.

    `default` and `domain` may depend on other choices. With a default of None nothing is chosen at
    first, and the page shows its most telling case. With `limited_by_page` only the page knows the
    largest value.
    """

    key: str

    def __init__(
        self,
        domain: Domain | Callable[[Chosen], Domain],
        default: T_co | Callable[[Chosen], T_co],
        *,
        limited_by_page: bool = False,
    ) -> None:
        self.domain, self.default, self.limited_by_page = domain, default, limited_by_page

    def __set_name__(self, page: type, name: str) -> None:
        if name in PARAMETERS:
            raise ValueError(f"a key must be declared once, got {name} in {page.__name__} again")
        self.key = name
        PARAMETERS[name] = self

    def usual(self, chosen: Chosen) -> T_co:
        """The value until another one is chosen."""
        return self.default(chosen) if callable(self.default) else self.default

    def of(self, chosen: Chosen) -> T_co:
        """The value among these choices, or the usual one."""
        found = chosen.get(self.key)
        return self.usual(chosen) if found is None else found

    def within(self, chosen: Chosen) -> Domain:
        """The possible values, given the other choices."""
        return self.domain(chosen) if callable(self.domain) else self.domain


def keys_of(*pages: type) -> list[str]:
    """The keys of all choices declared in these classes."""
    declared = (found for page in pages for found in vars(page).values())
    return [found.key for found in declared if isinstance(found, Parameter)]


def your_models() -> list[str]:
    """The pretrained models in the folder of models, except those named like shipped weights."""
    return [name for name in model_names() if name not in (*KNOWN_NAMES, LOADED)]


@cache
def devices() -> tuple[str, ...]:
    """The devices of this machine, best first."""
    return tuple(available_devices())


def _layers(chosen: Chosen) -> Domain:
    in_encoder = Look.attention.of(chosen) in ("encoder", None)
    layers = (Frame.enc if in_encoder else Frame.dec).of(chosen)
    return Whole(1, max(1, layers))  # a pretrained model may lack a stack


def _heads(chosen: Chosen) -> Domain:
    return Whole(1, Frame.heads.of(chosen))


class Frame:
    """Choices of the controls around the page."""

    weights: Parameter[str] = Parameter(
        lambda _: OneOf((*KNOWN_NAMES, LOADED, *your_models())), lambda _: opening_weights()
    )
    run: Parameter[str | None] = Parameter(
        Text(r"[A-Za-z0-9_-]{8,24}", mark("a name, as in a copied link")), None
    )
    model: Parameter[str | None] = Parameter(
        Text(r"[A-Za-z0-9_-]{8,24}", mark("a name, as in a copied link")), None
    )
    d_model = Parameter(Whole(8, 1024), USUAL.d_model)
    heads: Parameter[int] = Parameter(
        lambda chosen: Divisors(Frame.d_model.of(chosen)),
        lambda chosen: default_heads(Frame.d_model.of(chosen), USUAL.n_heads),
    )
    enc = Parameter(Whole(1, 6), USUAL.n_encoder_layers)
    dec = Parameter(Whole(1, 6), USUAL.n_decoder_layers)
    d_ff: Parameter[int | None] = Parameter(Whole(1, 8192), None)  # None: 4 × d_model
    norm = Parameter(OneOf(("post", "pre")), "post")
    norm_kind = Parameter(OneOf(get_args(Norm)), USUAL.norm)
    activation = Parameter(OneOf(get_args(Activation)), USUAL.activation)
    gated = Parameter(YES_OR_NO, USUAL.gated)
    position_kind = Parameter(OneOf(get_args(Positions)), USUAL.positions)
    bias = Parameter(YES_OR_NO, USUAL.bias)
    d_k: Parameter[int | None] = Parameter(Whole(1, 256), None)  # None: d_model ÷ heads
    divide = Parameter(YES_OR_NO, USUAL.scale_scores)
    multiply = Parameter(YES_OR_NO, USUAL.scale_embedding)
    tying = Parameter(OneOf(get_args(Tying)), USUAL.tying)
    seed = Parameter(SEEDS, 0)
    dropout = Parameter(OneOf((0.0, 0.1, 0.2, 0.3, 0.5)), 0.0)
    dropout_seed = Parameter(SEEDS, 0)
    side: Parameter[PaddingSide] = Parameter(OneOf(get_args(PaddingSide)), "right")
    length: Parameter[int | None] = Parameter(Whole(1, MAX_TOKENS), None)  # None: longest sentence
    device: Parameter[str] = Parameter(lambda _: OneOf(devices()), lambda _: devices()[0])
    # None: one, and a second on the pages that explain PAD.
    pairs: Parameter[int | None] = Parameter(Whole(1, MAX_ROWS), None)
    tokens: Parameter[Reading] = Parameter(
        OneOf(get_args(Reading)),
        lambda chosen: "words" if Frame.weights.of(chosen) in READ_WORDS else "subwords",
    )
    pad_id = Parameter(Whole(0, VOCAB_SIZE - 1), 0)
    hide_pad = Parameter(YES_OR_NO, True)
    pair = Parameter(
        lambda chosen: Whole(1, min(max(2, Frame.pairs.of(chosen) or 1), MAX_PAIRS)), 1
    )
    typed_target = Parameter(YES_OR_NO, False)
    lang: Parameter[str | None] = Parameter(OneOf(tuple(LANGUAGES)), None)  # None: the browser's
    tour: Parameter[int | None] = Parameter(Whole(1, 13), None)  # the stop


class Stage:
    drawer: Parameter[str | None] = Parameter(
        Text(r"[a-z_]{1,24}", mark("a name, as in a copied link")), None
    )


class Look:
    """The attention, its head and its weight in focus, on several pages."""

    attention: Parameter[AttentionKind | None] = Parameter(OneOf(ATTENTION_KINDS), None)
    layer: Parameter[int | None] = Parameter(_layers, None)
    head: Parameter[int | None] = Parameter(_heads, None)
    query: Parameter[int | None] = Parameter(Whole(0, 2 * MAX_TOKENS), None, limited_by_page=True)
    key: Parameter[int | None] = Parameter(Whole(0, 2 * MAX_TOKENS), None, limited_by_page=True)


class HeadsDrawn:
    scale: Parameter[str | None] = Parameter(OneOf(("unit", "largest")), None)


class Masks:
    rule = Parameter(OneOf(("pad_queries", "columns")), "pad_queries")
    additive_length = Parameter(Whole(2, 12), 10)


class Waves:
    """The view of positions, and their encoding."""

    aspect: Parameter[str | None] = Parameter(OneOf(("order", "inputs", *OF_ENCODING)), None)
    positions = Parameter(Whole(8, 256), 80)
    base = Parameter(OneOf((10, 100, 1000, 10_000, 100_000)), 10_000)
    formula = Parameter(OneOf(tuple(FORMULAS)), "paper")
    dimension = Parameter(Whole(0, 1023), 0, limited_by_page=True)
    input = Parameter(OneOf(("sentence", "six_ids", "eighty")), "sentence")
    scaled = Parameter(YES_OR_NO, True)


class WordOrder:
    order_a = Parameter(Text(), "I like cats more than dogs")
    order_b = Parameter(Text(), "I like dogs more than cats")


class Steps:
    form = Parameter(OneOf(("vector", "matrix")), "vector")
    step = Parameter(
        OneOf(("x", "qkv", "dots", "scores", "mask", "softmax", "context", "concat", "out")),
        "dots",
    )
    which = Parameter(OneOf(("q", "k", "v")), "q")


class Numbers:
    """The source of the numbers on the page of steps, and numbers that were typed."""

    case = Parameter(OneOf(("model", "toy", "two_scores", "two_heads", "masked_hundred")), "model")
    toy_q: Parameter[str | None] = Parameter(Text(), None)
    toy_k: Parameter[str | None] = Parameter(Text(), None)
    toy_v: Parameter[str | None] = Parameter(Text(), None)
    toy_x: Parameter[str | None] = Parameter(Text(), None)


class WhatIf:
    """The change of one attention, on the page of steps."""

    unscaled = Parameter(YES_OR_NO, False)
    unmasked = Parameter(YES_OR_NO, False)
    off_head: Parameter[int | None] = Parameter(_heads, None)


class Stack:
    word: Parameter[int | None] = Parameter(Whole(0, MAX_TOKENS), None, limited_by_page=True)
    stop: Parameter[int | None] = Parameter(Whole(0, 999), None, limited_by_page=True)
    stack_shows: Parameter[str | None] = Parameter(OneOf(("stop", "stream", "lens")), None)
    stop_shows = Parameter(OneOf(("values", "change")), "values")
    man: Parameter[str | None] = Parameter(Text(), None)
    man_at = Parameter(Whole(0, MAX_TOKENS - 1), 1)


class Learning:
    task: Parameter[str | None] = Parameter(OneOf(TRAINABLE), None)
    longest = Parameter(Whole(4, 24), 12)
    steps = Parameter(Whole(50, 20_000), TRAINING.steps)
    lr = Parameter(Decimal(0.00001, 0.1), TRAINING.lr)
    schedule = Parameter(OneOf(get_args(Schedule)), TRAINING.schedule)
    warmup = Parameter(Whole(0, 10_000), TRAINING.warmup)
    batch = Parameter(Whole(4, 256), TRAINING.batch_size)
    smoothing = Parameter(Decimal(0.0, 0.5), TRAINING.label_smoothing)
    clip = Parameter(Decimal(0.0, 100.0), TRAINING.clip)
    lone = Parameter(Decimal(0.0, 0.9), TRAINING.lone_heads)
    train_seed = Parameter(SEEDS, TRAINING.seed)
    learning = Parameter(OneOf(ATTENTION_KINDS), "cross")
    learning_layer: Parameter[int | None] = Parameter(Whole(1, 6), None, limited_by_page=True)
    replay: Parameter[int | None] = Parameter(Whole(0, 20_000), None, limited_by_page=True)


class Decoding:
    method: Parameter[Method] = Parameter(OneOf(get_args(Method)), "greedy")
    width = Parameter(OneOf((1, 2, 3, 4, 6, 8)), 4)
    heat = Parameter(OneOf(TEMPERATURES), 1.0)
    top_k = Parameter(OneOf((1, 2, 3, 5, 10, 20, "all")), "all")
    top_p = Parameter(OneOf((0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)), 1.0)
    dice = Parameter(SEEDS, 0)
    at: Parameter[int | None] = Parameter(Whole(1, 999), None, limited_by_page=True)
    writing_layer: Parameter[int | None] = Parameter(Whole(1, 99), None, limited_by_page=True)
    # Of which sentence; then places in its answer, from 0, each with the id that is written there.
    own_words: Parameter[str | None] = Parameter(
        Text(r"[0-9a-f]{4}(-\d{1,3}\.\d{1,7}){1,40}", mark("a name, as in a copied link")),
        None,
    )


class Predict:
    questions = Parameter(SEEDS, 0)
    topic: Parameter[Topic | All] = Parameter(OneOf(("all", *TOPICS)), "all")
    question = Parameter(Whole(1, SET_SIZE + 1), 1, limited_by_page=True)
    kind: Parameter[str | None] = Parameter(Renamed(tuple(KINDS), NEAREST), None)  # of the question


HEAD_NAME: Final = Text(
    r"(encoder|decoder|cross)-\d{1,2}-\d{1,3}",
    mark("an attention, a layer and a head, such as cross-3-2"),
)


class Lab:
    differs: Parameter[str] = Parameter(
        OneOf(("sentence", "head", "mistake")),
        # An untrained model numbers words as they come: another order gives it the same numbers.
        lambda chosen: (
            "mistake"
            if chosen.get("which_mistake") or chosen.get(Frame.weights.key) == UNTRAINED_NAME
            else "sentence"
        ),
    )
    other_sentence: Parameter[str | None] = Parameter(Text(), None)
    lost_head: Parameter[str | None] = Parameter(HEAD_NAME, None)
    which_mistake: Parameter[str | None] = Parameter(OneOf(tuple(MISTAKES)), None)


class Why:
    # What the page has for researchers; "parts" stands in sight.
    ask: Parameter[str | None] = Parameter(
        OneOf(("words", "parts", "difference", "heads", "score")), None
    )
    why_at: Parameter[int | None] = Parameter(
        Whole(0, 2 * MAX_TOKENS), None, limited_by_page=True
    )  # the position in question
    rival: Parameter[str | None] = Parameter(Text(), None)
    why_dimension = Parameter(Whole(0, 1023), 0, limited_by_page=True)
    why_other: Parameter[str | None] = Parameter(Text(), None)  # the other sentence
    why_head: Parameter[str | None] = Parameter(HEAD_NAME, None)


class Glossary:
    term: Parameter[str | None] = Parameter(
        Text(r"[a-z-]{1,40}", mark("a word of the glossary, such as beam-search")), None
    )


def text_key(side: str, row: int) -> str:
    """The key of a sentence: src, tgt, src2, tgt2, …"""
    return side if row == 0 else f"{side}{row + 1}"


TEXT_KEYS: Final = tuple(text_key(side, row) for row in range(MAX_ROWS) for side in ("src", "tgt"))
AROUND: Final = keys_of(Frame)
