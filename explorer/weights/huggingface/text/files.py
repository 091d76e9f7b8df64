"""The files of a pretrained model's folder that turn text into ids."""

import json
import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from explorer.weights.huggingface.text.bounded import cannot_be_read, is_failure, read_trained
from explorer.weights.huggingface.text.pieces import (
    BOS_NAMES,
    EOS_NAMES,
    PAD_NAMES,
    UNK_NAMES,
    CharacterPieces,
    Pieces,
    SentencePieces,
    TrainedPieces,
)

NEEDS_SENTENCEPIECE: Final = (
    "this model's pieces need the package sentencepiece: pip install -r requirements-models.txt"
)
_RARE: Final = "\U0010fffd"  # a tokenizer without UNK may fail at a character that it never saw
_MASK_NAMES: Final = ("<mask>", "[MASK]")
_SPECIAL_NAMES: Final = {*PAD_NAMES, *BOS_NAMES, *EOS_NAMES, *UNK_NAMES, *_MASK_NAMES}


def read_pieces(folder: Path, config: Mapping[str, Any]) -> tuple[Pieces, Pieces] | None:
    """The pieces of sources and of targets; None if the folder holds no file that is known here.

    Raises:
        ValueError: if a file is damaged, or the package sentencepiece is needed and missing.
    """
    kind = config["model_type"]
    known: Pieces
    if _all_in(folder, "tokenizer.json"):
        known = _from_file(folder / "tokenizer.json")
    elif kind in ("bert", "distilbert") and _all_in(folder, "vocab.txt"):
        known = _word_pieces(folder)
    elif kind in ("gpt2", "bart", "roberta") and _all_in(folder, "vocab.json", "merges.txt"):
        known = _byte_pieces(folder, framed=kind != "gpt2")
    elif kind == "marian" and _all_in(folder, "vocab.json", "source.spm", "target.spm"):
        return _marian_pieces(folder)
    elif kind in ("t5", "mt5") and _all_in(folder, "spiece.model"):
        known = _t5_pieces(folder)
    elif isinstance(config.get("grapheme_chars"), str):
        return (
            CharacterPieces(config["grapheme_chars"]),
            CharacterPieces(str(config.get("phoneme_chars", config["grapheme_chars"]))),
        )
    else:
        return None
    return known, known


def _all_in(folder: Path, *names: str) -> bool:
    return all((folder / name).is_file() for name in names)


def _from_file(path: Path) -> TrainedPieces:
    trained = read_trained(path)
    try:
        trained.encode(_RARE)
        return TrainedPieces.of(trained)
    except BaseException as error:
        if not is_failure(error):
            raise
        raise ValueError(cannot_be_read(path.name, error)) from error


def _word_pieces(folder: Path) -> TrainedPieces:
    """The pieces of BERT, from vocab.txt: one a line."""
    lines = _text(folder / "vocab.txt").removesuffix("\n").split("\n")
    ids = {line.removesuffix("\r"): number for number, line in enumerate(lines)}
    cls, sep, _ = _require("vocab.txt", ids, "[CLS]", "[SEP]", "[UNK]")
    settings = _tokenizer_config(folder)
    trained = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    trained.normalizer = normalizers.BertNormalizer(
        lowercase=bool(settings.get("do_lower_case", True)),
        strip_accents=settings.get("strip_accents"),
        handle_chinese_chars=bool(settings.get("tokenize_chinese_chars", True)),
    )
    trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trained.post_processor = processors.BertProcessing(("[SEP]", sep), ("[CLS]", cls))
    trained.decoder = decoders.WordPiece()
    return TrainedPieces.of(_with_specials(trained, ids))


