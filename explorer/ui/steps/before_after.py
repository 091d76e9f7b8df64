"""The effect of a change of one attention: on its numbers, the next word and the answer."""

from typing import Final

import numpy as np
import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.analysis.what_if import AttentionChange, changed
from explorer.choices.settings import Settings
from explorer.figures.arithmetic import signed_number
from explorer.languages import in_quotes, numeral, tr
from explorer.runtime.engine import Run
from explorer.runtime.generation import Altered, answer_to
from explorer.text import Answer
from explorer.transformer import TransformerTrace
from explorer.ui.running import on_page, tell
from explorer.views.steps.focus import Focus, named

LONGER: Final = 5  # tokens by which a changed answer may exceed the model's own


def show_before_and_after(
    settings: Settings,
    ran: Run | None,
    focus: Focus,
    afterwards: HeadSteps,
    other: TransformerTrace | None,
    change: AttentionChange,
) -> None:
    """Show the numbers in focus, the next word and the answer, each before and after."""
    lines = _numbers(focus, afterwards)
    if ran is not None and other is not None:
        lines += _next_word(settings, ran, focus, other) + _answer(settings, ran, focus, change)
    with st.container(border=True, key="before_after"):
        st.text("\n".join(lines))


def _numbers(focus: Focus, afterwards: HeadSteps) -> list[str]:
    """The score and the weight of the cell in focus, and the key with the largest weight."""
    cell, steps = (focus.query, focus.key), focus.steps

    def score(of: HeadSteps) -> str:
        return signed_number(float(of.scores[cell])) if of.may_attend[cell] else "−∞"

    def most(of: HeadSteps) -> str:
        row = np.where(of.may_attend[focus.query], of.weights[focus.query], 0.0)
        at = int(row.argmax())
        if not row[at]:
            return tr("nothing")
        return f"{named(focus.key_labels, at)} {numeral(row[at], '.3f')}"

    return [
        tr(
            "{pair}: score {score}, with the change {new_score}; weight {weight:.3f}, with the "
            "change {new_weight:.3f}.",
            pair=focus.pair(),
            score=score(steps),
            new_score=score(afterwards),
            weight=steps.weights[cell],
            new_weight=afterwards.weights[cell],
        ),
        tr(
            "Looks most at {word}; with the change at {new_word}.",
            word=most(steps),
            new_word=most(afterwards),
        ),
    ]


def _next_word(settings: Settings, ran: Run, focus: Focus, other: TransformerTrace) -> list[str]:
    """The likeliest word after the query of a decoder."""
    if focus.kind == "encoder" or not settings.config.n_logits:
        return []
    texts = []
    for trace in (ran.trace, other):
        shares = trace.logits[0, focus.query].softmax(dim=-1)
        best = int(shares.argmax())
        share = numeral(float(shares[best]), ".2f")
        texts.append(f"{in_quotes(ran.batch.tgt_names([best])[0])} ({share})")
    before, after = texts
    return [
        tr("Likeliest next word: {word}; with the change {new_word}.", word=before, new_word=after)
    ]


def _answer(settings: Settings, ran: Run, focus: Focus, change: AttentionChange) -> list[str]:
    """The whole answer, written anew with the change."""
    right = settings.targets[ran.row]
    if not isinstance(right, Answer) or not settings.config.has_encoder or focus.layer is None:
        return []
    place = focus.kind, focus.layer, change
    with on_page():
        written = answer_to(
            ran.engine,
            ran.request,
            ran.batch.sources[ran.row : ran.row + 1],
            specials=ran.batch.specials,
            limit=min(len(right.ids) + 1 + LONGER, settings.config.max_len - 1),
            # Without its mask, a word sees the words that follow it: no guess can be checked.
            draft=right.ids if change.masked or focus.kind != "decoder" else (),
            altered=Altered(place, lambda model: changed(model, *place)),
            tell=tell,
        )
    answer = Answer.of(written.ids, ran.batch.specials, written.probabilities)
    if answer.ids == right.ids:
        return [tr("The model's answer stays the same.")]
    before, after = (
        settings.tokenizer.join(ran.batch.tgt_vocab.decode(each.ids)) for each in (right, answer)
    )
    return [
        tr("The model's answer: {answer}", answer=before),
        tr("with the change: {answer}", answer=after if answer.ended else after + " …"),
    ]
