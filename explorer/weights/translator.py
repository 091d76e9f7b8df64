"""A translator in a file: weights in half precision, its subwords, and its quality."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import safetensors.torch
import torch
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer

from explorer.config import ModelConfig, named_as_today
from explorer.decoding import Written, write
from explorer.languages import tr
from explorer.names import USUAL_IDS
from explorer.paths import ASSETS
from explorer.text import padded
from explorer.transformer import Transformer
from explorer.weights.doubts.familiarity import Familiarity
from explorer.weights.doubts.known_words import invented
from explorer.weights.doubts.quantities import lost_number
from explorer.weights.doubts.repetition import repeated
from explorer.weights.doubts.sureness import Sureness

FILE: Final = ASSETS / "weights" / "translator.safetensors"
SURE: Final = 6  # of ten such answers are right
LONGEST: Final = 64  # pieces: it has learnt no longer sentences
_AT_ONCE: Final = 64  # sentences
_WORDS: Final = "known words"  # one a line, deflated
_FORMAT: Final = "transformer-explorer translator 1"


@dataclass(frozen=True, slots=True)
class Translator:
    """A trained model that reads and writes subwords."""

    model: Transformer
    tokenizer: Tokenizer
    familiar: Familiarity  # with which sentences
    about: Mapping[str, Any]  # its training, its quality, and whose sentences it learnt from
    known: frozenset[str] = frozenset()  # German words, in small letters

    def answer(self, sentences: Sequence[str]) -> list[str]:
        """The greedy translation of each sentence."""
        return [self.text(written.ids) for written in self.written(sentences)]

    def written(self, sentences: Sequence[str]) -> list[Written]:
        """The greedy translation of each sentence as pieces, and how probable each was."""
        ids = [self.ids(sentence) for sentence in sentences]
        written = [Written((), ())] * len(ids)
        # Sentences of about the same length together: little of a batch is PAD.
        order = sorted(
            (index for index in range(len(ids)) if ids[index]), key=lambda index: len(ids[index])
        )
        for first in range(0, len(order), _AT_ONCE):
            chosen = order[first : first + _AT_ONCE]
            answers = write(self.model, padded([ids[index] for index in chosen]), limit=LONGEST)
            for index, answer in zip(chosen, answers, strict=True):
                written[index] = answer
        return written

    def ids(self, sentence: str) -> list[int]:
        """The pieces of a sentence, as many as the model reads."""
        return list(self.tokenizer.encode(sentence).ids[: self.model.config.max_len])

    @property
    def sureness(self) -> Sureness | None:
        """How far its probabilities can be trusted; None if that was not measured."""
        if (measured := self.about.get("sureness")) is not None:
            return Sureness(**measured)
        bound = self.about.get("doubted_below")  # in older files
        return None if bound is None else Sureness(bound)

    def outside(
        self, sentence: str, translation: str = "", probabilities: Sequence[float] = ()
    ) -> str:
        """Why a sentence is outside of what was learnt, or nothing; see `Familiarity.outside`.

        With the `probabilities` of the answer's pieces, it counts whether the answer is sure.
        """
        sure = self._is_sure(probabilities)
        return self.familiar.outside(self.tokenizer, sentence, translation, sure=sure)

    def foreign(self, sentence: str, translation: str, probabilities: Sequence[float]) -> str:
        """Why a sentence does not look like English, or nothing; see `Familiarity.foreign`."""
        sure = self._is_sure(probabilities)
        return self.familiar.foreign(self.tokenizer, sentence, translation, sure=sure)

    def _is_sure(self, probabilities: Sequence[float]) -> bool:
        measured = self.sureness.right_of_ten(probabilities) if self.sureness is not None else None
        return bool(probabilities) and measured is not None and measured >= SURE

    def doubt(self, sentence: str, written: Written) -> str:
        """Why its translation of a sentence is doubted, or nothing."""
        answer = self.text(written.ids)
        if self.known and (words := invented(sentence, answer, self.known)):
            return tr("“{word}” is in none of the German texts that it learnt from", word=words[0])
        if lost := lost_number(sentence, answer):
            return tr("the number {number} is not in the answer", number=lost)
        if again := repeated(sentence, answer):
            return tr("it says “{word}” twice, for which the source gives no reason", word=again)
        return self.sureness.doubt(written.probabilities) if self.sureness is not None else ""

    def text(self, ids: Sequence[int]) -> str:
        """Pieces joined to a sentence."""
        specials = USUAL_IDS.names()
        return str(self.tokenizer.decode([piece for piece in ids if piece not in specials]))


def save(translator: Translator) -> bytes:
    """The content of the file; a matrix that serves several purposes is written once."""
    tensors = {
        name: weight.to(torch.float16).contiguous()
        for name, weight in translator.model.own_weights().items()
    }
    if translator.known:
        packed = bytearray(zlib.compress("\n".join(sorted(translator.known)).encode(), 9))
        tensors[_WORDS] = torch.frombuffer(packed, dtype=torch.uint8)
    return safetensors.torch.save(
        tensors,
        {
            "format": _FORMAT,
            "config": json.dumps(asdict(translator.model.config)),
            "tokenizer": translator.tokenizer.to_str(),
            "familiar": json.dumps(translator.familiar.written()),
            "about": json.dumps(dict(translator.about), ensure_ascii=False),
        },
    )


def load(path: Path = FILE) -> Translator:
    """The translator in a file; it computes in single precision.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it holds no translator.
    """
    try:
        file: Any = safe_open(path, framework="pt")
    except SafetensorError:
        raise _not_a_translator(path) from None
    with file:
        metadata = file.metadata() or {}
        if metadata.get("format") != _FORMAT:
            raise _not_a_translator(path)
        tensors = {
            name: file.get_tensor(name) if name == _WORDS else file.get_tensor(name).float()
            for name in file.keys()  # noqa: SIM118 (no dict)
        }
    packed = tensors.pop(_WORDS, None)
    known = "" if packed is None else zlib.decompress(packed.numpy().tobytes()).decode()
    config = ModelConfig(**named_as_today(json.loads(metadata["config"])))
    return Translator(
        model=Transformer(config, weights=tensors),
        tokenizer=Tokenizer.from_str(metadata["tokenizer"]),
        familiar=Familiarity.read(json.loads(metadata["familiar"])),
        about=json.loads(metadata["about"]),
        known=frozenset(known.splitlines()),
    )


def _not_a_translator(path: Path) -> ValueError:
    return ValueError(
        f"the file must hold a translator, got {path.name}; train one with python -m training train"
    )
