"""The effect of a change of one attention: on its numbers and on the answer."""

from typing import Final

import streamlit as st

from explorer.analysis.head_steps import HeadSteps
from explorer.analysis.what_if import AttentionChange, changed
from explorer.choices.settings import Settings
from explorer.figures.arithmetic import signed_number
from explorer.figures.describe import weight_in_words
from explorer.languages import tr
from explorer.runtime.engine import Run
from explorer.runtime.generation import Altered, answer_to
from explorer.text import Answer
from explorer.ui.frame.running import on_page, tell
from explorer.views.steps.focus import Focus

LONGER: Final = 5  # tokens by which a changed answer may exceed the model's own


def show_before_and_after(
    settings: Settings,
    ran: Run | None,
    focus: Focus,
    afterwards: HeadSteps,
    change: AttentionChange,
) -> None:
    """Show the numbers in focus and the answer, each before and after."""
    lines = []
    if change != AttentionChange(without_head=change.without_head):
        lines.append(_numbers(focus, afterwards))
    if not change.masked and bool(focus.steps.may_attend.all()):
        lines.append(tr("No key is hidden here: the mask changes nothing."))
    if change.without_head is not None:
        lines.append(
            tr(
                "Head {head} keeps its scores and weights, but what it finds no longer reaches the "
                "output: concat has zeros there.",
                head=change.without_head + 1,
            )
        )
    if ran is not None:
        lines += _answer(settings, ran, focus, change)
    with st.container(border=True, key="before_after"):
        st.text("\n".join(lines))


def _numbers(focus: Focus, afterwards: HeadSteps) -> str:
    """The score and the weight of the cell in focus."""
    cell, steps = (focus.query, focus.key), focus.steps

    def score(of: HeadSteps) -> str:
        return signed_number(float(of.scores[cell])) if of.may_attend[cell] else "−∞"

    return tr(
        "{pair}: score {score}, with the change {new_score}; weight {weight}, with the "
        "change {new_weight}.",
        pair=focus.pair(),
        score=score(steps),
        new_score=score(afterwards),
        weight=weight_in_words(float(steps.weights[cell])),
        new_weight=weight_in_words(float(afterwards.weights[cell])),
    )


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
