"""Subword tokenizers: byte-pair encoding (Sennrich et al. 2016), as in section 5.1 of the paper."""

import json
from collections.abc import Iterable
from typing import Final

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

VOCABULARY: Final = 8000
SPACE: Final = "▁"  # how a piece says that a space precedes it
# At the ids of `USUAL_IDS`. No text contains them: `_PARTS` cuts at their brackets.
_SPECIALS: Final = ("<pad>", "<bos>", "<eos>", "<unk>")
_RARE: Final = 20  # a character seen less often is spelt as its bytes
# Not shown, and no part of a word: soft hyphens and spaces of no width.
_INVISIBLE: Final = "[\u00ad\u200b\u200c\u200d\u2060\ufeff]"
# One way to write each mark.
_MARKS: Final = {"[‘’‚‛´`]": "'", "[“”„‟«»]": '"', "[–—‒―]": "-", "…": "..."}
# A contraction, a word, a digit, any other character, each with the space before it.
_PARTS: Final = r"'(?:[sStTmMdD]|re|ve|ll)(?!\p{L})|▁?[\p{L}\p{M}]+|▁?\p{N}|▁?[^\p{L}\p{M}\p{N}▁]|▁"


def train_subwords(sentences: Iterable[str], size: int = VOCABULARY) -> Tokenizer:
    """A tokenizer of `size` pieces, learnt from the sentences of both languages together.

    A character that it has not learnt is spelt as its bytes, so that nothing becomes UNK.
    """
    sentences = list(sentences)
    tokenizer = Tokenizer(models.BPE(unk_token=_SPECIALS[3], byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Replace(Regex(_INVISIBLE), ""),
            *(normalizers.Replace(Regex(these), mark) for these, mark in _MARKS.items()),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always", split=True),
            pre_tokenizers.Split(Regex(_PARTS), behavior="isolated"),
        ]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.ByteFallback(),
            decoders.Metaspace(replacement=SPACE, prepend_scheme="always"),
        ]
    )
    letters: dict[str, int] = {}
    for sentence in sentences:
        for letter in tokenizer.normalizer.normalize_str(sentence):
            letters[letter] = letters.get(letter, 0) + 1
    known = sum(count >= _RARE for count in letters.values())
    tokenizer.train_from_iterator(
        sentences,
        trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=[*_SPECIALS, *(f"<0x{byte:02X}>" for byte in range(256))],
            limit_alphabet=known,
            show_progress=False,
        ),
    )
    # As "special" tokens they would be found in what somebody types, and left out of what is read.
    learnt = json.loads(tokenizer.to_str())
    return Tokenizer.from_str(json.dumps(learnt | {"added_tokens": []}))
