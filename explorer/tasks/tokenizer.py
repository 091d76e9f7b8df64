"""The tokenizer of a model that was trained on a task."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.names import PaddingSide
from explorer.tasks.tasks import Task, words_of
from explorer.text import MAX_PAIRS, MAX_TOKENS, Answer, Batch, tokenize
from explorer.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class TaskTokenizer(Tokenizer):
    """Words and their ids, as the task defines them."""

    task: Task

    def split(self, text: str) -> tuple[str, ...]:
        """The words of a source, up to the number that a model reads."""
        return words_of(self.task, text)

    def batch(
        self,
        sources: Sequence[str],
        targets: Sequence[str | Answer],
        *,
        side: PaddingSide = "right",
        length: int | None = None,
    ) -> Batch:
        """The pairs with the ids of the task's vocabularies."""
        src_words = [tuple(self.task.split(text)) for text in sources]
        tgt_words = [
            target if isinstance(target, Answer) else tuple(tokenize(target)) for target in targets
        ]
        # Only typed words need new ids; an answer already consists of ids.
        typed = [words[:MAX_TOKENS] for words in tgt_words if not isinstance(words, Answer)]
        vocabularies = self.task.read(
            [words[:MAX_TOKENS] for words in src_words[:MAX_PAIRS]], typed[:MAX_PAIRS]
        )
        return Batch.from_words(src_words, tgt_words, *vocabularies, side=side, length=length)
