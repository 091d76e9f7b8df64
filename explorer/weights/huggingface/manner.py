"""How a pretrained model writes, by its files, in the order in which `transformers` applies it.

generation_config.json counts where there is one, and config.json only where there is none.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from explorer.names import Manner
from explorer.rules import (
    Bias,
    EndAt,
    LikelierEnd,
    Logits,
    NoEndBefore,
    NoRepeat,
    NotFirst,
    Penalty,
    Reading,
)
from explorer.text import MAX_TOKENS

Settings = Mapping[str, Any]
Rule = Callable[[Logits, Reading], Logits]
WRITING: Final = "generation"  # the key of these settings in a description's `hf_config`

_SAMPLES: Final = ("temperature", "top_k", "top_p", "min_p", "typical_p", "epsilon_cutoff")
_SEARCHES: Final = ("length_penalty", "early_stopping", "num_beam_groups", "diversity_penalty")
# Settings that change an answer and are no rules here, with the values that change nothing.
_NOT_FOLLOWED: Final[Mapping[str, tuple[Any, ...]]] = {
    "num_beams": (1,),
    "do_sample": (False,),
    "guidance_scale": (1,),
    "penalty_alpha": (0,),
    "dola_layers": (),
    "watermarking_config": (),
    "stop_strings": (),
    "max_time": (),
    "token_healing": (False,),
    "force_words_ids": (),
    "constraints": (),
    "forced_decoder_ids": (),
}


def settings_of(config: Settings) -> Settings:
    """The settings that count: those of generation_config.json, or of config.json by itself."""
    found: Settings = config.get(WRITING, config)
    return found


def ids_in(value: Any, size: int) -> tuple[int, ...]:
    """One id or a list of them, as far as they are ids of the vocabulary."""
    listed = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(i for i in listed if type(i) is int and 0 <= i < size))


def never_written(how: Settings, size: int, ends: tuple[int, ...]) -> tuple[int, ...]:
    """The ids that no answer contains. An end cannot be a bad word."""
    bad = [ids[0] for ids in _bad_words(how, size, ends) if len(ids) == 1]
    return tuple(dict.fromkeys((*bad, *ids_in(how.get("suppress_tokens"), size))))


def manner(how: Settings, size: int, ends: tuple[int, ...]) -> Manner:
    """The manner in which a model with this vocabulary writes answers that end so.

    Raises:
        ValueError: if a setting is not of the kind that it has to be.
    """
    rules = list(_rules(how, size, tuple(end for end in ends if end >= 0)))
    without_rule, named = _without_rule(how, size, ends), (name for name, _ in rules)
    return Manner(
        rules=tuple(rule for _, rule in rules),
        max_length=_whole(how, "max_length") or None,
        max_new=_whole(how, "max_new_tokens") or None,
        followed=tuple(_shown(how, name) for name in dict.fromkeys([*without_rule, *named])),
        not_followed=tuple(_shown(how, name) for name in _not_followed(how)),
    )


def _rules(how: Settings, size: int, ends: tuple[int, ...]) -> Iterator[tuple[str, Rule]]:
    """Every rule that the settings ask for, with the name of its setting."""
    if biases := _biases(how, size):
        yield "sequence_bias", Bias(biases)
    for name, of_source in (("encoder_repetition_penalty", True), ("repetition_penalty", False)):
        if (penalty := _number(how, name, 1.0)) != 1.0:
            yield name, Penalty(1 / penalty if of_source else penalty, of_source)
    for name, of_source in (
        ("no_repeat_ngram_size", False),
        ("encoder_no_repeat_ngram_size", True),
    ):
        if n := _whole(how, name):
            yield name, NoRepeat(n, of_source)
    several = [ids for ids in _bad_words(how, size, ends) if len(ids) > 1]
    if several:
        yield "bad_words_ids", Bias(tuple((ids, -math.inf) for ids in several))
    new = how.get("min_new_tokens") is not None  # 0 counts, too
    name = "min_new_tokens" if new else "min_length"
    if (least := _whole(how, name)) and ends:
        yield name, NoEndBefore(least, ends, new=new)
    forced = ids_in(how.get("forced_eos_token_id"), size)
    most_new, most = _whole(how, "max_new_tokens"), _whole(how, "max_length")
    if forced and (most_new or most):  # elsewhere the explorer's own limit cuts an answer off
        yield "forced_eos_token_id", EndAt(most_new or most, forced, new=bool(most_new))
    if (decay := how.get("exponential_decay_length_penalty")) is not None and ends:
        if not (isinstance(decay, list) and len(decay) == 2 and all(map(_is_number, decay))):
            raise _wrong("exponential_decay_length_penalty", "two numbers", decay)
        yield "exponential_decay_length_penalty", LikelierEnd(int(decay[0]), decay[1], ends)
    if first := ids_in(how.get("begin_suppress_tokens"), size):
        given = how.get("forced_bos_token_id") is not None
        yield "begin_suppress_tokens", NotFirst(first, forced=given)


def _without_rule(how: Settings, size: int, ends: tuple[int, ...]) -> Iterator[str]:
    """The names of settings that count in another way, where they can change an answer."""
    if ids_in(how.get("forced_bos_token_id"), size):
        yield "forced_bos_token_id"
    if _bad_words(how, size, ends):
        yield "bad_words_ids"
    if ids_in(how.get("suppress_tokens"), size):
        yield "suppress_tokens"
    most = "max_new_tokens" if _whole(how, "max_new_tokens") else "max_length"
    if 0 < _whole(how, most) < MAX_TOKENS:  # here no answer is longer
        yield most


def _not_followed(how: Settings) -> Iterator[str]:
    for name, usual in _NOT_FOLLOWED.items():
        if (value := how.get(name)) is not None and value not in usual:
            yield name
            more = {"num_beams": _SEARCHES, "do_sample": _SAMPLES}.get(name, ())
            yield from (other for other in more if how.get(other) is not None)


def _biases(how: Settings, size: int) -> tuple[tuple[tuple[int, ...], float], ...]:
    given = how.get("sequence_bias")
    if given is None:
        return ()
    pairs = given if isinstance(given, list) else [given]
    if not all(isinstance(pair, list) and len(pair) == 2 and _is_number(pair[1]) for pair in pairs):
        raise _wrong("sequence_bias", "a list of pairs: ids, and a number", given)
    found = {_sequence(ids, size): float(added) for ids, added in pairs}
    return tuple((ids, added) for ids, added in found.items() if ids)


def _bad_words(how: Settings, size: int, ends: tuple[int, ...]) -> list[tuple[int, ...]]:
    given = how.get("bad_words_ids")
    found = [_sequence(ids, size) for ids in given] if isinstance(given, list) else []
    return [ids for ids in found if ids and not (len(ids) == 1 and ids[0] in ends)]


def _sequence(ids: Any, size: int) -> tuple[int, ...]:
    """Ids of the vocabulary in a row; nothing if one of them is none."""
    known = isinstance(ids, list) and all(type(i) is int and 0 <= i < size for i in ids)
    return tuple(ids) if known else ()


def _whole(how: Settings, name: str) -> int:
    value = how.get(name)
    if value is None:
        return 0
    if type(value) is not int or value < 0:
        raise _wrong(name, "a whole number from 0", value)
    return value


def _number(how: Settings, name: str, usual: float) -> float:
    value = how.get(name)
    if value is None:
        return usual
    if not _is_number(value) or not value > 0:
        raise _wrong(name, "a number above 0", value)
    return float(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _wrong(name: str, kind: str, value: Any) -> ValueError:
    return ValueError(f"{name} must be {kind}, got {repr(value)[:60]}")


def _shown(how: Settings, name: str) -> str:
    """A setting as its file has it, cut where it is long."""
    value = str(how[name])
    return f"{name} = {value if len(value) <= 30 else value[:29] + '…'}"
