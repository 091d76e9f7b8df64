"""What a person has set, and which addresses can say it.

The address in the browser's bar carries every setting. What a bound widget cannot be given is
mended here, before any widget sees it, and the person is told.
"""

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

from explorer.config import ModelConfig, Schedule, head_choices
from explorer.positional import VARIANTS
from explorer.runtime.device import available_devices
from explorer.tasks.grammar import Words
from explorer.tasks.tasks import TASKS, Task, words_of
from explorer.text import MAX_PAIRS, MAX_TOKENS, VOCAB_SIZE, Batch, Level, Side, tokenize
from explorer.transformer import AttentionKind

MAX_ROWS: Final = 20  # a few more than the model reads, so that nothing typed is lost
DROPOUTS: Final = (0.0, 0.1, 0.2, 0.3, 0.5)
DEFAULT_D_MODEL: Final = 64
DEFAULT_HEADS: Final = 4
DEFAULT_LAYERS: Final = 2
OWN_PAIRS: Final = "your own pairs"
TRAINED: Final = ("reverse", "copy", "sort", "numbers", "german", OWN_PAIRS)
HERE: Final = "trained here"
WEIGHTS: Final = (*TASKS, HERE, "untrained")
COLOURS: Final = ("0 to 1", "0 to largest")
CASES: Final = ("this model", "toy numbers", "two heads by hand", "0 to 99, masked")
FORMS: Final = ("vector", "matrix")
TEMPERATURES: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0)
TOP_KS: Final = ("1", "2", "3", "5", "10", "20", "all")
TOP_PS: Final = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
WIDTHS: Final = (1, 2, 3, 4, 6, 8)
Method = Literal["greedy", "beam search", "sampling"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)
STREAM_MEASURES: Final = ("likeness to the start", "change", "norm")
MISTAKES: Final = ("PAD queries hidden", "columns read as sentences")
BASES: Final = (10, 100, 1000, 10_000, 100_000)
ASPECTS: Final = ("encoding", "waves", "input + encoding", "similarity", "why order matters")
LINK_CHARACTERS: Final = 24_000  # servers refuse addresses much longer than this

