"""What carries a difference? The panel: sentence B, patches, and A's answers with them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final

import numpy as np
import streamlit as st
from torch import Tensor

from explorer.analysis.causes.asked import Asked
from explorer.analysis.causes.question import Question
from explorer.answers.alike import alike, has_learnt_words
from explorer.answers.asking import asked_of, written_to
from explorer.choices.other_order import exchanges
from explorer.choices.parameters import Why
from explorer.choices.settings import Settings
from explorer.figures.describe import share_in_words
from explorer.languages import sentences, tr
from explorer.markdown import literal
from explorer.names import PAD
from explorer.rules import of_words
from explorer.runtime.causes import Causes, sentence_of
from explorer.runtime.engine import Run, engine
from explorer.text import MAX_PAIRS, Answer
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.choices import value
from explorer.ui.controls.widgets import field
from explorer.ui.frame.running import progress, tell
from explorer.ui.why.choices import (
    chosen_head,
    forget_with_source,
    piece_name,
    question_of,
    typed_rival,
)
from explorer.ui.why.saying import show_answer
from explorer.views.why import difference
from explorer.views.why.heads import restoring_head
from explorer.views.why.parts import VISIBLE

# Words of one piece that differ in one thing, each the other's counterpart.
PAIRS = (
    ("dog", "cat"), ("tired", "wide"), ("he", "she"), ("He", "She"), ("his", "her"),
    ("man", "woman"), ("boy", "girl"), ("father", "mother"), ("brother", "sister"),
    ("son", "daughter"), ("old", "young"), ("big", "small"), ("good", "bad"), ("sea", "mountain"),
    ("house", "car"), ("book", "letter"), ("today", "tomorrow"), ("never", "often"),
    ("one", "two"), ("three", "four"), ("I", "You"), ("happy", "sad"), ("hungry", "thirsty"),
    ("early", "late"), ("hot", "cold"), ("rich", "poor"), ("black", "white"), ("red", "blue"),
    ("loves", "hates"), ("water", "milk"), ("coffee", "tea"), ("bread", "cheese"),
    ("morning", "evening"), ("summer", "winter"), ("Monday", "Sunday"), ("always", "sometimes"),
    ("fish", "meat"), ("apples", "eggs"), ("open", "closed"), ("teacher", "student"),
    ("train", "bus"), ("door", "window"), ("horse", "bird"), ("children", "parents"),
    ("long", "short"), ("easy", "difficult"), ("ill", "busy"), ("German", "French"),
    ("bought", "sold"), ("read", "written"),
)  # fmt: skip
_AROUND = ".,!?;:\"'()"  # marks that stand on words
_VOWELS: Final = "aeiou"
MAX_TRIES: Final = 5  # sentences, until one makes a difference
_OTHER = {**dict(PAIRS), **{b: a for a, b in PAIRS}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """A and B in one batch, so that words have the same ids; both read the target of A."""

    a: Run
    b: Run
    other: str  # B, as it was typed


def show_difference(settings: Settings, causes: Causes) -> None:
    """Let the visitor type B, prefilled, and show how A's answer changes with each part of B."""
    both = _choose_other(settings, causes)
    if both is None:
        return
    b, other, question = both.b, both.other, question_of(both.a, causes.question.position)
    rival = typed_rival(settings, question) or best_of_b(question, b)
    causes = Causes(both.a, replace(question, rival=rival), tell)
    _show_answers(settings, causes.run.row, other)
    asked = Asked.of(causes.question)
    theirs = causes.question.answered(sentence_of(b))
    if abs(theirs - causes.question.answer) < VISIBLE:
        st.info(literal(difference.no_difference(asked, theirs)), icon=":material/info:")
        return
    report = progress(tr("Each head is taken from B …"), after=0.3)
    heads = causes.restored(b, report)
    at = chosen_head(settings) or restoring_head(heads)
    outcome = causes.patched(b, *at)
    result = float(causes.question.measured(outcome))
    apart, nearer = difference.answer(asked, theirs, heads, at, result)
    show_answer(apart, sentences(nearer, _writes_now(causes, b, outcome)))
    live_plot(difference.heads_picture(asked, heads, at, other))
    report = progress(tr("Each position is taken from B …"), after=0.3)
    found = causes.restored_positions(b, report)
    live_plot(difference.positions_picture(asked, found, other))


def _choose_other(settings: Settings, causes: Causes) -> Both | None:
    """Let the visitor type B; None, and why, if it cannot be compared with A."""
    forget_with_source(settings, Why.why_other)
    typed = value(Why.why_other)
    current = _telling_sentence(settings, causes) if typed is None else typed
    other = field(Why.why_other.key, tr("Sentence B"), current)
    if not other.strip():
        st.info(tr("Type a sentence for B."), icon=":material/keyboard:")
        return None
    if other.split() == settings.sources[settings.row].split():
        st.info(tr("B is the same as A: change a word in it."), icon=":material/keyboard:")
        return None
    both = _both(settings, causes.run.row, other)
    mine, its = _n_read(settings, both)
    if mine != its:
        st.info(literal(difference.lengths_differ(mine, its)), icon=":material/info:")
        return None
    for note in settings.tokenizer.batch([other], [""]).notes:
        st.info(literal(note), icon=":material/info:")
    return both


