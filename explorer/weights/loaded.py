"""A trained model and its tokenizer in one, for notebooks and scripts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from explorer.config import ModelConfig
from explorer.decoding import answers
from explorer.reading_notes import require_all_read
from explorer.tasks.tokenizer import TaskTokenizer
from explorer.text import MAX_PAIRS, Answer, Batch
from explorer.tokenizer import Tokenizer
from explorer.transformer import Transformer
from explorer.weights import checkpoints
from explorer.weights.catalogue import (
    SHIPPED_NAMES,
    Learnt,
    Shipped,
    learnt,
    learnt_by,
    learnt_elsewhere,
    tokenizer,
    trained_model,
)
from explorer.weights.huggingface.known import model_in
from explorer.weights.huggingface.model import read_model
from explorer.weights.huggingface.shelf import folder_of, model_names, models_folder, shown_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A trained model and its tokenizer, for notebooks and scripts."""

    model: Transformer
    tokenizer: Tokenizer
    learnt: Learnt

    @property
    def config(self) -> ModelConfig:
        """The shape of the model."""
        return self.model.config

    def answer(self, sentences: Sequence[str]) -> list[str]:
        """The greedy answer to each sentence, as text; nothing for an empty sentence.

        A decoder alone goes on from each sentence: its answer is what comes next.

        Raises:
            ValueError: if the model has no decoder, or a sentence is too long.
        """
        return [
            self.tokenizer.join(
                batch.tgt_names(answer.ids)
                if batch.tgt_out is None  # a model without a tokenizer writes ids
                else batch.tgt_vocab.decode(answer.ids)
            )
            for batch, answers in self._answered(sentences)
            for answer in answers
        ]

    def answers(self, sentences: Sequence[str]) -> list[Answer]:
        """The same as ids, by the numbers that these sentences get from the tokenizer.

        Raises:
            ValueError: as `answer`.
        """
        return [answer for _, answers in self._answered(sentences) for answer in answers]

    def _answered(self, sentences: Sequence[str]) -> Iterator[tuple[Batch, list[Answer]]]:
        """The answers, some at a time, with the batch that names their words."""
        if not self.config.has_decoder:
            raise ValueError(f"{self.learnt.name} has no decoder, so it cannot answer")
        # A decoder alone goes on from prompts of different lengths: one at a time.
        at_once = MAX_PAIRS if self.config.has_encoder else 1
        for first in range(0, len(sentences), at_once):
            part = sentences[first : first + at_once]
            batch = self.tokenizer.batch(part, [Answer(())] * len(part))
            require_all_read(batch.notes)
            prompt = () if self.config.has_encoder else batch.prompts[0]
            lengths = batch.src_words.sum(dim=1).tolist()
            limits = [self.learnt.answer_limit(length) for length in lengths]
            found = answers(
                self.model,
                batch.src,
                specials=batch.specials,
                limit=min(max(limits), self.config.max_len - len(prompt)),
                begin=prompt,
                src_words=batch.src_words,
            )
            found = [ids[:limit] for ids, limit in zip(found, limits, strict=True)]
            written = [Answer.of(ids, batch.specials) for ids in found]
            yield (
                batch,
                [
                    one if text.strip() else replace(one, ids=())
                    for text, one in zip(part, written, strict=True)
                ],
            )


def answered(
    loaded: Loaded, sources: Sequence[str], targets: Sequence[str | None] | None
) -> list[str | Answer]:
    """The targets, with the model's own answer for each that is missing."""
    given = [None] * len(sources) if targets is None else targets
    if not loaded.config.has_decoder or None not in given:
        return [target or "" for target in given]
    answers = loaded.answers(sources)
    if len(given) != len(answers):
        return [target or "" for target in given]  # the tokenizer says what is wrong
    return [
        answer if target is None else target for target, answer in zip(given, answers, strict=True)
    ]


def load(name: str | Path) -> Loaded:
    """A trained model: one that comes with the explorer, one of yours, or one in any folder.

    The name is "translator", "reverse", …, or that of a model in the folder of models
    ("Helsinki-NLP/opus-mt-en-de"), or the path of a folder in the layout of Hugging Face, or of a
    file that the training page has saved.

    >>> load("reverse").answer(["one two three"])
    ['three two one']

    Raises:
        ValueError: if there is no such model, or its files are no model the engine can compute.
    """
    if name in SHIPPED_NAMES:
        return _shipped(str(name))
    mine = str(name).replace("/", "--")
    if mine in model_names():
        return _from_folder(folder_of(mine))
    if Path(name).is_dir():
        return _from_folder(Path(name))
    if Path(name).is_file():
        return _from_file(Path(name))
    raise ValueError(
        f"name must be one of {', '.join(SHIPPED_NAMES)}, a model in {models_folder()}, or a "
        f"folder with a model, got {str(name)!r}; add one with python -m explorer.weights add"
    )


def _from_folder(folder: Path) -> Loaded:
    model, found = read_model(folder)
    return Loaded(
        model=model,
        tokenizer=model_in(folder).tokenizer,
        learnt=learnt_elsewhere(shown_name(folder.resolve().name), found),
    )


def _from_file(path: Path) -> Loaded:
    found = checkpoints.load(path.read_bytes())
    return Loaded(
        model=found.model,
        tokenizer=TaskTokenizer(found.task),
        learnt=learnt_by(found),
    )


def _shipped(name: str) -> Loaded:
    source = Shipped(name)
    model, about = trained_model(source), learnt(source)
    if model is None or about is None:
        raise ValueError(f"{name} holds no trained model")
    return Loaded(model=model, tokenizer=tokenizer(source), learnt=about)
