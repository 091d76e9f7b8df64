"""A tokenizer.json from anybody takes time and memory in proportion to a text."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from explorer.weights.huggingface.text.bounded import require_bounded
from explorer.weights.huggingface.text.pieces import read_trained

PLAIN: dict[str, Any] = {
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"a": 0, "[UNK]": 1}, "unk_token": "[UNK]"},
}  # fmt: skip
SEQUENCE = {"Sequence": {"id": "A", "type_id": 0}}
CLS = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
PAIR = [SEQUENCE, {"Sequence": {"id": "B", "type_id": 0}}]
SPACE = {"String": " "}
BYTES = {
    "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False,
}  # fmt: skip


def tokenizer_file(folder: Path, **parts: Any) -> Path:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps({**PLAIN, **parts}))
    return path


def replacing(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def splitting(regex: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def template(*single: dict[str, Any], ids: int = 1) -> dict[str, Any]:
    known = {"id": "[CLS]", "ids": [0] * ids, "tokens": ["a"] * ids}
    return {
        "type": "TemplateProcessing", "single": list(single), "pair": PAIR,
        "special_tokens": {"[CLS]": known},
    }  # fmt: skip


def mapping(*texts: bytes) -> dict[str, Any]:
    """An empty trie, and the texts that it could name."""
    content = (2048).to_bytes(4, "little") + bytes(2048) + b"".join(text + b"\0" for text in texts)
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(content).decode()}


def mapping_all(text: bytes) -> dict[str, Any]:
    """A trie that gives every ASCII character this text: the numbers are those of darts-clone."""
    root, leaf = 256 << 10, 256 << 10 | 1 << 8
    units = [root, *[0] * 255, *(leaf | character for character in range(256))]
    trie = b"".join(unit.to_bytes(4, "little") for unit in units)
    content = len(trie).to_bytes(4, "little") + trie + text + b"\0"
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(content).decode()}


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"normalizer": {"type": "NFKC"}},
        {"normalizer": {"type": "Sequence", "normalizers": [
            replacing({"String": "``"}, '"'), replacing({"String": "''"}, '"'),
            replacing({"Regex": " {2,}"}, "▁"), {"type": "Prepend", "prepend": "▁"},
            mapping("صلى الله عليه وسلم".encode()),
        ]}},
        {"normalizer": {"type": "Sequence", "normalizers": [
            replacing({"Regex": regex}, " ")
            for regex in (r"\s+", r"[\n\r\t]", r"\s{2,}")
        ]}},
        {"normalizer": mapping_all(b"abcd")},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            splitting(r"\s+"), splitting("[0-9]"), BYTES,
        ]}},
        {"pre_tokenizer": splitting(
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        )},
        {"post_processor": template(CLS, SEQUENCE)},
        {"decoder": {"type": "Sequence", "decoders": [
            replacing({"String": "▁"}, " "), {"type": "ByteFallback"}, {"type": "Fuse"},
        ]}},
    ],
)  # fmt: skip
def test_usual_tokenizers_are_allowed(parts: dict[str, Any], tmp_path: Path) -> None:
    require_bounded(tokenizer_file(tmp_path, **parts))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"normalizer": replacing({"String": "a"}, "aa")}, "replaces a text by a longer one"),
        ({"normalizer": replacing({"Regex": r"\d"}, "aa")}, "replaces a text by a longer one"),
        ({"normalizer": {"type": "Prepend", "prepend": "a" * 17}}, "by a longer one"),
        ({"decoder": replacing(SPACE, "  ")}, "replaces a text by a longer one"),
        ({"normalizer": mapping(b"a" * 65)}, "maps a character to a longer text"),
        ({"normalizer": mapping_all(b"abcde")}, "makes a text more than 4 times as long"),
        ({"normalizer": replacing({"String": ""}, "a")}, "may add text where there is none"),
        ({"decoder": replacing({"String": ""}, "a")}, "may add text where there is none"),
        ({"normalizer": replacing({"Regex": "x*"}, "a")}, "regular expression that is not known"),
        ({"normalizer": replacing({"Regex": "$"}, "a")}, "regular expression that is not known"),
        ({"normalizer": replacing({"Regex": ""}, "a")}, "regular expression that is not known"),
        ({"pre_tokenizer": splitting("a" * 100_000 + "|")}, "regular expression that is not"),
        (
            {"normalizer": {"type": "Sequence", "normalizers": [{"type": "ByteLevel"}] * 2}},
            "has more steps than a tokenizer needs: Sequence × 1, ByteLevel × 2",
        ),
        (
            {"normalizer": {"type": "Sequence", "normalizers": [replacing(SPACE, "_")] * 17}},
            "has more steps than a tokenizer needs",
        ),
        ({"pre_tokenizer": splitting("(a+)+$")}, "regular expression that is not known here"),
        ({"pre_tokenizer": splitting("a*a*a*b")}, "regular expression that is not known here"),
        ({"normalizer": replacing({"Regex": "(x|x)*y"}, "")}, "regular expression that is not"),
        ({"post_processor": template(SEQUENCE, SEQUENCE)}, "adds more tokens to a text"),
        ({"post_processor": template(SEQUENCE, *[CLS] * 16)}, "adds more tokens to a text"),
        ({"post_processor": template(CLS, SEQUENCE, ids=17)}, "adds more tokens to a text"),
        (
            {"model": {"type": "WordPiece", "vocab": {"a": 0, "[UNK]": 1}, "unk_token": "[UNK]",
                       "continuing_subword_prefix": "#" * 17, "max_input_chars_per_word": 100}},
            "longer prefixes or words",
        ),
        (
            {"model": {"type": "WordPiece", "vocab": {"a": 0, "[UNK]": 1}, "unk_token": "[UNK]",
                       "continuing_subword_prefix": "##", "max_input_chars_per_word": 10**6}},
            "longer prefixes or words",
        ),
    ],
)  # fmt: skip
def test_tokenizers_that_could_grow_texts_without_end_are_refused(
    parts: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"tokenizer\.json") as error:
        require_bounded(tokenizer_file(tmp_path, **parts))
    assert message in str(error.value)


def test_a_map_that_the_package_cannot_follow_is_refused(tmp_path: Path) -> None:
    content = (4).to_bytes(4, "little") + bytes(4) + b"a\0"  # a trie without room for a letter
    damaged = {
        "type": "Precompiled", "precompiled_charsmap": base64.b64encode(content).decode(),
    }  # fmt: skip
    with pytest.raises(ValueError, match="cannot normalise a text"):
        require_bounded(tokenizer_file(tmp_path, normalizer=damaged))


def test_a_panic_of_the_package_is_an_error_like_any_other(tmp_path: Path) -> None:
    damaged = {
        "type": "Precompiled",
        "precompiled_charsmap": base64.b64encode(b"\xff" * 9).decode(),
    }
    for content in (json.dumps({**PLAIN, "normalizer": damaged}), "{", "[]", ""):
        (tmp_path / "tokenizer.json").write_text(content)
        with pytest.raises(ValueError, match=r"tokenizer\.json cannot be read: "):
            read_trained(tmp_path / "tokenizer.json")
