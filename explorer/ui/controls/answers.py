"""The model's answers in place of typed targets: the decoder reads its own words."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.attention import content_words
from explorer.answers.asking import asked_of, rows_written, written_to
from explorer.answers.outside import how_sure, unknown_words, why_doubted, why_unlike
from explorer.choices.parameters import Decoding, Look, Stack, Why
from explorer.choices.settings import Settings
from explorer.languages import sentences, tr
from explorer.markdown import literal
from explorer.tasks.verdict import Verdict, judge
from explorer.text import Answer, Batch
from explorer.ui.components.answer_pieces import answer_pieces
from explorer.ui.controls.choices import choose_by_key, chosen
from explorer.ui.controls.sentences import remember_answers
from explorer.ui.decoding.written import answer_here, options_on_show
from explorer.ui.frame.running import drafts_of, on_page, tell
from explorer.ui.frame.session import held, session


def _at_query(row: int, piece: int) -> dict[str, object]:
    """The query that writes a piece, in an attention that has target words as queries."""
    del piece
    kind = chosen(Look.attention)
    return {
        Look.attention.key: "cross" if kind == "encoder" else kind,
        Look.query.key: row,
        Look.key.key: None,
    }


# What a click on a piece of the answer chooses, by page: from the target's row that writes it, and
# its number.
_POINTS: Final[dict[str, Callable[[int, int], dict[str, object]]]] = {
    "masks": _at_query,
    "attention": _at_query,
    "steps": _at_query,
    "why": lambda row, _: {Why.why_at.key: row, Why.rival.key: None},
    "stack": lambda row, _: {Stack.word.key: row},
    "decoding": lambda _, piece: {Decoding.at.key: piece + 1},
}


def answered(settings: Settings, fields: dict[int, DeltaGenerator]) -> Settings:
    """The settings with the model's own answers as targets; shows them in `fields`, by row.

    The line on top shows the answer of the pair on show, piece by piece.
    """
    asked = asked_of(settings)
    found = answers_to(settings, asked)
    words = ["" if answer is None else _spelt(settings, asked, answer) for answer in found]
    remember_answers(words)
    settings = replace(settings, targets=tuple(answer or Answer(()) for answer in found))
    for row, field in fields.items():
        answer = found[row] if row < len(found) else None
        with field:
            if row == settings.row:
                _show_pieces(settings, asked, answer)
            else:
                verdict = None if answer is None else _verdict_on(settings, asked, row, answer)
                text = words[row] if row < len(words) else ""
                name = held(f"answer{row + 1}", text, lambda _: None)
                note, label = _note(verdict), _name(settings, row)
                is_right = verdict is not None and verdict.kind == "right"
                label = f"{label} {note}" if is_right else label
                st.text_input(label, text, key=name, disabled=True)
                if note and not is_right:
                    st.caption(literal(note))
    return settings


def _spelt(settings: Settings, asked: Batch, answer: Answer) -> str:
    return settings.tokenizer.join(asked.tgt_vocab.decode(answer.ids))


def _show_pieces(settings: Settings, asked: Batch, answer: Answer | None) -> None:
    """Draw the answer of the pair on show: on the page *Decoding*, that page's own."""
    row, page, own = settings.row, session().page, None
    if page == "decoding" and answer is not None:
        with on_page():
            own = answer_here(settings)
    answer = own or answer
    verdict = None if answer is None else _verdict_on(settings, asked, row, answer)
    answer = answer or Answer((), ended=False)
    pieces = asked.tgt_vocab.decode(answer.ids)
    if answer.ended:
        pieces = [*pieces, *asked.tgt_names([answer.end_of(asked.specials)])]
    note = _note(verdict)
    name = f"{_name(settings, row)} {note[:1]}"
    if own is not None and options_on_show(settings).instead:
        note = tr("with your word")
    rows = rows_written(settings, row)
    answer_pieces(
        pieces,
        answer.probabilities,
        name.strip(),
        words=_spelt(settings, asked, answer),
        note=note,
        sure=how_sure(settings, row, answer) if own is None else "",  # measured on greedy ones
        in_picture=page == "home",
        chosen=_in_question(settings, row, rows) if page == "why" and pieces else None,
        on_picked=partial(_point_at, page, rows) if page in _POINTS else None,
    )


def _in_question(settings: Settings, row: int, rows: list[int]) -> int:
    """The number of the piece that *Why?* asks about; without a choice, the first content word."""
    at = chosen(Why.why_at)
    words = settings.batch().tgt_out_labels[row]
    return rows.index(at) if at in rows else content_words([words[at] for at in rows])[0]


def _point_at(page: str, rows: list[int], piece: int) -> None:
    """Have the page show a piece of the answer, counted from 0."""
    if piece < len(rows):
        for key, choice in _POINTS[page](rows[piece], piece).items():
            choose_by_key(key, choice)


def answers_to(settings: Settings, asked: Batch) -> list[Answer | None]:
    """The answer to every source; None for rows that are empty or not read."""
    drafts = drafts_of("drafts", settings.request)
    found: list[Answer | None] = [None] * len(settings.sources)
    with on_page():
        for row in range(len(asked.src)):
            if settings.sources[row].strip() and not asked.is_empty(row):
                found[row] = answer = written_to(settings, asked, row, tell, drafts.get(row, ()))
                drafts[row] = answer.ids
    return found


def _verdict_on(settings: Settings, asked: Batch, row: int, answer: Answer) -> Verdict | None:
    """The verdict on an answer; None if nobody can say whether it is right."""
    if settings.learnt is None:
        return None
    if settings.learnt.task is None:
        if why := why_unlike(settings, row):
            return Verdict(kind="outside", right=None, why=why)
        if why := why_doubted(settings, row, answer):
            return Verdict(kind="doubted", right=None, why=why)
        goes_on = not settings.config.has_encoder  # a text has no end of its own
        return None if answer.ended or goes_on else Verdict(kind="cut off", right=None)
    source = settings.tokenizer.split(settings.sources[row])
    unknown = unknown_words(asked.src_vocab, source)
    words = tuple(asked.tgt_vocab.decode(answer.ids))
    return judge(settings.learnt.task, source, words, ended=answer.ended, unknown=unknown)


def _name(settings: Settings, row: int) -> str:
    """Whose answer it is, and to which source."""
    if settings.config.has_encoder:
        return tr("Model's answer {number}", number=row + 1)
    return tr("The model goes on {number}", number=row + 1)


def _note(verdict: Verdict | None) -> str:
    """What stands beside an answer: a sign, and the verdict."""
    if verdict is None:
        return ""
    if verdict.kind == "right":
        right = tr("right")
        return f"✓ {right}"
    if verdict.kind in ("outside", "doubted"):
        warning = tr("Do not rely on this answer, nor on its heads: {why}.", why=verdict.why)
        return f"⚠ {warning}"
    judgement = tr("The model's answer is wrong.")
    if verdict.kind == "cut off":
        judgement = tr("The model did not end its answer.")
    if verdict.right is not None:
        right = tr("The right answer: {words}.", words=" ".join(verdict.right))
        judgement = sentences(judgement, right)
    return f"✗ {judgement}"
