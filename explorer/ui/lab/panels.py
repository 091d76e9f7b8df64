"""The parts of the lab: three pictures, numbers, two answers, and the effect of a mistake."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from explorer.analysis.side_by_side import total_variation, weights_apart
from explorer.drawing.labels import elide
from explorer.figures.describe import share_in_words
from explorer.languages import sentences, tr
from explorer.markdown import literal
from explorer.mistakes.catalogue import ALL, Mistake
from explorer.mistakes.effect import DROPOUT, Measured, measured
from explorer.names import PAD
from explorer.text import Answer
from explorer.ui.components.answer_pieces import answer_pieces
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.frame.stage import stage
from explorer.ui.lab.choices import Choice
from explorer.ui.lab.sides import Pair, Side
from explorer.views.lab import largest_in_words, side_pictures


def show_pictures(pair: Pair, choice: Choice) -> None:
    """A, B and their difference, in three places of one size."""
    a, b, head = pair.a.attention(choice), pair.b.attention(choice), choice.head
    if choice.mistake is None:  # which may be about PAD
        a, b = a.without_pad(), b.without_pad()
    apart = weights_apart(a, b, head)
    names = (tr("A · as it is"), tr("B · {change}", change=pair.title))
    pictures = side_pictures(list(zip(names, (a, b), strict=True)), head, apart)
    (what,) = stage("what")
    columns = what.columns(3)
    for column, name, picture in zip(columns, (*names, "B − A"), pictures, strict=False):
        with column:
            st.markdown(f"**{literal(name)}**")
            live_plot(picture)
    if apart is None:
        with columns[2]:
            st.markdown("**B − A**")
            st.text(tr("The two have different numbers of words: no cell has a partner."))
        return
    st.text(tr("Weights: {largest}.", largest=largest_in_words(apart)))


def say_how_far_apart(pair: Pair) -> None:
    """The position at which the next words differ most, and what each would write there."""
    (at_a, words), (at_b, _) = words_read(pair.a), words_read(pair.b)
    variation = variation_of(pair)
    if variation is None:
        return
    where = int(variation.argmax())
    if variation[where] < 0.005:
        same = tr("At every position, both find the same words likely.")
        most = tr("Largest total variation: {variation:.3f}.", variation=variation[where])
        st.text(sentences(same, most))
        return
    names, shares = [], []
    for side, at in ((pair.a, at_a[where]), (pair.b, at_b[where])):
        probabilities = side.trace.logits[0, at].softmax(dim=-1)
        best = int(probabilities.argmax())
        names.append(elide(side.batch.tgt_names([best])[0]))
        shares.append(float(probabilities[best]))
    differ = tr(
        "On these words they differ most where they read “{word}” (position {position}): A "
        "finds “{written}” likeliest ({share}), B “{other}” ({other_share}); total "
        "variation {variation:.3f}.",
        word=elide(words[where]),
        position=at_a[where],
        written=names[0],
        share=share_in_words(shares[0]),
        other=names[1],
        other_share=share_in_words(shares[1]),
        variation=variation[where],
    )
    st.text(sentences(differ, tr("½ Σ |p − q|: 0 to 1.")))


def variation_of(pair: Pair) -> Float[np.ndarray, " positions"] | None:
    """How far the next words are apart, if both sides read equally many words."""
    (a, _), (b, _) = (words_read(side) for side in (pair.a, pair.b))
    logits = [side.trace.logits[0] for side in (pair.a, pair.b)]
    same_words = pair.a.batch.tgt_vocab == pair.b.batch.tgt_vocab
    if len(a) != len(b) or not a or logits[0].shape[1] == 0 or not same_words:
        return None
    return total_variation(logits[0][a], logits[1][b])


def words_read(side: Side) -> tuple[list[int], list[str]]:
    """The positions at which a word is predicted, and the words that are read there."""
    batch, row = side.batch, side.row
    decoder = side.settings.config.has_decoder
    labels = (batch.tgt_in_labels if decoder else batch.src_labels)[row]
    predicts = batch.tgt_out_labels[row] if decoder and batch.tgt_out is not None else labels
    at = [n for n, label in enumerate(predicts) if label != PAD]
    return at, [labels[n] for n in at]


def show_answers(pair: Pair) -> None:
    """Both answers, and whether the change is one that a reader would see."""
    a, b = pair.a.answer, pair.b.answer
    if a is None or b is None:  # neither of them answers
        if pair.a.settings.learnt is None:
            st.caption(tr("Nobody has trained this model to answer: compare what it computes."))
        elif pair.a.settings.config.has_decoder:
            st.caption(tr("The target above is typed: no answers are compared."))
        return
    _say_whether_same(pair, a, b)
    read_by_a, read_by_b = (side.batch.tgt_in_labels[side.row] for side in (pair.a, pair.b))
    if read_by_a == read_by_b:
        st.caption(
            tr(
                "Each writes its answer by itself, word by word. For the pictures and numbers, "
                "both read the same words: the answer of A."
            )
        )
    with st.container(key="lab_answers"):  # browsers do not translate what is in it
        for side, answer, name in ((pair.a, a, "A"), (pair.b, b, "B")):
            text = literal(_text(side, answer)) or tr("(nothing)")
            text += "" if side.cut_at is None else " …"
            st.markdown(tr("**{name}** answers: {answer}", name=name, answer=text))
            pieces = side.batch.tgt_vocab.decode(answer.ids)
            if answer.ended:
                pieces = [*pieces, *side.batch.tgt_names([answer.end_of(side.batch.specials)])]
            answer_pieces(
                pieces,
                answer.probabilities,
                tr("Answer of {name}, with the probability of each piece", name=name),
                key=f"lab_answer_{name.lower()}",
            )


def _say_whether_same(pair: Pair, a: Answer, b: Answer) -> None:
    same, cut_at = _text(pair.a, a) == _text(pair.b, b), pair.b.cut_at
    text = tr("both write the same answer") if same else tr("they write different answers")
    if cut_at is not None and a.ids[:cut_at] == b.ids:
        same = True
        text = tr("both begin with the same")
    icon = ":material/equal:" if same else ":material/compare_arrows:"
    st.badge(text, icon=icon, color="gray")


def say_mistake(mistake: Mistake) -> None:
    """Describe the mistake: the code as written, the right code, and the symptom."""
    found = measured()
    effect = found.effects[mistake.id]
    st.markdown(
        tr("**As it was written:** {written}", written=tr(mistake.written))
        + "  \n"
        + tr("**Right:** {right}", right=tr(mistake.right))
        + "  \n"
        + tr("**What comes of it:** {symptom}", symptom=tr(mistake.symptom))
    )
    text = tr(
        "**Measured** on weights that were trained without it. “reverse”, a small model that "
        "writes a sentence backwards, answers {usual} held-out sentences right; with the mistake, "
        "**{right}** of them. Of {sentences} sentences, the translator writes **{changed}** "
        "differently.",
        usual=found.right.count("1"),
        right=effect.n_right,
        sentences=found.sentences,
        changed=effect.n_changed,
    )
    if effect.there is not None:
        text += " " + _there_in_words(mistake, *effect.there)
    st.markdown(text)


def _there_in_words(mistake: Mistake, without: int, with_it: int, asked: int) -> str:
    """The effect in the only case where the mistake shows, in words."""
    if mistake.shows == "pad_left":
        return tr(
            "With PAD on the left, it predicts {without} of {asked} next words right without the "
            "mistake, and {with_it} with it.",
            without=without,
            asked=asked,
            with_it=with_it,
        )
    return tr(
        "With dropout of {dropout:g}, it predicts {without} of {asked} next words right without "
        "the mistake, and {with_it} with it.",
        dropout=DROPOUT,
        without=without,
        asked=asked,
        with_it=with_it,
    )


def show_all_effects() -> None:
    """The effect of every mistake, in a table."""
    table(
        [tr("mistake"), tr("“reverse”: still right"), tr("translator: answers that change")],
        _effects_in_rows(measured()),
        key="mistakes",
        caption=tr(
            "Greedy answers by models that have learnt without these mistakes: “reverse” to "
            "held-out sentences, the translator to a list of plain ones. A model that learns with "
            "a mistake may find a way around it."
        ),
    )


def _effects_in_rows(found: Measured) -> list[list[str]]:
    n_right, held_out, sentences = found.right.count("1"), len(found.right), found.sentences
    # Translators: in the column of mistakes
    rows = [[tr("no mistake"), _share_of(n_right, held_out), _share_of(0, sentences)]]
    for mistake in ALL:
        effect = found.effects[mistake.id]
        right, changed = _share_of(effect.n_right, held_out), _share_of(effect.n_changed, sentences)
        rows.append([tr(mistake.title), right, changed])
    return rows


def _share_of(some: int, whole: int) -> str:
    # Translators: such as “3 of 30”
    return tr("{some} of {whole}", some=some, whole=whole)


def _text(side: Side, answer: Answer) -> str:
    return side.settings.tokenizer.join(side.batch.tgt_vocab.decode(answer.ids))
