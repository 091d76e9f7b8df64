"""The order question for the sentence on show: what a trained model answers without positions."""

from dataclasses import replace
from typing import Final, Literal

import streamlit as st

from explorer.answers.asking import asked_of, written_to
from explorer.choices.other_order import exchanges
from explorer.choices.settings import Settings
from explorer.languages import isolated, sentences, tr
from explorer.markdown import literal
from explorer.text import Answer
from explorer.ui.frame.running import drafts_of, on_page, tell
from explorer.ui.frame.stage import stage
from explorer.ui.positions.word_order import show_vectors

_DRAFTS: Final = "order_drafts"
MAX_TRIES: Final = 4  # other orders, until one has a different answer


def can_ask(settings: Settings) -> bool:
    """Whether there is another order, which the model answers, with positions and without."""
    config, source = settings.config, settings.sources[settings.row]
    if exchanges(source)[0] == " ".join(source.split()):
        return False  # it has at most one word
    if not (settings.answered and settings.learnt and config.has_encoder and config.has_decoder):
        return False
    return config.positions not in ("learned", "t5", "none")  # those have weights of their own


def show_own_order(settings: Settings) -> None:
    """Two orders of the words on show, without positions and with them: answers, and vectors."""
    source = settings.sources[settings.row]
    for other in exchanges(source)[:MAX_TRIES]:
        both = replace(settings, sources=(source, other), targets=(Answer(()),) * 2)
        on = _answers(both, "on")
        if on[0] != on[1]:
            break
    bare = replace(settings.request, config=replace(settings.config, positions="none"))
    off = _answers(replace(both, request=bare), "off")
    what, said = stage("what", "words")
    with said:
        st.markdown(_in_words(on, off))
        without, given = tr("positions off"), tr("positions on")
        with st.container(key="order_answers"):  # which no browser translates
            for asks, answer_off, answer_on in zip((source, other), off, on, strict=True):
                st.markdown(
                    f"{isolated(literal(asks))}\n\n"
                    f"- {without} → **{isolated(literal(answer_off))}**\n"
                    f"- {given} → **{isolated(literal(answer_on))}**"
                )
    asked = asked_of(both)
    if sorted(asked.src[0].tolist()) == sorted(asked.src[1].tolist()):
        with what:
            show_vectors(both, asked)


def _answers(settings: Settings, positions: Literal["on", "off"]) -> list[str]:
    """The greedy answers of a model, as text; its last answers serve as drafts."""
    asked = asked_of(settings)
    drafts = drafts_of(_DRAFTS, settings.request.source)  # ids of other weights are other words
    found = []
    for row in range(len(settings.sources)):
        # Without positions, both orders have one answer: the first is a draft of the second.
        key = positions, row if positions == "on" else 0
        with on_page():
            answer = written_to(settings, asked, row, tell, drafts.get(key, ()))
        drafts[key] = answer.ids
        words = settings.tokenizer.join(asked.tgt_vocab.decode(answer.ids))
        found.append(words if answer.ended else words + " …")
    return found


def _in_words(on: list[str], off: list[str]) -> str:
    """What becomes of the answers without positions and with them, in words."""
    if off[0] == off[1]:
        without = tr(
            "With positions off, both orders are the same bag of words to this model, and it "
            "answers them alike."
        )
    else:
        without = tr("With positions off, the order of the source never reaches this model.")
    if on[0] == on[1]:
        return sentences(
            without,
            tr("With positions, it sees that the orders differ, and still writes the same answer."),
        )
    return sentences(without, tr("With positions, each order has an answer of its own."))
