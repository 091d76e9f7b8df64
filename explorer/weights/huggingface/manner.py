"""How a pretrained model writes, by its files, in the order in which `transformers` applies it.

generation_config.json counts where there is one, and config.json only where there is none.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from explorer.names import Manner
from explorer.rules import EndAt, Logits, NoEndBefore, NoRepeat, Penalty, Reading
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
    "token_healing": (False,),
    "min_new_tokens": (0,),
    "encoder_repetition_penalty": (1,),
    "encoder_no_repeat_ngram_size": (0,),
    **dict.fromkeys(
        (
            "sequence_bias", "suppress_tokens", "begin_suppress_tokens", "stop_strings",
            "exponential_decay_length_penalty", "force_words_ids", "constraints",
            "forced_decoder_ids", "dola_layers", "watermarking_config", "max_time",
        ),
        ([],),
    ),
}  # fmt: skip


def settings_of(config: Settings) -> Settings:
    """The settings that count: those of generation_config.json, or of config.json by itself."""
    found: Settings = config.get(WRITING, config)
    return found


def ids_in(value: Any, size: int) -> tuple[int, ...]:
    """One id or a list of them, as far as they are ids of the vocabulary."""
    listed = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(i for i in listed if type(i) is int and 0 <= i < size))


def never_written(how: Settings, size: int, ends: tuple[int, ...]) -> tuple[int, ...]:
    """The ids that no answer contains: bad words of one id. An end cannot be a bad word."""
    given = how.get("bad_words_ids")
    words = [ids for ids in given if isinstance(ids, list)] if isinstance(given, list) else []
    alone = [ids[0] for ids in words if len(ids) == 1]
    return tuple(i for i in ids_in(alone, size) if i not in ends)


def manner(how: Settings, size: int, ends: tuple[int, ...]) -> Manner:
    """The manner in which a model with this vocabulary writes answers that end so.

    Raises:
        ValueError: if a setting is not of the kind that it has to be.
    """
    rules = dict(_rules(how, size, tuple(end for end in ends if end >= 0)))
    most = "max_new_tokens" if _whole(how, "max_new_tokens") else "max_length"
    without_rule = {
        "forced_bos_token_id": ids_in(how.get("forced_bos_token_id"), size),
        "bad_words_ids": never_written(how, size, ends),
        most: 0 < _whole(how, most) < MAX_TOKENS,  # here no answer is longer
    }
    followed = [*(name for name, counts in without_rule.items() if counts), *rules]
    return Manner(
        rules=tuple(rules.values()),
        max_length=_whole(how, "max_length") or None,
        max_new=_whole(how, "max_new_tokens") or None,
        followed=tuple(_shown(how, name) for name in followed),
        not_followed=tuple(_shown(how, name) for name in _not_followed(how)),
    )


def _rules(how: Settings, size: int, ends: tuple[int, ...]) -> Iterator[tuple[str, Rule]]:
    """Every rule that the settings ask for, after the name of its setting."""
    if (penalty := _penalty(how)) != 1.0:
        yield "repetition_penalty", Penalty(penalty)
    if n := _whole(how, "no_repeat_ngram_size"):
        yield "no_repeat_ngram_size", NoRepeat(n)
    if (least := _whole(how, "min_length")) and ends:
        yield "min_length", NoEndBefore(least, ends)
    forced = ids_in(how.get("forced_eos_token_id"), size)
    most_new, most = _whole(how, "max_new_tokens"), _whole(how, "max_length")
    if forced and (most_new or most):  # elsewhere the explorer's own limit cuts an answer off
        yield "forced_eos_token_id", EndAt(most_new or most, forced, new=bool(most_new))


def _not_followed(how: Settings) -> Iterator[str]:
    for name, usual in _NOT_FOLLOWED.items():
        if (value := how.get(name)) is not None and value not in usual:
            yield name
            more = {"num_beams": _SEARCHES, "do_sample": _SAMPLES}.get(name, ())
            yield from (other for other in more if how.get(other) is not None)
    bad = how.get("bad_words_ids")
    if isinstance(bad, list) and any(isinstance(ids, list) and len(ids) > 1 for ids in bad):
        yield "bad_words_ids"


def _whole(how: Settings, name: str) -> int:
    value = how.get(name)
    if value is None:
        return 0
    if type(value) is not int or value < 0:
        raise _wrong(name, "a whole number from 0", value)
    return value


def _penalty(how: Settings) -> float:
    value = how.get("repetition_penalty", 1.0)
    if value is None:
        return 1.0
    if type(value) not in (int, float) or not 0 < value < math.inf:
        raise _wrong("repetition_penalty", "a number above 0", value)
    return float(value)


def _wrong(name: str, kind: str, value: Any) -> ValueError:
    return ValueError(f"{name} must be {kind}, got {repr(value)[:60]}")


def _shown(how: Settings, name: str) -> str:
    """A setting as its file has it, cut where it is long."""
    value = str(how[name])
    return f"{name} = {value if len(value) <= 30 else value[:29] + '…'}"
