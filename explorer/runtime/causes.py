"""Causes of one word of a run: computed when somebody asks, and kept for all sessions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.causes.asked import Effects
from explorer.analysis.causes.attribution import Attribution, Method, Report, attribute, deletion
from explorer.analysis.causes.heads_off import without_heads
from explorer.analysis.causes.logit_parts import LogitParts, parts_of_logit
from explorer.analysis.causes.patching import patch, restored_by_heads, restored_by_positions
from explorer.analysis.causes.question import AT_ONCE, OfLayer, Question, Sentence, Word
from explorer.names import AttentionKind
from explorer.runtime.engine import Run, Tell, TooLargeError
from explorer.runtime.memory import estimate
from explorer.runtime.turns import give_way, giving_way

T = TypeVar("T")


def sentence_of(run: Run) -> Sentence:
    """A run as causes ask about it; it has to be one without dropout."""
    return Sentence(model=run.loaded.model, batch=run.batch, row=run.row, trace=run.trace)


@dataclass(frozen=True, slots=True)
class Causes:
    """One question about a run; each answer is computed once.

    Raises, with all its methods:
        TooLargeError: if memory does not suffice; then nothing has run.
        WeightsGoneError: if the weights are gone.
    """

    run: Run
    question: Question
    tell: Tell | None = None

    @classmethod
    def of(
        cls,
        run: Run,
        position: int,
        token: Word | None = None,
        rival: Word | None = None,
        tell: Tell | None = None,
    ) -> "Causes":
        """As `Question.of`.

        Raises:
            ValueError: if there is no such position or token, or token and rival are the same.
        """
        return cls(run, Question.of(sentence_of(run), position, token, rival), tell)

    def attributed(self, method: Method, report: Report = float) -> Attribution:
        """How much each word that was read mattered for the word in question."""
        more = 8 * self.run.request.config.n_weights if method == "integrated_gradients" else 0
        try:
            return self._kept(method, 2_000, lambda: attribute(self.question, method, report), more)
        except TooLargeError:
            if not more:
                raise
        return self._kept(  # no memory for a copy of the weights in double precision
            (method, "single"),
            2_000,
            lambda: attribute(self.question, method, report, double=False),
        )

    def deleted(self, order: Sequence[int]) -> Float[np.ndarray, " hidden_plus_1"]:
        """The measure after each word that is taken away, in this order."""
        return self._kept(("deleted", *order), 300, lambda: deletion(self.question, order))

    def parts(self) -> LogitParts:
        """The logit as a sum."""
        size = 200 * self.run.request.config.n_heads
        return self._kept("parts", size, lambda: parts_of_logit(self.question))

    def without_heads(self) -> Effects:
        """The change of the measure without each head."""
        return self._by_layer("without", partial(without_heads, self.question), float, 1)

    def restored(self, other: Run, report: Report) -> Effects:
        """The share that each head restores when taken from another run; `report` gets progress.

        Raises:
            ValueError: if the sentences have not as many tokens, or differ in nothing.
        """
        ask = partial(restored_by_heads, self.question, sentence_of(other))
        steps = len(self.run.request.config.attentions)
        return self._by_layer(("heads", other.key), ask, report, steps)

    def restored_positions(self, other: Run, report: Report) -> Effects:
        """The same for each position of each layer."""
        ask = partial(restored_by_positions, self.question, sentence_of(other))
        config = self.run.request.config
        steps = len(config.attentions) + config.has_encoder + config.has_decoder  # embeddings
        return self._by_layer(("positions", other.key), ask, report, steps)

    def patched(
        self, other: Run, kind: AttentionKind, layer: int, head: int
    ) -> Float[Tensor, " width"]:
        """The output at the position in question with a head taken from another run."""

        def found() -> Float[Tensor, " width"]:
            trace = patch(sentence_of(self.run), sentence_of(other), kind, layer, head)
            changed = replace(self.question.sentence, trace=trace)
            return changed.outcome[self.question.position].clone()

        size = 4 * max(self.run.request.config.n_logits, self.run.request.config.d_model)
        return self._kept(("patched", other.key, kind, layer, head), size, found)

    def _by_layer(
        self, what: Any, ask: Callable[[], Iterator[OfLayer]], report: Report, steps: int
    ) -> Effects:
        def found() -> Effects:
            grids: dict[AttentionKind, list[np.ndarray]] = {}
            for step, (kind, _, numbers) in enumerate(giving_way(ask()), start=1):
                grids.setdefault(kind, []).append(numbers)
                report(step / steps)
            return {kind: np.stack(layers) for kind, layers in grids.items()}

        return self._kept(what, 20_000, found)

    def _kept(self, what: Any, size: int, compute: Callable[[], T], more: int = 0) -> T:
        """The result of `compute`, which may take `more` bytes than the model and its traces."""
        run, asked = self.run, self.question
        lengths = run.batch.src.shape[1], run.batch.tgt_in.shape[1]
        need = estimate(run.request.config, AT_ONCE, *lengths)
        need = replace(need, trace=need.trace + more // 2)  # of which the engine sees to twice
        key = (run.key, "why", asked.position, asked.token, asked.rival, what)
        found = run.engine.result(run.request, need, key, size, lambda _: compute(), tell=self.tell)
        give_way()
        return found
