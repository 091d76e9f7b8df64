"""What carries a difference? The panel: sentence B, patches, and what A writes with them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.analysis.causes.asked import Asked
from explorer.analysis.causes.question import Question
from explorer.decoding import of_words
from explorer.figures.theme import THEMES
from explorer.languages import tr
from explorer.names import BOS, EOS, PAD
from explorer.runtime.causes import Causes, sentence_of
from explorer.runtime.engine import Run, engine
from explorer.text import MAX_PAIRS, Answer
from explorer.ui.alike import alike, has_words
from explorer.ui.asking import asked_of, written_to
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.choices import value
from explorer.ui.controls.widgets import field
from explorer.ui.markdown import literal
from explorer.ui.other_order import exchanged
from explorer.ui.parameters import Why
from explorer.ui.running import on_page, progress, tell
from explorer.ui.settings import Settings
from explorer.ui.why.choices import chosen_head
from explorer.ui.why.saying import say
from explorer.views.why import difference
from explorer.views.why.heads import Place, restoring_head

# Words of one piece that differ in one thing, each the other's counterpart.
PAIRS = (
    ("dog", "cat"), ("tired", "wide"), ("he", "she"), ("He", "She"), ("his", "her"),
    ("man", "woman"), ("boy", "girl"), ("father", "mother"), ("brother", "sister"),
    ("son", "daughter"), ("old", "young"), ("big", "small"), ("good", "bad"), ("sea", "mountain"),
    ("house", "car"), ("book", "letter"), ("today", "tomorrow"), ("never", "often"),
    ("one", "two"), ("three", "four"), ("I", "You"),
)  # fmt: skip
_AROUND = ".,!?;:\"'()"  # marks that stand on words
_OTHER = {**dict(PAIRS), **{b: a for a, b in PAIRS}}


def show_difference(settings: Settings, causes: Causes) -> None:
    """B, prefilled from A with one word changed; what each part of B brings into A."""
    theme = THEMES[settings.theme]
    row = causes.run.row
    typed = value(Why.why_other)
    current = changed_sentence(settings, causes) if typed is None else typed
    other = field(Why.why_other.key, tr("Sentence B"), current)
    if not other.strip():
        st.info(tr("Type a source sentence for B."), icon=":material/keyboard:")
        return
    a, b = _both(settings, row, other)
    said = [sum(label != PAD for label in _labels(settings, ran)) for ran in (a, b)]
    if said[0] != said[1]:
        st.info(literal(difference.lengths_differ(*said)), icon=":material/info:")
        return
    causes = _against_b(replace(causes, run=a, question=_on(causes.question, a)), b)
    asked = Asked.of(causes.question)
    theirs = causes.question.answered(sentence_of(b))
    if asked.level(theirs) == asked.level(causes.question.answer):
        st.info(literal(difference.no_difference(asked)), icon=":material/info:")
        return
    _show_answers(settings, row, other)
    report = progress(tr("Each head is taken from B …"), after=0.3)
    heads = difference.as_grids(causes.restored(b, report))
    say(*difference.answer(asked, theirs, heads))
    at = chosen_head(settings) or restoring_head(heads)
    live_plot(difference.heads_picture(asked, heads, at, other, theme))
    st.text(difference.patched_in_words(_patched(asked, causes, b, theirs, at)))
    report = progress(tr("Each position is taken from B …"), after=0.3)
    found = difference.as_grids(causes.restored_positions(b, report))
    live_plot(difference.positions_picture(asked, found, other, theme))


def telling_word(settings: Settings, ran: Run, places: Sequence[int]) -> int:
    """The word, among those at `places`, that B changes most."""
    first = places[0]
    with on_page():
        typed = value(Why.why_other)
        other = typed or changed_sentence(settings, Causes.of(ran, first, tell=tell))
        a, b = _both(settings, ran.row, other)
    if len(sentence_of(a).outcome) != len(sentence_of(b).outcome):
        return first
    asked = [Question.of(sentence_of(a), at) for at in places]
    changes = [abs(one.answered(sentence_of(b)) - one.answer) for one in asked]
    return places[int(np.argmax(changes))]


def changed_sentence(settings: Settings, causes: Causes) -> str:
    """A with one word changed to another one of as many pieces, best the one that mattered most."""
    source = settings.sources[min(causes.run.row, len(settings.sources) - 1)]
    pieces = len(settings.tokenizer.split(source))
    for candidate in _changed(settings, causes, source):
        if candidate != source and len(settings.tokenizer.split(candidate)) == pieces:
            return candidate
    return exchanged(source)


def _changed(settings: Settings, causes: Causes, source: str) -> Iterator[str]:
    """A with its counterpart for each word; then with words that the model has learnt as alike."""
    words = [word.strip(_AROUND) for word in source.split(" ")]
    if not settings.config.has_encoder:
        yield from (_replaced(source, word, _OTHER[word]) for word in words if word in _OTHER)
        return
    effects, labels = causes.attributed("occlusion").source, causes.run.src_labels
    assert effects is not None
    order = [at for at in np.argsort(-effects).tolist() if labels[at] in words]
    for at in order:
        if labels[at] in _OTHER:
            yield _replaced(source, labels[at], _OTHER[labels[at]])
    if has_words(settings):
        for at, near in zip(order, alike(causes.run, "src", order), strict=True):
            yield from (_replaced(source, labels[at], other) for other, _ in near)


def _replaced(source: str, word: str, other: str) -> str:
    """The sentence with another word in place of one."""
    parts = source.split(" ")
    at = [part.strip(_AROUND) for part in parts].index(word)
    parts[at] = parts[at].replace(word, other, 1)
    return " ".join(parts)


def _both(settings: Settings, row: int, other: str) -> tuple[Run, Run]:
    """A and B in one batch, so that words have the same ids; both read the target of A."""
    sources, targets = list(settings.sources), list(settings.targets)
    if len(sources) >= MAX_PAIRS:
        last = MAX_PAIRS - 1 if row < MAX_PAIRS - 1 else 0
        sources, targets = sources[:MAX_PAIRS], targets[:MAX_PAIRS]
        sources[last], targets[last] = other, targets[row]
    else:
        last = len(sources)
        sources, targets = [*sources, other], [*targets, targets[row]]
    batch = settings.tokenizer.batch(sources, targets, side=settings.side, length=settings.length)
    a, b = (engine().run(settings.request, batch, at, tell=tell) for at in (row, last))
    return a, b


def _labels(settings: Settings, ran: Run) -> tuple[str, ...]:
    """What was read of the sentence that differs."""
    return ran.src_labels if settings.config.has_encoder else ran.tgt_labels


def _on(question: Question, ran: Run) -> Question:
    """The same question about the same sentence in another batch."""
    words = bool(question.sentence.model.config.n_logits)
    rival = Asked.of(question).rival if question.rival is not None else None
    token = None if words else question.token
    return Question.of(sentence_of(ran), question.position, token, rival)


def _against_b(causes: Causes, b: Run) -> Causes:
    """Without a rival, what B would write is one: log p alone is about A's word only."""
    question, theirs = causes.question, sentence_of(b)
    if question.rival is not None or not b.request.config.n_logits:
        return causes
    logits = of_words(theirs.outcome[question.position], b.batch.specials)
    best = int(logits.argmax())
    return (
        causes
        if best == question.token
        else replace(causes, question=replace(question, rival=best))
    )


