"""Older files of tokenizers, made into a tokenizer.json once: when a model is added or loaded."""

import json
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from explorer.weights.huggingface.text.pieces import (
    BOS_NAMES,
    EOS_NAMES,
    PAD_NAMES,
    UNK_NAMES,
    cannot_be_read,
    is_failure,
)

Pair = tuple[Tokenizer, Tokenizer]  # of sources and of targets
_MASK_NAMES: Final = ("<mask>", "[MASK]")
_SPECIAL_NAMES: Final = {*PAD_NAMES, *BOS_NAMES, *EOS_NAMES, *UNK_NAMES, *_MASK_NAMES}
_SPACE: Final = "▁"  # how SentencePiece shows the space before a word
_FAR: Final = -1e4  # the score of a letter that the other side's pieces alone have


def word_pieces(folder: Path, config: Mapping[str, Any]) -> Pair | None:
    """The pieces of BERT, from vocab.txt: one a line."""
    if not _all_in(folder, "vocab.txt"):
        return None
    lines = _text(folder / "vocab.txt").removesuffix("\n").split("\n")
    ids = {line.removesuffix("\r"): number for number, line in enumerate(lines)}
    cls, sep, _ = _require("vocab.txt", ids, "[CLS]", "[SEP]", "[UNK]")
    settings = _tokenizer_config(folder)
    made = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(
        lowercase=bool(settings.get("do_lower_case", True)),
        strip_accents=settings.get("strip_accents"),
        handle_chinese_chars=bool(settings.get("tokenize_chinese_chars", True)),
    )
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", sep), ("[CLS]", cls))
    made.decoder = decoders.WordPiece()
    return (_with_specials(made, ids),) * 2


def byte_pieces(folder: Path, config: Mapping[str, Any], *, framed: bool = True) -> Pair | None:
    """Byte-level BPE from vocab.json and merges.txt; `framed` for BART's <s> … </s>."""
    if not _all_in(folder, "vocab.json", "merges.txt"):
        return None
    ids = _ids(folder / "vocab.json")
    try:
        pairs = models.BPE.read_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
        made = Tokenizer(models.BPE(*pairs))
    except Exception as error:  # the package raises nothing more precise
        raise ValueError(f"vocab.json and merges.txt cannot be read: {error}") from error
    spaced = bool(_tokenizer_config(folder).get("add_prefix_space", False))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=spaced)
    made.decoder = decoders.ByteLevel()
    if framed:
        bos, eos = _require("vocab.json", ids, "<s>", "</s>")
        made.post_processor = processors.RobertaProcessing(
            ("</s>", eos), ("<s>", bos), add_prefix_space=spaced
        )
    return (_with_specials(made, ids),) * 2


def marian_pieces(folder: Path, config: Mapping[str, Any]) -> Pair | None:
    """Pieces of source.spm and target.spm, numbered by vocab.json (and target_vocab.json).

    A piece of one side that the other does not know is read letter by letter.
    """
    if not _all_in(folder, "vocab.json", "source.spm", "target.spm"):
        return None

    def side(model: str, vocabulary: str, size: int) -> Tokenizer:
        ids = _ids(folder / vocabulary)
        _require(vocabulary, ids, UNK_NAMES[0], EOS_NAMES[0])
        if (largest := max(ids.values())) >= size:  # every id up to it becomes a piece
            raise ValueError(
                f"the ids in {vocabulary} must lie below {size:,}, which config.json gives as the "
                f"size of the vocabulary; the largest is {largest:,}"
            )
        scores, normalizer, byte_fallback = _sentencepiece(folder / model, size)
        names = {number: piece for piece, number in ids.items()}
        pieces = [names.get(number, f"#{number}") for number in range(1 + max(names))]
        scored = [(piece, scores.get(piece, _FAR * len(piece))) for piece in pieces]
        scored += [(piece, score) for piece, score in scores.items() if piece not in ids]
        languages = [piece for piece in ids if re.fullmatch(">>.+<<", piece)]
        made = _unigram(scored, normalizer, byte_fallback, sorted(_SPECIAL_NAMES & ids.keys()))
        made.add_tokens([AddedToken(it, normalized=False) for it in languages])
        return made

    own, size = "target_vocab.json", config["vocab_size"]
    targets = own if _all_in(folder, own) else "vocab.json"
    return (
        side("source.spm", "vocab.json", size),
        side("target.spm", targets, config.get("decoder_vocab_size") or size),
    )


def t5_pieces(folder: Path, config: Mapping[str, Any]) -> Pair | None:
    """Pieces of spiece.model by its own ids; after them the sentinels, the last one first."""
    if not _all_in(folder, "spiece.model"):
        return None
    scores, normalizer, byte_fallback = _sentencepiece(
        folder / "spiece.model", config["vocab_size"], controls=True
    )
    _require("spiece.model", scores, UNK_NAMES[0], EOS_NAMES[0])
    extra = _tokenizer_config(folder).get("extra_ids", 100)
    extra = extra if isinstance(extra, int) and 0 <= extra <= 1000 else 100
    sentinels = [f"<extra_id_{number}>" for number in reversed(range(extra))]
    specials = [name for name in scores if name in _SPECIAL_NAMES]
    return (_unigram(list(scores.items()), normalizer, byte_fallback, [*specials, *sentinels]),) * 2


