"""The two runs of the lab: A as it is on show, B with one thing changed."""

from dataclasses import dataclass, replace
from typing import Any, Final

from explorer.analysis.attention import Attention
from explorer.analysis.variants import same_tensors, varied
from explorer.languages import tr
from explorer.mistakes.catalogue import Mistake
from explorer.names import PAD, AttentionKind, PaddingSide
from explorer.runtime.engine import engine
from explorer.runtime.generation import DecodingOptions, Method, generate
from explorer.runtime.mistaken import mistaken_trace
from explorer.text import MAX_TOKENS, Answer, Batch
from explorer.tokenizer import IdTokenizer
from explorer.transformer import TransformerTrace
from explorer.ui.asking import asked_of, limit_of, written_to
from explorer.ui.controls.choices import choices
from explorer.ui.controls.weights import weights_in_words
from explorer.ui.lab.choices import METHODS, Choice, part_in_words
from explorer.ui.lab.writing import answer_with
from explorer.ui.parameters import Frame
from explorer.ui.running import tell
from explorer.ui.settings import Settings
from explorer.ui.sources import source_of
from explorer.weights.catalogue import UNTRAINED, learnt, request, tokenizer

MORE_PAD: Final = 2
TELLING_SEED: Final = 1  # sampling then writes another answer to the sentence that the app opens on
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

    def head(self, kind: AttentionKind, layer: int, head: int) -> tuple[Attention | None, int]:
        """The attention and head on show, or the nearest; None if it has none of this kind."""
        config = self.settings.config
        layer, head = min(layer, config.layers_of(kind) - 1), min(head, config.n_heads - 1)
        found = Attention.of(self.trace, self.batch, self.row, kind, layer) if layer >= 0 else None
        return found, head


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Both runs, and what the reader has to know about them."""

    a: Side
    b: Side
    title: str  # of B
    notes: tuple[str, ...] = ()

    def heads(
        self, choice: Choice
    ) -> tuple[tuple[Attention | None, Attention | None], tuple[int, int]]:
        """The attentions and the heads, from 0, of A and B on show."""
        layer = choice.layer if choice.other_layer is None else choice.other_layer
        head = choice.head if choice.other_head is None else choice.other_head
        a = self.a.head(choice.kind, choice.layer, choice.head)
        b = self.b.head(choice.kind, layer, head)
        return (a[0], b[0]), (a[1], b[1])


def both(settings: Settings, choice: Choice) -> Pair:
    """Run A and B.

    Raises:
        TooLargeError: if memory does not suffice.
        WeightsGoneError: if the weights are gone.
    """
    return {
        "mistake": _by_mistake,
        "weights": _by_weights,
        "sentence": _by_sentence,
        "head": _by_head,
        "part": _by_part,
        "side": _by_side,
        "method": _by_method,
    }[choice.differs](settings, choice)


def _by_mistake(settings: Settings, choice: Choice) -> Pair:
    mistake = choice.mistake
    assert mistake is not None
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
    b = _run_side(settings, mistake, right=a.answer)
    return Pair(a=a, b=b, title=tr(mistake.title), notes=tuple(notes))


def _by_weights(settings: Settings, choice: Choice) -> Pair:
    a = _run_side(settings)
    source = source_of({**choices(), Frame.weights.key: choice.weights})
    device = settings.request.device
    if source == UNTRAINED:
        untrained = settings.request.source == UNTRAINED
        seed = settings.request.seed + untrained
        asked = request(source, settings.config, seed=seed, device=device)
        b = _run_side(replace(settings, request=asked, learnt=None))
        title = tr("untrained, seed {seed}", seed=seed)
        note = tr("B has the shape of A, and random weights.")
        return Pair(a=a, b=b, title=title, notes=(note,))
    asked = request(source, device=device, dropout=settings.config.dropout)
    own = replace(settings, request=asked, learnt=learnt(source), tokenizer=tokenizer(source))
    title = tr("weights: {name}", name=weights_in_words(choice.weights))
    if _reads_the_same(own, a.batch):
        return Pair(a=a, b=_run_side(own, batch=a.batch), title=title)
    note = tr("B reads the sentence with a vocabulary of its own, and reads its own answer.")
    return Pair(a=a, b=_run_side(_with_own_answer(own)), title=title, notes=(note,))


def _by_sentence(settings: Settings, choice: Choice) -> Pair:
    sources = [*settings.sources]
    sources[settings.row] = choice.sentence
    other = replace(settings, sources=tuple(sources))
    b = _run_side(_with_own_answer(other) if settings.answered else other)
    return Pair(a=_run_side(settings), b=b, title=tr("another sentence"))


def _by_head(settings: Settings, choice: Choice) -> Pair:
    a = _run_side(settings)
    assert choice.other_layer is not None
    assert choice.other_head is not None
    layer, head = choice.other_layer + 1, choice.other_head + 1
    title = tr("layer {layer}, head {head}", layer=layer, head=head)
    note = tr("A and B are heads of one run: logits and answer are the same.")
    return Pair(a=a, b=a, title=title, notes=(note,))


def _by_part(settings: Settings, choice: Choice) -> Pair:
    a = _run_side(settings)
    config = varied(settings.config, choice.part)
    title = part_in_words(settings.config, choice.part)
    asked = replace(settings.request, config=config)
    if settings.learnt is None:
        return Pair(a=a, b=_run_side(replace(settings, request=asked)), title=title)
    if same_tensors(settings.config, config):
        note = tr("B has the trained weights of A. They were learnt without this change.")
        return Pair(a=a, b=_run_side(replace(settings, request=asked)), title=title, notes=(note,))
    untrained = replace(asked, source=UNTRAINED)
    note = tr("The trained weights do not fit this model: B is untrained.")
    b = _run_side(replace(settings, request=untrained, learnt=None))
    return Pair(a=a, b=b, title=tr("{part}, untrained", part=title), notes=(note,))


def _by_side(settings: Settings, choice: Choice) -> Pair:
    batch, row = settings.batch(), settings.row
    notes: tuple[str, ...] = ()
    if PAD not in batch.src_labels[row] or PAD not in batch.tgt_in_labels[row]:
        settings = _with_pad(settings)
        note = tr(
            "Both runs have {more} PAD more than is needed, so that there is a side.", more=MORE_PAD
        )
        notes = (note,)
    other = replace(settings, side="left" if settings.side == "right" else "right")
    a, b = (_run_side(one, asked_on=one.side) for one in (settings, other))
    title = tr("PAD on the left") if other.side == "left" else tr("PAD on the right")
    return Pair(a=a, b=b, title=title, notes=notes)


def _by_method(settings: Settings, choice: Choice) -> Pair:
    a = _run_side(settings)
    title = tr(METHODS[choice.method])
    if a.answer is None:
        return Pair(a=a, b=a, title=title, notes=(tr("This model answers nothing."),))
    method: Method = "beam" if choice.method == "beam" else "sampling"
    options = DecodingOptions(method=method, seed=TELLING_SEED)
    asked = asked_of(settings)
    row = a.row
    generation = generate(
        engine(),
        settings.request,
        asked.source(row),
        replace(options, limit=limit_of(settings, asked, row)),
        specials=asked.specials,
        prompt=() if settings.config.has_encoder else asked.prompts[row],
        tell=tell,
    )
    ids = [word.chosen for word in generation.words]
    sure = [float(word.probabilities[word.chosen]) for word in generation.words]
    answer = Answer.of(ids, asked.specials, sure)
    b = _run_side(_with_answer(settings, answer), answer=answer)
    return Pair(a=a, b=b, title=title)


def _run_side(
    settings: Settings,
    mistake: Mistake | None = None,
    *,
    batch: Batch | None = None,
    answer: Answer | None = None,
    right: Answer | None = None,
    asked_on: PaddingSide = "right",
) -> Side:
    """Run one side, and let it answer; a mistaken one until it is longer than the `right` answer.

    Its answer is written word by word while someone types, and it need not be read to its end.
    """
    batch = settings.batch() if batch is None else batch
    row = settings.row
    asked: dict[str, Any] = {"dropout_seed": settings.dropout_seed, "tell": tell}
    if mistake is None:
        trace = engine().run(settings.request, batch, row, **asked).trace
    else:
        trace = mistaken_trace(engine(), settings.request, mistake, batch, row, **asked)
    cut_at = None
    if mistake is not None and right is not None:
        answer, cut_at = answer_with(settings, mistake, row, right)
    elif answer is None and _answers(settings):
        answer = written_to(settings, asked_of(settings, asked_on), row)
    return Side(settings=settings, batch=batch, row=row, trace=trace, answer=answer, cut_at=cut_at)


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
    return _with_answer(settings, written_to(settings, asked_of(settings), settings.row))


def _reads_the_same(settings: Settings, batch: Batch) -> bool:
    """Whether a model reads these ids as the same words."""
    if isinstance(settings.tokenizer, IdTokenizer) or not settings.config.has_decoder:
        return False
    own = settings.tokenizer.batch(
        settings.sources, [Answer(())] * len(settings.sources), side=settings.side
    )
    return own.src_vocab == batch.src_vocab and own.tgt_vocab == batch.tgt_vocab


def _with_pad(settings: Settings) -> Settings:
    """The same sentences with a little more PAD."""
    batch = settings.batch()
    longest = max(batch.src.shape[1], batch.tgt_in.shape[1])
    most = min(MAX_TOKENS, settings.config.max_len)
    return replace(settings, length=max(longest, min(most, longest + MORE_PAD)))