def _show_answers(settings: Settings, row: int, other: str) -> None:
    """What the model makes of each sentence by itself."""
    if not settings.answered:
        return
    both = (settings.sources[row], other)
    asking = replace(settings, sources=both, targets=(Answer(()), Answer(())), row=0)
    asked, said_of = asked_of(asking), []
    for at, (name, source) in enumerate(zip("AB", both, strict=True)):
        words = asked.tgt_vocab.decode(written_to(asking, asked, at).ids)
        said = settings.tokenizer.join([w for w in words if w not in (BOS, EOS, PAD)])
        said_of.append(f"{name}: {source} → {said}")
    st.text("   ·   ".join(said_of))


def _patched(asked: Asked, causes: Causes, b: Run, theirs: float, at: Place) -> difference.Patched:
    """What A writes when one head is taken from B."""
    outcome = causes.patched(b, *at)
    writes, share = "", 0.0
    if b.request.config.n_logits:
        best = int(of_words(outcome, b.batch.specials).argmax())
        writes = Asked.of(Question.of(causes.question.sentence, asked.question.position, best)).word
        share = float(outcome.softmax(dim=-1)[best])
    result = float(causes.question.measured(outcome))
    return difference.Patched(
        asked=asked, other=theirs, at=at, result=result, writes=writes, share=share
    )
