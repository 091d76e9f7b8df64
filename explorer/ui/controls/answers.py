"""The model's answers in place of typed targets: the decoder reads its own words."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.figures.labels import elide
from explorer.languages import tr
from explorer.names import UNK
from explorer.tasks.verdict import Verdict, judge
from explorer.text import Answer, Batch
from explorer.ui.asking import as_answer, asked_of, written_to
from explorer.ui.components.answer_pieces import answer_pieces
from explorer.ui.controls.sentences import note_answers
from explorer.ui.markdown import literal
from explorer.ui.outside import unknown_words, why_doubted, why_outside
from explorer.ui.running import on_page
from explorer.ui.settings import Settings


def answered(settings: Settings, fields: list[DeltaGenerator], pieces: DeltaGenerator) -> Settings:
    """The settings with the model's own answers as targets.

    Shows them in `fields`, and the probabilities of the answer to the pair on show in `pieces`.
    """
    asked = asked_of(settings)
    found, note = answers_to(settings, asked), ""
    for row, field in enumerate(fields):
        answer = found[row] if row < len(found) else None
        words, verdict = "", None
        if answer is not None:
            words = settings.tokenizer.join(asked.tgt_vocab.decode(answer.ids))
            verdict = verdict_on(settings, asked, row, answer)
            if row == settings.row and verdict is not None:
                note = _note(verdict)
        key = f"answer{row + 1}"
        st.session_state[key] = words
        label = _label(settings, row, verdict, noted=row == settings.row)
        field.text_input(label, key=key, disabled=True)
    note_answers([st.session_state[f"answer{row + 1}"] for row in range(len(fields))])
    with pieces:
        _show_pieces(asked, found, settings.row, note)
    targets = [found[row] or Answer(()) for row in range(len(settings.sources))]
    return replace(settings, targets=tuple(targets))


def _show_pieces(asked: Batch, found: list[Answer | None], row: int, note: str) -> None:
    answer = (found[row] if row < len(found) else None) or Answer((), ended=False)
    words = asked.tgt_vocab.decode(answer.ids)
    pieces = [*words, *asked.tgt_names([asked.specials.eos])] if answer.ended else words
    what = tr("Answer, with the probability of each piece")
    if len(found) > 1:
        what = tr("Answer {number}, with the probability of each piece", number=row + 1)
    answer_pieces(pieces, answer.probabilities, what, note=note)


def answers_to(settings: Settings, asked: Batch) -> list[Answer | None]:
    """The answer to every source; None for rows that are empty or not read."""
    # While somebody types, much of an answer stays: the last one is a draft of the next.
    model, drafts = st.session_state.get("drafts", (None, {}))
    if model != settings.request:
        drafts = {}
    found: list[Answer | None] = [None] * len(settings.sources)
    with on_page():
        for row in range(len(asked.src)):
            if settings.sources[row].strip() and not asked.is_empty(row):
                written = written_to(settings, asked, row, drafts.get(row, ()))
                drafts = drafts | {row: written.ids}
                found[row] = as_answer(written.ids, written.probabilities, asked.specials.eos)
    st.session_state.drafts = settings.request, drafts
    return found


def verdict_on(settings: Settings, asked: Batch, row: int, answer: Answer) -> Verdict | None:
    """The verdict on an answer; None if nobody can say whether it is right."""
    if settings.learnt is None:
        return None
    if settings.learnt.task is None:
        if why := why_outside(settings, row) or why_doubted(settings, row, answer):
            return Verdict(kind="outside", right=None, why=why)
        goes_on = not settings.config.has_encoder  # a text has no end of its own
        return None if answer.ended or goes_on else Verdict(kind="cut off", right=None)
    source = settings.tokenizer.split(settings.sources[row])
    unknown = unknown_words(asked.src_vocab, source)
    words = tuple(asked.tgt_vocab.decode(answer.ids))
    return judge(settings.learnt.task, source, words, ended=answer.ended, unknown=unknown)


def verdict_in_words(verdict: Verdict) -> str:
    """A verdict as a sentence."""
    if verdict.kind == "right":
        return tr("The model's answer is right.")
    if verdict.kind == "outside":
        said = tr("Outside of what the model learnt: {why}.", why=verdict.why)
    elif verdict.kind == "cut off":
        said = tr("The model did not end its answer.")
    else:
        said = tr("The model's answer is wrong.")
    if verdict.right is None:
        return said
    right = tr("The right answer: {words}.", words=" ".join(verdict.right))
    return f"{said} {right}"


def _note(verdict: Verdict) -> str:
    """What stands below the answer on show, if anything speaks against it."""
    if verdict.kind == "right":
        return ""
    if verdict.kind == "outside":
        return tr(
            "Do not rely on the model's answer here, nor on what its heads seem to do: {why}.",
            why=verdict.why,
        )
    return verdict_in_words(verdict)


def _label(settings: Settings, row: int, verdict: Verdict | None, *, noted: bool) -> str:
    """What stands beside an answer: which one it is, and whether it is right.

    If a note below it says the rest, a sign is enough, and the answer has the room.
    """
    if settings.config.has_encoder:
        answer = tr("Model's answer {number}", number=row + 1)
    else:
        answer = tr("The model goes on {number}", number=row + 1)
    if verdict is None:
        return answer
    if verdict.kind == "right":
        return f"{answer} ✓"
    if noted:
        return f"{answer} ✗" if verdict.kind == "wrong" else f"{answer} ⚠"
    if verdict.kind == "outside":
        if verdict.unknown:
            return f"{answer} · {UNK}: {literal(elide(verdict.unknown, 12))}"
        return tr("{answer} · outside of what it learnt", answer=answer)
    if verdict.kind == "cut off":
        answer = tr("{answer} is cut off", answer=answer)
    else:
        answer = f"{answer} ✗"
    if verdict.right is None:
        return answer
    return tr("{answer} (right: {words})", answer=answer, words=_short(verdict.right))


def _short(words: tuple[str, ...]) -> str:
    return literal(elide(" ".join(words), 40))
