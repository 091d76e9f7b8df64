"""The content of the tour: one run, the clearest step of its answer, and the places to look."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.analysis.attention import content_words
from explorer.analysis.head_roles import HeadRole, roles
from explorer.analysis.stops import stops
from explorer.analysis.writing import Writing, WritingStep
from explorer.answers.alike import alike, has_learnt_words
from explorer.answers.written import answer_of, telling_head
from explorer.choices.parameters import Chosen
from explorer.choices.settings import Settings
from explorer.drawing.labels import disambiguated
from explorer.languages import arrow
from explorer.markdown import literal
from explorer.runtime.causes import Causes
from explorer.runtime.engine import Run, engine

Look = tuple[int, int, int, int]  # layer, head, query and key, from 0


@dataclass(frozen=True)
class TourRun:
    """One run, and the places that the stops of the tour point at."""

    settings: Settings
    ran: Run
    written: Writing
    chosen: Chosen  # by the reader, on the page on show

    @cached_property
    def step(self) -> WritingStep:
        """The step of the answer to look at."""
        return self.written.steps[self.written.telling]

    @property
    def aligning(self) -> tuple[int, int]:
        """The layer and head of the cross-attention to look at, from 0."""
        layer, head = telling_head(self.settings, "cross")
        return layer, head or 0

    @cached_property
    def key(self) -> int:
        """The position of the source word that this step looks at most."""
        return self.key_of(self.step)

    def key_of(self, step: WritingStep) -> int:
        """The position of the source word that a step looks at most."""
        layer, head = self.aligning
        return int(self.ran.attention("cross", layer).weights[head, step.position].argmax())

    @property
    def word(self) -> str:
        """That source word."""
        return literal(self.ran.src_labels[self.key])

    def source_name(self, at: int) -> str:
        """A source word, with its position if the source has it twice."""
        return literal(disambiguated(self.ran.src_labels)[at])

    def target_name(self, at: int) -> str:
        """A word of the answer, with its position if the answer has it twice."""
        return literal(disambiguated(self.ran.batch.tgt_labels[self.ran.row])[at])

    def written_name(self, step: WritingStep) -> str:
        """What is written at a step; if that occurs twice, the row that writes it."""
        twice = sum(other.writes == step.writes for other in self.written.steps) > 1
        name = literal(step.writes)
        return arrow(self.target_name(step.position), name) if twice else name

    @property
    def feed_forward(self) -> int:
        """The stop of the encoder's last feed-forward network, among all stops of the stack."""
        found = stops(self.ran.loaded.model, self.ran.trace)
        inside = [at for at, stop in enumerate(found) if stop.feed_forward is not None]
        return inside[self.settings.config.n_encoder_layers - 1]

    @cached_property
    def large_weight(self) -> Look:
        """A large weight of a head of the encoder that was not taught.

        It is between two words that mean something and are no neighbours, if there are such.
        """
        first = self.ran.attention("encoder", 0)
        weights = np.stack(
            [
                self.ran.attention("encoder", layer).weights
                for layer in range(self.settings.config.n_encoder_layers)
            ]
        )
        for kind, layer, head in self.taught:
            if kind == "encoder":
                weights[layer, head] = 0.0
        real = np.array(first.query_is_word)
        content = np.isin(np.arange(len(real)), content_words(first.query_labels))
        apart = np.abs(np.subtract.outer(np.arange(len(real)), np.arange(len(real))))
        for words, least in ((content & real, 2), (content & real, 1), (real, 1)):
            pairs = words[:, None] & words & (apart >= least)
            if pairs.any():
                break
        largest = np.unravel_index(np.where(pairs, weights, 0.0).argmax(), weights.shape)
        layer, head, query, key = map(int, largest)
        return layer, head, query, key

    @cached_property
    def clearest(self) -> tuple[int, list[HeadRole]]:
        """The layer of the encoder that has the head with the clearest role, and its heads.

        Heads that were told where to look do not count.
        """
        nothing = HeadRole(name="", share=0.0)

        def found(layer: int) -> list[HeadRole]:
            heads = enumerate(roles(self.ran.attention("encoder", layer)))
            taught = self.taught
            return [nothing if ("encoder", layer, at) in taught else role for at, role in heads]

        by_layer = [(layer, found(layer)) for layer in range(self.settings.config.n_encoder_layers)]
        return max(by_layer, key=lambda one: max(role.share for role in one[1]))

    @cached_property
    def taught(self) -> frozenset[tuple[str, int, int]]:
        """Kind, layer and head of the heads that were told where to look."""
        known = self.settings.known_heads
        return frozenset() if known is None else known.taught

    @cached_property
    def telling_row(self) -> tuple[int, list[tuple[str, float]]]:
        """A source word whose row says most, and the words with rows most like it."""
        if not has_learnt_words(self.settings):
            return self.key, []
        labels = self.ran.src_labels
        positions = content_words(labels)
        nearest = dict(zip(positions, alike(self.ran, "src", positions), strict=True))

        def likeness(position: int) -> float:
            """How alike they are, not counting the same word in other capitals."""
            own = labels[position].casefold()
            return sum(share for word, share in nearest[position] if word.casefold() != own)

        best = max(nearest, key=likeness)
        return best, nearest[best]

    def like(self, position: int) -> list[tuple[str, float]]:
        """The words with rows most like that of the source word at a position."""
        return alike(self.ran, "src", [position])[0] if has_learnt_words(self.settings) else []

    @cached_property
    def causes(self) -> Causes:
        """Why the doubtful step wrote its word; causes are asked without dropout."""
        ran = self.ran
        if ran.dropout_seed is not None:
            ran = engine().run(ran.request, ran.batch, ran.row)
        return Causes.of(ran, self.doubtful.position)

    @property
    def unsure_at(self) -> int:
        """The place in the answer at which the model was least sure, from 0."""
        return int(np.argmin([step.probability for step in self.written.steps]))

    @property
    def unsure(self) -> WritingStep:
        """That step of the answer."""
        return self.written.steps[self.unsure_at]

    @cached_property
    def doubtful(self) -> WritingStep:
        """The least sure step that looks clearly at one word: a head can change much there."""
        clear = [step for step in self.written.steps[:-1] if step.looks.max(initial=0.0) > 0.5]
        return min(clear, key=lambda step: step.probability, default=self.step)


def tour_run_of(settings: Settings, ran: Run, chosen: Chosen) -> TourRun | None:
    """The run that the tour explains; None if no trained model answers a source on show."""
    config = settings.config
    if not (config.has_encoder and config.has_decoder):
        return None
    if settings.learnt is None or not settings.answered:
        return None
    answer = answer_of(settings, ran)
    return None if answer is None or not answer.steps else TourRun(settings, ran, answer, chosen)
