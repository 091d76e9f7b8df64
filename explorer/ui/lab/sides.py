"""The two runs of the lab: A as it is on show, B with one thing changed."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from explorer.analysis.attention import Attention
from explorer.analysis.causes.asked import Head, head_in_words
from explorer.analysis.what_if import AttentionChange, changed
from explorer.answers.asking import asked_of, limit_of, written_to
from explorer.choices.settings import Settings
from explorer.languages import tr
from explorer.mistakes.catalogue import Mistake
from explorer.runtime.engine import Run, engine
from explorer.runtime.generation import Altered, answer_to
from explorer.runtime.mistaken import mistaken_trace, twin
from explorer.text import MAX_TOKENS, Answer, Batch
from explorer.transformer import TransformerTrace
from explorer.ui.frame.running import drafts_of, tell
from explorer.ui.lab.choices import Choice

MORE_PAD: Final = 2
DROPOUT: Final = 0.1  # where it is needed and the visitor has chosen none
LONGER: Final = 5  # tokens that a mistaken answer may have more than the right one
LONGEST: Final = 30  # tokens of a mistaken answer of which none can be guessed


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
    if settings.answered:
        answer = written_to(settings, asked_of(settings), settings.row, tell)
    trace = _run(settings, batch).trace
    return Side(settings=settings, batch=batch, row=settings.row, trace=trace, answer=answer)


def _altered_side(
    a: Side, trace: TransformerTrace, altered: Altered, *, ahead: bool = False, across: bool = False
) -> Side:
    """The side of an altered model, which answers until it is longer than A.

    Its first draft is A's answer; while someone types, its own answer before. With a mistake, its
    words may see those `ahead`, or those of other sentences, `across` the batch.
    """
    if a.answer is None:
        return replace(a, trace=trace)
    settings, row, right = a.settings, a.row, a.answer.ids
    asked, drafts = asked_of(settings), drafts_of("lab_draft", (settings.request, altered.name))
    usual = limit_of(settings, asked, row)
    limit = min(usual, len(right) + 1 + LONGER)
    if ahead or across:
        limit = min(limit, LONGEST)
    written = answer_to(
        engine(),
        settings.request,
        asked.sources if across else asked.sources[row : row + 1],
        specials=asked.specials,
        limit=min(limit, settings.config.max_len - 1),
        row=row if across else 0,
        # No guess can be checked if a word sees those that follow it; other sentences have none.
        draft=() if ahead or across else drafts.get(row, right),
        prompt=() if settings.config.has_encoder else asked.prompts[row],
        altered=altered,
        tell=tell,
    )
    drafts[row] = written.ids
    answer = Answer.of(written.ids, asked.specials, written.probabilities)
    given_up = not answer.ended and len(answer.ids) == limit < usual
    return replace(a, trace=trace, answer=answer, cut_at=limit if given_up else None)


def _with_own_answer(settings: Settings) -> Settings:
    """The settings, with this model's own answer to the source on show as target."""
    targets: list[str | Answer] = [Answer(())] * len(settings.sources)
    asking = replace(settings, targets=tuple(targets))
    targets[settings.row] = written_to(asking, asked_of(asking), settings.row, tell)
    return replace(settings, targets=tuple(targets))


def _with_pad(settings: Settings) -> Settings:
    """The same sentences with a little more PAD."""
    batch = settings.batch()
    longest = max(batch.src.shape[1], batch.tgt_in.shape[1])
    most = min(MAX_TOKENS, settings.config.max_len)
    return replace(settings, length=max(longest, min(most, longest + MORE_PAD)))