def best_of_b(question: Question, b: Run) -> int | None:
    """The piece that B would write in place of the word in question; None if it is the same."""
    if not b.request.config.n_logits:
        return None
    logits = of_words(sentence_of(b).outcome[question.position], b.batch.specials)
    best = int(logits.argmax())
    return None if best == question.token else best


def _telling_sentence(settings: Settings, causes: Causes) -> str:
    """A with a change that makes a difference to the word in question, if one of a few does."""
    source, found = settings.sources[settings.row], []
    pieces = len(settings.tokenizer.split(source))
    fitting = (
        candidate
        for candidate in _changed(settings, causes)
        if candidate != source and len(settings.tokenizer.split(candidate)) == pieces
    )
    for candidate in islice(fitting, MAX_TRIES):
        found.append(candidate)
        both = _both(settings, causes.run.row, candidate)
        if _differs(question_of(both.a, causes.question.position), both.b):
            return candidate
    return found[0] if found else source


def _differs(question: Question, b: Run) -> bool:
    """Whether A and B differ visibly in what is in question."""
    question = replace(question, rival=best_of_b(question, b))
    return Asked.of(question).is_noticeable(question.answered(sentence_of(b)))


def _changed(settings: Settings, causes: Causes) -> Iterator[str]:
    """A with one word changed, best the one that mattered most; then in other ways.

    First words with a counterpart, or that the model has learnt as alike; then a piece replaced by
    another one that the model has learnt, two words exchanged, and a vowel replaced.
    """
    ran, source, labels = causes.run, settings.sources[settings.row], causes.run.src_labels
    words, order, pieces = [word.strip(_AROUND) for word in source.split(" ")], [], [*labels]
    if settings.config.has_encoder:
        effects = causes.attributed("occlusion").source
        assert effects is not None
        ranked = np.argsort(-effects).tolist()
        pieces = [labels[at] for at in ranked]
        order = [at for at in ranked if labels[at] in words]
        words = [labels[at] for at in order]
    yield from (_replaced(source, word, _OTHER[word]) for word in words if word in _OTHER)
    if has_learnt_words(settings):
        for at, near in zip(order, alike(ran, "src", order), strict=True):
            yield from (_replaced(source, labels[at], other) for other, _ in near)
    if settings.learnt is not None and (task := settings.learnt.task) is not None:
        for piece, other in product(pieces, ran.batch.src_vocab.tokens):
            candidate = source.replace(piece, other, 1)
            if task.answer(task.split(candidate)) is not None:
                yield candidate
    yield from exchanges(source)
    for at, other in product(range(len(source)), _VOWELS):
        if source[at] in _VOWELS:
            yield source[:at] + other + source[at + 1 :]


def _replaced(source: str, word: str, other: str) -> str:
    """The sentence with another word in place of one."""
    parts = source.split(" ")
    at = [part.strip(_AROUND) for part in parts].index(word)
    parts[at] = parts[at].replace(word, other, 1)
    return " ".join(parts)


def _both(settings: Settings, row: int, other: str) -> Both:
    sources, targets = list(settings.sources), list(settings.targets)
    if settings.learnt is not None and settings.learnt.task is not None:
        words = settings.batch().tgt_vocab  # their ids change with the words of B
        targets = [
            settings.tokenizer.join(words.decode(target.ids))
            if isinstance(target, Answer)
            else target
            for target in targets
        ]
    if len(sources) >= MAX_PAIRS:
        last = MAX_PAIRS - 1 if row < MAX_PAIRS - 1 else 0
        sources, targets = sources[:MAX_PAIRS], targets[:MAX_PAIRS]
        sources[last], targets[last] = other, targets[row]
    else:
        last = len(sources)
        sources, targets = [*sources, other], [*targets, targets[row]]
    both = replace(settings, sources=tuple(sources), targets=tuple(targets))
    batches = {at: replace(both, row=at).batch() for at in (row, last)}
    a, b = (engine().run(settings.request, batch, at, tell=tell) for at, batch in batches.items())
    return Both(a=a, b=b, other=other)


def _n_read(settings: Settings, both: Both) -> tuple[int, int]:
    """The tokens of A and of B; of a decoder alone without its answer, which it reads with them."""
    if settings.config.has_encoder:
        a, b = (sum(label != PAD for label in one.src_labels) for one in (both.a, both.b))
    else:
        a, b = (
            len(settings.tokenizer.split(text))
            for text in (settings.sources[settings.row], both.other)
        )
    return a, b


def _show_answers(settings: Settings, row: int, other: str) -> None:
    """The model's answer to each sentence by itself."""
    if not settings.answered:
        return
    both = (settings.sources[row], other)
    asking = replace(settings, sources=both, targets=(Answer(()), Answer(())), row=0)
    asked = asked_of(asking)
    written = [
        settings.tokenizer.join(asked.tgt_vocab.decode(written_to(asking, asked, at, tell).ids))
        for at in range(2)
    ]
    st.text(difference.answers(both, written))


def _writes_now(causes: Causes, b: Run, outcome: Tensor) -> str:
    """The likeliest piece of this outcome; nothing of a model without words."""
    if not b.request.config.n_logits:
        return ""
    best = int(of_words(outcome, b.batch.specials).argmax())
    share = share_in_words(float(outcome.softmax(dim=-1)[best]))
    word = piece_name(causes.question, best)
    return tr("It would write “{word}” now ({share}).", word=word, share=share)