DEFAULT_SOURCES: Final = (
    "the animal didn't cross the street because it was too tired",
    "he made me an offer that I can't refuse so I said yes",
)
DEFAULT_TARGETS: Final = (
    "das Tier ging nicht über die Straße weil es zu müde war",
    "er machte mir ein Angebot das ich nicht ablehnen kann also sagte ich ja",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Which weights the pictures show."""

    kind: Literal["untrained", "shipped", "here"] = "untrained"
    task: Task | None = None  # that they were trained on
    accuracy: float = 0.0  # on held-out sentences, 0 to 1
    steps: int = 0
    token: Hashable = None  # of weights trained here
    missing: str = ""  # why not the weights that were chosen


UNTRAINED: Final = Weights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that decides what is on screen, the page's own choices aside."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    level: Level
    pad_id: int
    side: Side
    length: int | None
    row: int  # which pair the pictures of one sentence show, from 0
    d_model: int
    n_heads: int
    n_encoder_layers: int
    n_decoder_layers: int
    d_ff: int | None
    norm_first: bool
    dropout: float
    dropout_seed: int
    seed: int
    device: str
    theme: Literal["light", "dark"]
    weights: Weights = UNTRAINED
    answers: tuple[Words, ...] | None = None  # in place of the typed targets, the model's own

    @property
    def config(self) -> ModelConfig:
        """The model that these settings describe."""
        pad_id = self.pad_id if self.level == "ids" else 0
        task = self.weights.task
        src_size, tgt_size = (
            (VOCAB_SIZE, VOCAB_SIZE) if task is None else (v.size for v in task.vocabularies)
        )
        return ModelConfig(
            d_model=self.d_model,
            n_heads=self.n_heads,
            n_encoder_layers=self.n_encoder_layers,
            n_decoder_layers=self.n_decoder_layers,
            d_ff=self.d_ff or 4 * self.d_model,
            dropout=self.dropout,
            norm_first=self.norm_first,
            src_vocab_size=src_size,
            tgt_vocab_size=tgt_size,
            src_pad_id=pad_id,
            tgt_pad_id=pad_id,
        )

    def batch(self) -> Batch:
        """The pairs as the model reads them."""
        return _batch(
            self.sources,
            self.targets,
            self.level,
            self.pad_id,
            self.side,
            self.length,
            self.weights.task,
            self.answers,
        )


@lru_cache(maxsize=8)  # the frame, the page and the model ask for it in one run
def _batch(
    sources: tuple[str, ...],
    targets: tuple[str, ...],
    level: Level,
    pad_id: int,
    side: Side,
    length: int | None,
    task: Task | None,
    answers: tuple[Words, ...] | None,
) -> Batch:
    if task is not None:
        src_words = [tuple(task.split(text)) for text in sources]
        tgt_words = [tuple(tokenize(text)) for text in targets] if answers is None else answers
        read = [words_of(task, text) for text in sources[:MAX_PAIRS]]
        # What an answer says has its id from the source, or is called by its number.
        typed = [words[:MAX_TOKENS] for words in tgt_words[:MAX_PAIRS]] if answers is None else ()
        vocabularies = task.read(read, typed)
        # A note would come and go with every key press; the answer's field says so instead.
        return Batch.from_words(
            src_words, tgt_words, *vocabularies, side=side, length=length,
            note_unknown=answers is None,
        )  # fmt: skip
    if level == "ids":
        return Batch.from_ids(sources, targets, pad_id=pad_id, side=side, length=length)
    return Batch.from_text(sources, targets, level=level, side=side, length=length)


def default_heads(d_model: int, wanted: int = DEFAULT_HEADS) -> int:
    """The largest number of heads, `wanted` at most, that divides d_model."""
    return max(heads for heads in head_choices(d_model) if heads <= max(1, wanted))


Check = Callable[[str], tuple[str | None, str]]  # the value to use or None, and what is possible


def _whole(low: int, high: int) -> Check:
    def check(text: str) -> tuple[str | None, str]:
        possible = f"a whole number from {low:,} to {high:,}"
        if not re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII):
            return None, possible
        return str(min(max(int(text), low), high)), possible

    return check


def _decimal(low: float, high: float) -> Check:
    def check(text: str) -> tuple[str | None, str]:
        possible = f"a number from {low:g} to {high:g}"
        if not re.fullmatch(r"[+-]?(\d{1,6}(\.\d{0,12})?|\.\d{1,12})", text, re.ASCII):
            return None, possible
        return (text if low <= float(text) <= high else None), possible

    return check


def _one_of(*options: str) -> Check:
    possible = ", ".join(options)
    return lambda text: (text if text in options else None, f"one of {possible}")


YES_NO: Final = _one_of("true", "false")
CHECKS: Final[dict[str, Check]] = {
    "weights": _one_of(*WEIGHTS),
    "pairs": _whole(1, MAX_ROWS),
    "tokens": _one_of("words", "characters", "ids"),
    "pad_id": _whole(0, VOCAB_SIZE - 1),
    "side": _one_of("right", "left"),
    "length": _whole(1, MAX_TOKENS),
    "d_model": _whole(8, 1024),
    "enc": _whole(1, 6),
    "dec": _whole(1, 6),
    "d_ff": _whole(1, 8192),
    "norm": _one_of("post", "pre"),
    "dropout": _one_of(*map(str, DROPOUTS)),
    "dropout_seed": _whole(0, 999_999),
    "seed": _whole(0, 999_999),
    "attention": _one_of("encoder", "decoder", "cross"),
    "scale": _one_of(*COLOURS),
    "typed_target": YES_NO,
    "task": _one_of(*TRAINED),
    "longest": _whole(4, 24),
    "steps": _whole(50, 20_000),
    "lr": _decimal(0.00001, 0.1),
    "schedule": _one_of(*get_args(Schedule)),
    "warmup": _whole(0, 10_000),
    "batch": _whole(4, 256),
    "smoothing": _decimal(0.0, 0.5),
    "clip": _decimal(0.0, 100.0),
    "lone": _decimal(0.0, 0.9),
    "train_seed": _whole(0, 999_999),
    "method": _one_of(*METHODS),
    "width": _one_of(*map(str, WIDTHS)),
    "heat": _one_of(*map(str, TEMPERATURES)),
    "top_k": _one_of(*TOP_KS),
    "top_p": _one_of(*map(str, TOP_PS)),
    "dice": _whole(0, 999_999),
    "at": _whole(1, 999),
    "writing_layer": _whole(1, 6),
    "learning": _one_of(*get_args(AttentionKind)),
    "learning_layer": _whole(1, 6),
    "hide_pad": YES_NO,
    "aspect": _one_of(*ASPECTS),
    "positions": _whole(8, 256),
    "base": _one_of(*map(str, BASES)),
    "formula": _one_of(*VARIANTS),
    "input": _one_of("sentence on show", "six ids, d_model 4"),
    "scaled": YES_NO,
    "rule": _one_of(*MISTAKES),
    "case": _one_of(*CASES),
    "form": _one_of(*FORMS),
    "step": _one_of("x", "q k v", "q·k", "÷ √d_k", "mask", "softmax", "× v", "concat", "× W_O"),
    "stop": _whole(0, 999),
    "stop_shows": _one_of("values", "change"),
    "stream": _one_of(*STREAM_MEASURES),
    "word": _whole(0, MAX_TOKENS),
    "which": _one_of("q", "k", "v"),
    "query": _whole(0, MAX_TOKENS),
    "key": _whole(0, MAX_TOKENS),
    "unscaled": YES_NO,
    "unmasked": YES_NO,
    "temperature": _one_of(*map(str, TEMPERATURES)),
}


# Of these only the page knows how many there are.
LIMITED_BY_PAGE: Final = {"at", "writing_layer", "learning_layer", "stop", "word", "query", "key"}


def clean_query(params: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The parameters of an address with everything impossible taken out, and notes that say so.

    Unknown parameters pass: they are nobody's business here.
    """
    clean: dict[str, str] = {}
    notes: list[str] = []

    def mend(name: str, check: Check) -> None:
        if name not in params:
            return
        value, possible = check(params[name])
        if value is not None:
            clean[name] = value
        if value != params[name]:
            used = clean.get(name, "its usual value")
            if name in LIMITED_BY_PAGE and name in clean:
                used = "the nearest one"
            notes.append(
                f"The link's {name}={_short(params[name])} is not possible ({possible}): "
                f"{used} is used."
            )

    dependent = ("heads", "head", "off_head", "layer", "pair", "device")
    clean |= {name: text for name, text in params.items() if name not in {*CHECKS, *dependent}}
    if params.get("tgt"):  # whoever made the link wanted this target to be read
        clean["typed_target"] = "true"
    for name, check in CHECKS.items():
        mend(name, check)
    mend("device", _one_of(*available_devices()))
    # What these may be depends on the others.
    d_model = int(clean.get("d_model", DEFAULT_D_MODEL))
    mend("heads", _heads_of(d_model))
    heads = int(clean.get("heads", default_heads(d_model)))
    mend("head", _whole(1, heads))
    mend("off_head", _whole(1, heads))
    stack = "enc" if clean.get("attention", "encoder") == "encoder" else "dec"
    mend("layer", _whole(1, int(clean.get(stack, DEFAULT_LAYERS))))
    pairs = int(clean.get("pairs", len(DEFAULT_SOURCES)))
    mend("pair", _whole(1, min(pairs, MAX_PAIRS)))
    return clean, notes


def _heads_of(d_model: int) -> Check:
    def check(text: str) -> tuple[str | None, str]:
        possible = f"a divisor of d_model={d_model}: {', '.join(map(str, head_choices(d_model)))}"
        wanted = int(text) if re.fullmatch(r"\d{1,4}", text, re.ASCII) else DEFAULT_HEADS
        return str(default_heads(d_model, wanted)), possible

    return check


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"