def _byte_pieces(folder: Path, *, framed: bool) -> TrainedPieces:
    """Byte-level BPE from vocab.json and merges.txt; `framed` for BART's <s> … </s>."""
    ids = _ids(folder / "vocab.json")
    try:
        pairs = models.BPE.read_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
        trained = Tokenizer(models.BPE(*pairs))
    except Exception as error:  # the package raises nothing more precise
        raise ValueError(f"vocab.json and merges.txt cannot be read: {error}") from error
    spaced = bool(_tokenizer_config(folder).get("add_prefix_space", False))
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=spaced)
    trained.decoder = decoders.ByteLevel()
    if framed:
        bos, eos = _require("vocab.json", ids, "<s>", "</s>")
        trained.post_processor = processors.RobertaProcessing(
            ("</s>", eos), ("<s>", bos), add_prefix_space=spaced
        )
    return TrainedPieces.of(_with_specials(trained, ids))


def _with_specials(trained: Tokenizer, ids: Mapping[str, int]) -> Tokenizer:
    """The tokenizer, which finds the special tokens in text; <mask> takes the space before it."""
    trained.add_special_tokens(
        [
            AddedToken(name, lstrip=name == "<mask>", normalized=False, special=True)
            for name in sorted(_SPECIAL_NAMES & ids.keys())
        ]
    )
    return trained


def _marian_pieces(folder: Path) -> tuple[SentencePieces, SentencePieces]:
    """Pieces of source.spm and target.spm, numbered by vocab.json (and target_vocab.json)."""
    sides = []
    for side, vocabulary in (("source", "vocab.json"), ("target", "target_vocab.json")):
        name = vocabulary if _all_in(folder, vocabulary) else "vocab.json"
        ids = _ids(folder / name)
        _require(name, ids, UNK_NAMES[0], EOS_NAMES[0])
        specials = [token for token in ("</s>", "<unk>", "<pad>") if token in ids]
        names = "|".join(map(re.escape, specials))
        # The language to translate into, such as >>deu<<, stands before the sentence.
        whole = re.compile(rf"(\A>>.*?<<|{names})", re.DOTALL)
        sides.append(_sentence_pieces(_processor(folder / f"{side}.spm"), ids, specials, whole))
    return sides[0], sides[1]


def _t5_pieces(folder: Path) -> SentencePieces:
    """Pieces of spiece.model by its own ids; after them the sentinels, the last one first."""
    model = _processor(folder / "spiece.model")
    size = model.get_piece_size()
    ids = {model.id_to_piece(number): number for number in range(size)}
    _require("spiece.model", ids, UNK_NAMES[0], EOS_NAMES[0])
    extra = _tokenizer_config(folder).get("extra_ids", 100)
    extra = extra if isinstance(extra, int) and 0 <= extra <= 1000 else 100
    ids |= {f"<extra_id_{extra - 1 - place}>": size + place for place in range(extra)}
    specials = [name for name in ids if name in _SPECIAL_NAMES or name.startswith("<extra_id_")]
    whole = re.compile(f"({'|'.join(map(re.escape, specials))})")
    return _sentence_pieces(model, ids, specials, whole)


def _sentence_pieces(
    model: Any, ids: Mapping[str, int], specials: Iterable[str], whole: re.Pattern[str]
) -> SentencePieces:
    return SentencePieces(
        model,
        ids,
        {number: piece for piece, number in ids.items()},
        frozenset(ids[name] for name in specials),
        whole,
    )


def _processor(path: Path) -> Any:
    try:
        package = import_module("sentencepiece")
    except ImportError as error:
        raise ValueError(NEEDS_SENTENCEPIECE) from error
    try:
        return package.SentencePieceProcessor(model_file=str(path))
    except Exception as error:  # depends on what is wrong with the file
        raise ValueError(cannot_be_read(path.name, error)) from error


def _require(name: str, ids: Mapping[str, int], *specials: str) -> list[int]:
    missing = [special for special in specials if special not in ids]
    if missing:
        raise ValueError(f"{name} must hold {' and '.join(missing)}")
    return [ids[special] for special in specials]


def _ids(path: Path) -> dict[str, int]:
    ids = _json(path)
    if not all(isinstance(number, int) and number >= 0 for number in ids.values()):
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