def letters(folder: Path, config: Mapping[str, Any]) -> Pair | None:
    """Letters and sounds, as a config.json lists them: of models from spelling to sound."""
    spelt = config.get("grapheme_chars")
    if not isinstance(spelt, str):
        return None
    return _letters(spelt), _letters(str(config.get("phoneme_chars", spelt)))


def _letters(characters: str) -> Tokenizer:
    """Letters, numbered by their place; the first four places are those of special tokens."""
    ids = {letter: number for number, letter in reversed([*enumerate(characters)][4:])}
    ids |= {"<pad>": 0, "<s>": 1, "</s>": 2, "<unk>": 3}
    made = Tokenizer(models.BPE(ids, [], unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"\s"), "merged_with_next")
    made.decoder = decoders.Fuse()
    frame = [("<s>", 1), ("</s>", 2)]
    made.post_processor = processors.TemplateProcessing("<s> $A </s>", None, frame)
    return made


def _unigram(
    scored: list[tuple[str, float]], normalizer: Any, byte_fallback: bool, specials: Iterable[str]
) -> Tokenizer:
    pieces = [piece for piece, _ in scored]
    made = Tokenizer(models.Unigram(scored, pieces.index(UNK_NAMES[0]), byte_fallback))
    made.normalizer = normalizer
    made.pre_tokenizer = pre_tokenizers.Metaspace(_SPACE, "always")
    made.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Metaspace(_SPACE, "always")]
    )
    eos = EOS_NAMES[0]
    made.post_processor = processors.TemplateProcessing(
        f"$A {eos}", None, [(eos, pieces.index(eos))]
    )
    made.add_special_tokens([AddedToken(it, normalized=False, special=True) for it in specials])
    return made


def _sentencepiece(
    path: Path, size: int, *, controls: bool = False
) -> tuple[dict[str, float], Any, bool]:
    """The pieces of a SentencePiece model with their scores, its normaliser, its byte fallback.

    Up to half of the pieces may have no place in a vocabulary of this size.
    `sentencepiece_model.proto` says what its fields are.
    """
    scores: dict[str, float] = {}
    charsmap, byte_fallback = b"", False
    try:
        for number, value in _fields(path.read_bytes()):
            if number == 1:
                piece: dict[int, Any] = {2: bytes(4), 3: 1, **dict(_fields(value))}
                if controls or piece[3] not in (2, 3):  # UNK and control tokens
                    scores[piece[1].decode()] = struct.unpack("<f", piece[2])[0]
                if len(scores) > 2 * size:
                    raise ValueError(f"it holds too many pieces for a vocabulary of {size:,}")
            elif number == 2:
                trained = dict(_fields(value))
                if trained.get(3, 1) != 1:
                    raise ValueError("its pieces are no unigrams")
                byte_fallback = bool(trained.get(35, 0))
            elif number == 3:
                charsmap = dict(_fields(value)).get(2, b"")
        if not scores:
            raise ValueError("it holds no pieces")
        precompiled = [normalizers.Precompiled(charsmap)] if charsmap else []
    except BaseException as error:  # depends on what is wrong with the file
        if not is_failure(error):
            raise
        raise ValueError(cannot_be_read(path.name, error)) from error
    spaces = [normalizers.Strip(left=False), normalizers.Replace(Regex(" {2,}"), _SPACE)]
    return scores, normalizers.Sequence([*precompiled, *spaces]), byte_fallback


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """The numbers and values of the fields of a message of Protocol Buffers."""
    at = 0

    def whole() -> int:
        nonlocal at
        value = 0
        for place in range(10):
            value |= (message[at] & 127) << 7 * place
            at += 1
            if message[at - 1] < 128:
                return value
        raise ValueError("a number in it has no end")

    while at < len(message):
        number, kind = divmod(whole(), 8)
        if kind == 0:
            yield number, whole()
        else:
            size = {1: 8, 5: 4}.get(kind) or whole()
            yield number, message[at : at + size]
            at += size


def _with_specials(made: Tokenizer, ids: Mapping[str, int]) -> Tokenizer:
    """The tokenizer, which finds the special tokens in text; <mask> takes the space before it."""
    made.add_special_tokens(
        [
            AddedToken(name, lstrip=name == "<mask>", normalized=False, special=True)
            for name in sorted(_SPECIAL_NAMES & ids.keys())
        ]
    )
    return made


def _all_in(folder: Path, *names: str) -> bool:
    return all((folder / name).is_file() for name in names)


def _require(name: str, ids: Mapping[str, Any], *specials: str) -> list[Any]:
    """The ids of these tokens, all of which must be there."""
    if missing := [special for special in specials if special not in ids]:
        raise ValueError(f"{name} must hold {' and '.join(missing)}")
    return [ids[special] for special in specials]


def _ids(path: Path) -> dict[str, int]:
    ids = _json(path)
    if not all(isinstance(number, int) and 0 <= number < 2**24 for number in ids.values()):
        raise ValueError(f"{path.name} must give every piece its id")
    return ids


def _tokenizer_config(folder: Path) -> dict[str, Any]:
    """The content of tokenizer_config.json, if it is there."""
    path = folder / "tokenizer_config.json"
    return _json(path) if path.is_file() else {}


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(cannot_be_read(path.name, error)) from error
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} must hold names and values")
    return content


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(cannot_be_read(path.name, error)) from error
