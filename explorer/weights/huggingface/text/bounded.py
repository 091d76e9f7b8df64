"""Whether a tokenizer.json from anybody takes time and memory in proportion to a text.

Nothing in such a file is executed. But its steps can double a text again and again, or hold a
regular expression that tries every way to match.
"""

import base64
import json
import string
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tokenizers import Tokenizer

from explorer.weights.huggingface.text.pieces import is_failure, read_trained

_REPEATABLE: Final = ("Replace", "Split", "Sequence", "Strip", "Punctuation")
_MAX_STEPS: Final = 16  # of one kind, such as normalizers
_LONGEST: Final = 16  # characters or tokens that one step adds
_LONGEST_WORD: Final = 1000  # characters; WordPiece tries every part of a word
_LONGEST_MAPPED: Final = 64  # bytes that stand for a character; Unicode's own have up to 33
# GPT-2's pattern, and those of later tokenizers: their alternatives exclude each other, and none of
# them matches between two characters, as x* and $ do.
_PATTERNS: Final = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    " {2,}", r"\s+", r"\s", r"\s{2,}", r"[\n\r\t]", r"\s{2,}|[\n\r\t]", r"\d", "[0-9]",
)  # fmt: skip
_SAMPLE: Final = string.ascii_letters + string.digits + " ."
_MAX_GROWTH: Final = 4


def require_bounded(path: Path) -> None:
    """Refuse a tokenizer.json that could take unlimited time, or make a long text of a short one.

    Raises:
        ValueError: if it could; the message says by what.
    """
    trained = read_trained(path)
    for part in (
        trained.normalizer,
        trained.pre_tokenizer,
        trained.post_processor,
        trained.decoder,
    ):
        if part is None:
            continue
        steps = list(_steps(json.loads(part.__getstate__())))
        kinds = Counter(step["type"] for step in steps)
        repeated = [kind for kind, n in kinds.items() if n > 1 and kind not in _REPEATABLE]
        if len(steps) > _MAX_STEPS or repeated:
            raise ValueError(f"{path.name} has more steps than a tokenizer needs: {_listed(kinds)}")
        for step in steps:
            _require_bounded_step(path.name, step)
    _require_little_growth(path.name, trained)
    model = trained.model
    affixes = ("continuing_subword_prefix", "end_of_word_suffix")
    if (
        any(len(getattr(model, name, None) or "") > _LONGEST for name in affixes)
        or getattr(model, "max_input_chars_per_word", 0) > _LONGEST_WORD
    ):
        raise ValueError(f"{path.name} has longer prefixes or words than a tokenizer needs")


def _steps(part: Any) -> Iterator[dict[str, Any]]:
    """Every step in the description of a tokenizer's part."""
    if isinstance(part, dict):
        if isinstance(part.get("type"), str):
            yield part
        for inner in part.values():
            yield from _steps(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _steps(inner)


def _require_bounded_step(name: str, step: dict[str, Any]) -> None:
    kind, pattern = step["type"], step.get("pattern")
    text = regex = None
    if isinstance(pattern, dict):
        text, regex = pattern.get("String"), pattern.get("Regex")
    if regex is not None and regex not in _PATTERNS:
        raise ValueError(f"{name} has a regular expression that is not known here: {regex[:80]!r}")
    if kind == "Replace" and not (text or regex):
        raise ValueError(f"{name} may add text where there is none")
    added = step.get("content", step.get("prepend", "")) if kind in ("Replace", "Prepend") else ""
    longest = _LONGEST if kind == "Prepend" else max(1, len(text or ""))
    if len(added) > longest:
        raise ValueError(f"{name} replaces a text by a longer one: {added[:40]!r}")
    if kind == "TemplateProcessing" and not _is_short_template(step):
        raise ValueError(f"{name} adds more tokens to a text than a tokenizer needs")
    if kind == "Precompiled" and not _is_short_map(step["precompiled_charsmap"]):
        raise ValueError(f"{name} maps a character to a longer text than Unicode does")


def _require_little_growth(name: str, trained: Tokenizer) -> None:
    """Ordinary text stays about as long as it is, whatever the steps do together."""
    if trained.normalizer is None:
        return
    try:
        changed = trained.normalizer.normalize_str(_SAMPLE)
    except BaseException as error:  # such as a panic at a damaged map
        if not is_failure(error):
            raise
        raise ValueError(f"{name} cannot normalise a text: {str(error)[:300]}") from None
    if len(changed) > _MAX_GROWTH * len(_SAMPLE):
        raise ValueError(f"{name} makes a text more than {_MAX_GROWTH} times as long")


def _is_short_template(step: dict[str, Any]) -> bool:
    """Whether a text is in the template once, with a few special tokens around it."""
    template = step["single"]
    texts = sum("Sequence" in piece for piece in template)
    ids = max((len(token["ids"]) for token in step["special_tokens"].values()), default=0)
    return texts <= 1 and len(template) <= _LONGEST and ids <= _LONGEST


def _is_short_map(written: Any) -> bool:
    """Whether the texts that stand for characters are short: after the trie, each ends with 0."""
    content = base64.b64decode(written) if isinstance(written, str) else bytes(written)
    texts = content[4 + int.from_bytes(content[:4], "little") :].split(b"\0")
    return max(map(len, texts)) <= _LONGEST_MAPPED


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} × {number}" for kind, number in kinds.items())[:200]
