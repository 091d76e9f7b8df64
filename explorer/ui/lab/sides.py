"""The two runs of the lab: A as it is on show, B with one thing changed."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from explorer.analysis.attention import Attention
from explorer.analysis.causes.asked import Head, head_in_words
from explorer.analysis.what_if import AttentionChange, changed
from explorer.answers.asking import asked_of, written_to
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.mistakes.catalogue import Mistake
from explorer.runtime.engine import Run, engine
from explorer.runtime.generation import Altered
from explorer.runtime.mistaken import mistaken_trace, twin
from explorer.text import MAX_TOKENS, Answer, Batch
from explorer.tokenizer import IdTokenizer
from explorer.transformer import TransformerTrace
from explorer.ui.frame.running import tell
from explorer.ui.lab.choices import Choice
from explorer.ui.lab.writing import answer_with

MORE_PAD: Final = 2
DROPOUT: Final = 0.1  # where it is needed and the visitor has chosen none


@dataclass(frozen=True, kw_only=True)
class Side:
    """One run: what was asked of which model, and the trace of it."""

    settings: Settings
    batch: Batch
    row: int
    trace: TransformerTrace
    answer: Answer | None  # None if this model answers nothing
    cut_at: int | None = None  # tokens after which a mistaken answer was given up

    def attention(self, choice: Choice) -> Attention:
        """The attention on show."""
        return Attention.of(self.trace, self.batch, self.row, choice.kind, choice.layer)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Both runs, and what the reader has to know about them."""

    a: Side
    b: Side
    title: str  # of B
    notes: tuple[str, ...] = ()


def both(settings: Settings, choice: Choice) -> Pair:
    """Run A and B.

    Raises:
        TooLargeError: if memory does not suffice.
        WeightsGoneError: if the weights are gone.
    """
    if choice.mistake is not None:
        return _by_mistake(settings, choice.mistake)
    if choice.lost is not None:
        return _by_head(settings, choice.lost)
    return _by_sentence(settings, choice.sentence)


def _by_mistake(settings: Settings, mistake: Mistake) -> Pair:
    notes = [tr(mistake.forced)] if mistake.forced else []
    if mistake.shows == "pad_left":
        settings = _with_pad(replace(settings, side="left"))
        notes.append(
            tr("Both sentences have PAD on the left here, where the mistake changes the masks.")
        )
    if mistake.shows == "dropout" and settings.dropout_seed is None:
        dropping = replace(settings.request, config=replace(settings.config, dropout=DROPOUT))
        settings = replace(settings, request=dropping, dropout_seed=0)
        note = tr(
            "Dropout of {dropout:g} is on in both runs here, with the same seed.", dropout=DROPOUT
        )
        notes.append(note)
    if mistake.across and len(settings.batch().src) == 1:
        notes.append(tr("There is one sentence in the batch: add another pair to see them mix."))
    a = _run_side(settings)
    trace = mistaken_trace(
        engine(),
        settings.request,
        mistake,
        a.batch,
        a.row,
        dropout_seed=settings.dropout_seed,
        tell=tell,
    )
    altered = Altered(mistake.id, partial(twin, mistake=mistake))
    b = _altered_side(a, trace, altered, ahead=mistake.ahead, across=mistake.across)
    return Pair(a=a, b=b, title=tr(mistake.title), notes=tuple(notes))


def _by_head(settings: Settings, lost: Head) -> Pair:
    kind, layer, head = lost
    change = AttentionChange(without_head=head)
    a = _run_side(settings)
    trace = _run(settings, a.batch).what_if(kind, layer, change, tell=tell)
    altered = Altered(lost, partial(changed, kind=kind, layer=layer, change=change))
    title = tr("without {head}", head=head_in_words(*lost))
    return Pair(a=a, b=_altered_side(a, trace, altered), title=title)


def _by_sentence(settings: Settings, sentence: str) -> Pair:
    sources = [*settings.sources]
    sources[settings.row] = sentence
    other = replace(settings, sources=tuple(sources))
    b = _run_side(_with_own_answer(other) if settings.answered else other)
    return Pair(a=_run_side(settings), b=b, title=tr("another sentence"))


def _run(settings: Settings, batch: Batch) -> Run:
    return engine().run(
        settings.request, batch, settings.row, dropout_seed=settings.dropout_seed, tell=tell
    )


def _run_side(settings: Settings) -> Side:
    """Run one side, and let it answer."""
    batch, answer = settings.batch(), None
    if _answers(settings):
        answer = written_to(settings, asked_of(settings), settings.row, tell)
    trace = _run(settings, batch).trace
    return Side(settings=settings, batch=batch, row=settings.row, trace=trace, answer=answer)


def _altered_side(
    a: Side, trace: TransformerTrace, altered: Altered, *, ahead: bool = False, across: bool = False
) -> Side:
    """The side of an altered model, which answers until it is longer than A."""
    if a.answer is None:
        return replace(a, trace=trace)
    answer, cut_at = answer_with(a.settings, altered, a.row, a.answer, ahead=ahead, across=across)
    return replace(a, trace=trace, answer=answer, cut_at=cut_at)


def _answers(settings: Settings) -> bool:
    """Whether there is a source to answer, and words to answer with."""
    if not settings.config.has_decoder or isinstance(settings.tokenizer, IdTokenizer):
        return False
    return settings.answered


def _with_answer(settings: Settings, answer: Answer) -> Settings:
    targets = list(settings.targets)
    targets[settings.row] = answer
    return replace(settings, targets=tuple(targets))


def _with_own_answer(settings: Settings) -> Settings:
    """The settings, with this model's own answer to the source on show as target."""
    if not settings.config.has_decoder:
        return replace(settings, targets=("",) * len(settings.sources))
    empty: tuple[str | Answer, ...] = (Answer(()),) * len(settings.sources)
    settings = replace(settings, targets=empty)
    return _with_answer(settings, written_to(settings, asked_of(settings), settings.row, tell))


def _with_pad(settings: Settings) -> Settings:
    """The same sentences with a little more PAD."""
    batch = settings.batch()
    longest = max(batch.src.shape[1], batch.tgt_in.shape[1])
    most = min(MAX_TOKENS, settings.config.max_len)
    return replace(settings, length=max(longest, min(most, longest + MORE_PAD)))
