"""The model's answers in place of typed targets: the decoder reads its own words."""

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.decoding import LIMIT
from explorer.figures.labels import elide
from explorer.names import UNK
from explorer.runtime.engine import engine
from explorer.runtime.generation import answer_all
from explorer.tasks.verdict import Verdict, judge
from explorer.text import Answer, Batch
from explorer.ui.components.answer_pieces import answer_pieces
from explorer.ui.controls.sentences import note_answers
from explorer.ui.markdown import literal
from explorer.ui.running import on_page, tell
from explorer.ui.settings import Settings
from explorer.weights.catalogue import TRANSLATOR, Shipped, shipped_translator


def answered(settings: Settings, fields: list[DeltaGenerator], pieces: DeltaGenerator) -> Settings:
    """The settings with the model's own answers as targets.

    Shows them in `fields`, and the probabilities of the answer to the pair on show in `pieces`.
    """
    # The model reads each source as in training: with PAD on the right.
    asked = settings.tokenizer.batch(
        settings.sources, [Answer(())] * len(settings.sources), length=settings.length
    )
    found = answers_to(settings, asked)
    for row, field in enumerate(fields):
        answer = found[row] if row < len(found) else None
        words, verdict = "", None
        if answer is not None:
            words = settings.tokenizer.join(asked.tgt_vocab.decode(answer.ids))
            verdict = verdict_on(settings, asked, row, answer)
        key = f"answer{row + 1}"
        st.session_state[key] = words
        name = "Model's answer" if settings.config.has_encoder else "The model goes on"
        field.text_input(f"{name} {row + 1}{_mark(verdict)}", key=key, disabled=True)
    note_answers([st.session_state[f"answer{row + 1}"] for row in range(len(fields))])
    with pieces:
        _show_pieces(asked, found, settings.row)
    targets = [found[row] or Answer(()) for row in range(len(settings.sources))]
    return replace(settings, targets=tuple(targets))


def _show_pieces(asked: Batch, found: list[Answer | None], row: int) -> None:
    answer = (found[row] if row < len(found) else None) or Answer((), ended=False)
    words = asked.tgt_vocab.decode(answer.ids)
    pieces = [*words, *asked.tgt_names([asked.specials.eos])] if answer.ended else words
    which = f" {row + 1}" if len(found) > 1 else ""
    answer_pieces(
        pieces, answer.probabilities, f"Answer{which}, with the probability of each piece"
    )


def answers_to(settings: Settings, asked: Batch) -> list[Answer | None]:
    """The answer to every source; None for rows that are empty or not read."""
    learnt = settings.learnt
    limit = LIMIT if learnt is None else learnt.answer_limit(asked.src.shape[1])
    # While somebody types, much of an answer stays: the last ones are drafts of the next.
    model, before = st.session_state.get("drafts", (None, []))
    drafts = (
        [*before, *[()] * len(asked.src)][: len(asked.src)] if model == settings.request else ()
    )
    with on_page():
        written = answer_all(
            engine(),
            settings.request,
            asked.src,
            specials=asked.specials,
            limit=limit,
            drafts=drafts,
            prompts=() if settings.config.has_encoder else asked.prompts,
            tell=tell,
        )
    st.session_state.drafts = settings.request, [answer.ids for answer in written]
    pad = asked.src_vocab.specials.pad
    empty = [
        not text.strip() or (len(ids) > 0 and bool((ids == pad).all()))
        for text, ids in zip(settings.sources, asked.src, strict=False)
    ]
    eos = asked.specials.eos
    found: list[Answer | None] = [
        None
        if empty[row]
        else Answer(
            tuple(i for i in answer.ids if i != eos),
            ended=eos in answer.ids,
            probabilities=answer.probabilities,
        )
        for row, answer in enumerate(written)
    ]
    return found + [None] * (len(settings.sources) - len(found))


def verdict_on(settings: Settings, asked: Batch, row: int, answer: Answer) -> Verdict | None:
    """The verdict on an answer; None if nobody can say whether it is right."""
    if settings.learnt is None:
        return None
    if settings.learnt.task is None:
        knows = settings.request.source == Shipped(TRANSLATOR)
        why = shipped_translator().outside(settings.sources[row]) if knows else ""
        if why:
            return Verdict(kind="outside", right=None, why=why)
        goes_on = not settings.config.has_encoder  # a text has no end of its own
        return None if answer.ended or goes_on else Verdict(kind="cut off", right=None)
    source = settings.tokenizer.split(settings.sources[row])
    unk = asked.src_vocab.specials.unk
    unknown = tuple(
        word for word, i in zip(source, asked.src_vocab.encode(source), strict=True) if i == unk
    )
    words = tuple(asked.tgt_vocab.decode(answer.ids))
    return judge(settings.learnt.task, source, words, ended=answer.ended, unknown=unknown)


def verdict_in_words(verdict: Verdict) -> str:
    """A verdict as a sentence."""
    right = "" if verdict.right is None else f" The right answer: {' '.join(verdict.right)}."
    if verdict.kind == "right":
        return "The model's answer is right."
    if verdict.kind == "outside":
        return f"Outside of what the model learnt: {verdict.why}.{right}"
    if verdict.kind == "cut off":
        return f"The model did not end its answer.{right}"
    return f"The model's answer is wrong.{right}"


def _mark(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    right = "" if verdict.right is None else f" (right: {_short(verdict.right)})"
    if verdict.kind == "right":
        return " ✓"
    if verdict.kind == "outside":
        unknown = verdict.why.partition("“")[2].rpartition("”")[0]
        what = f"{UNK}: {literal(elide(unknown, 12))}" if unknown else "outside of what it learnt"
        return f" · {what}"
    return f" {'is cut off' if verdict.kind == 'cut off' else '✗'}{right}"


def _short(words: tuple[str, ...]) -> str:
    return literal(elide(" ".join(words), 40))
