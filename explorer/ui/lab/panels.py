"""What the lab shows: three pictures, numbers, two answers, and the effect of a mistake."""

from dataclasses import replace

import streamlit as st

from explorer.analysis.side_by_side import NextApart, WeightsApart, next_apart, weights_apart
from explorer.figures.attention import Heads
from explorer.figures.labels import elide
from explorer.figures.side_by_side import difference_panel, frames, weights_panel
from explorer.figures.theme import Theme
from explorer.mistakes.catalogue import ALL, Mistake
from explorer.mistakes.effect import Measured, measured
from explorer.names import PAD
from explorer.ui.components.answer_pieces import answer_pieces
from explorer.ui.components.live_plot import live_plot
from explorer.ui.components.table import table
from explorer.ui.lab.choices import Choice
from explorer.ui.lab.sides import Pair, Side
from explorer.ui.markdown import literal
from explorer.ui.pictures import heads_of, in_words


def show_pictures(pair: Pair, choice: Choice, theme: Theme) -> None:
    """A, B and their difference, in three places of one size."""
    a, b = pair.a.attention(choice, b=False), pair.b.attention(choice, b=True)
    heads = pair.a.head(choice, b=False), pair.b.head(choice, b=True)
    if a is None or b is None:
        st.info(f"One of the two models has no {choice.kind} attention.", icon=":material/info:")
        return
    apart = weights_apart(a, b, heads)
    drawn = [heads_of(a), heads_of(b), *([] if apart is None else [_of_both(apart)])]
    placed = frames(drawn, theme)
    columns = st.columns(3)
    names = ("A · as it is", f"B · {pair.title}")
    for column, attention, head, frame, side, name in zip(
        columns, (a, b), heads, placed, ("a", "b"), names, strict=False
    ):
        with column:
            st.markdown(f"**{literal(name)}**")
            live_plot(
                weights_panel(heads_of(attention), head, frame, theme, name=side.upper()),
                key=f"lab_{side}",
                alt=f"{name}, {choice.kind} attention, head {head + 1}. "
                f"{in_words(attention, head)}",
                file_name=f"lab-{side}",
            )
    with columns[2]:
        st.markdown("**B − A**")
        if apart is None:
            st.text("The two have different numbers of words: no cell has a partner.")
            return
        live_plot(
            difference_panel(apart.difference, placed[2], theme),
            key="lab_difference",
            alt=f"B − A, cell by cell: {_largest_in_words(apart)}",
            file_name="lab-difference",
        )
    st.text(f"Weights: {_largest_in_words(apart)}.")


def _of_both(apart: WeightsApart) -> Heads:
    """The labels of the difference: the words of both where they are not the same."""
    a, b = heads_of(apart.a), heads_of(apart.b)
    rows, columns = (
        [
            one if one == other else f"{elide(one, 7)} / {elide(other, 7)}"
            for one, other in zip(*labels, strict=True)
        ]
        for labels in ((a.query_labels, b.query_labels), (a.key_labels, b.key_labels))
    )
    writes = a.writes if a.writes == b.writes else None
    return replace(a, query_labels=rows, key_labels=columns, writes=writes)


def show_numbers(pair: Pair, choice: Choice) -> None:
    """How far apart the two are."""
    a, b = pair.a.attention(choice, b=False), pair.b.attention(choice, b=True)
    shown: list[tuple[str, str, str]] = []
    heads = pair.a.head(choice, b=False), pair.b.head(choice, b=True)
    apart = None if a is None or b is None else weights_apart(a, b, heads)
    if apart is not None:
        shown.append(("Weights: largest |B − A|", f"{apart.largest:.3f}", ""))
        shown.append(("Weights: mean |B − A|", f"{apart.mean:.4f}", ""))
    following = None if pair.a is pair.b else next_of(pair)
    if following is not None:
        last = following.total_variation[-1], following.kl[-1]
        help_last = "Of the probabilities after the last word that is read."
        shown += [
            ("Logits: largest |B − A|", f"{following.largest_logit:.3f}", ""),
            ("Logits: mean |B − A|", f"{following.mean_logit:.4f}", ""),
            ("Next word: total variation", f"{last[0]:.3f}", f"{help_last} ½ Σ |p − q|: 0 to 1."),
            ("Next word: KL(A ‖ B)", f"{last[1]:.3f} nats", f"{help_last} Σ p · log(p / q)."),
        ]
    with st.container(horizontal=True, key="apart"):
        for name, number, why in shown:
            st.metric(name, number, help=why or None, width="content")
    if following is not None:
        _say_where(pair, following)


def next_of(pair: Pair) -> NextApart | None:
    """What the two would write next, where they read as many words of one vocabulary."""
    (a, _), (b, _) = (words_read(side) for side in (pair.a, pair.b))
    logits = [side.trace.logits[0].cpu() for side in (pair.a, pair.b)]
    same_words = logits[0].shape[1] == logits[1].shape[1] > 0
    if len(a) != len(b) or not a or not same_words:
        return None
    same_words = pair.a.batch.tgt_vocab == pair.b.batch.tgt_vocab
    return next_apart(logits[0][a], logits[1][b]) if same_words else None


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
    if a is None and b is None:
        if pair.a.settings.learnt is None:
            st.caption("Nobody has trained this model to answer: compare what it computes.")
        elif pair.a.settings.config.has_decoder:
            st.caption("The target above is typed: no answers are compared.")
        return
    if a is not None and b is not None and pair.a is not pair.b:
        same = _text(pair.a) == _text(pair.b)
        said = "the answer stays the same" if same else "the answer changes"
        cut_at = pair.b.cut_at
        if cut_at is not None and a.ids[:cut_at] == b.ids:
            same, said = True, f"the first {cut_at} tokens stay the same"
        st.badge(
            said,
            icon=":material/equal:" if same else ":material/compare_arrows:",
            color="gray" if same else "violet",
        )
    for side, name in ((pair.a, "A"), (pair.b, "B")):
        if side.answer is None:
            st.markdown(f"**{name}** answers nothing.")
            continue
        goes_on = "" if side.cut_at is None else f" … (stopped after {side.cut_at} tokens)"
        st.markdown(f"**{name}** answers: {literal(_text(side)) or '(nothing)'}{goes_on}")
        pieces = side.batch.tgt_vocab.decode(side.answer.ids)
        if side.answer.ended:
            pieces = [*pieces, *side.batch.tgt_names([side.batch.specials.eos])]
        answer_pieces(
            pieces,
            side.answer.probabilities,
            f"Answer of {name}, with the probability of each piece",
            key=f"lab_answer_{name.lower()}",
        )


def say_mistake(mistake: Mistake) -> None:
    """What was written, what is right, and what comes of it."""
    found = measured()
    effect = found.effects[mistake.id]
    st.markdown(
        f"**As it was written:** {mistake.written}  \n"
        f"**Right:** {mistake.right}  \n"
        f"**What comes of it:** {mistake.symptom}"
    )
    right = found.right.count("1")
    there = ""
    if effect.there is not None:
        without, with_it, of = effect.there
        where = "PAD on the left" if mistake.shows == "pad_left" else "dropout of 0.1"
        there = (
            f" With {where}, it predicts {without} of {of} next words right without "
            f"the mistake, and {with_it} with it."
        )
    st.markdown(
        f"**Measured** on weights that were trained without it. “reverse”, a small model that "
        f"writes a sentence backwards, answers {right} held-out sentences right; with the mistake, "
        f"**{effect.n_right}** of them. Of {found.sentences} sentences, the translator writes "
        f"**{effect.n_changed}** differently.{there}"
    )


def show_all_effects() -> None:
    """The effect of every mistake, in a table."""
    folded = st.expander("All mistakes, measured", key="effects", on_change="rerun")
    if folded.open:
        with folded:
            table(
                ["mistake", "“reverse”: still right", "translator: answers that change"],
                _effects_in_rows(measured()),
                key="mistakes",
                caption="Greedy answers by models that have learnt without these mistakes: "
                "“reverse” to held-out sentences, the translator to a list of plain ones. A model "
                "that learns with a mistake may find a way around it.",
                sortable=True,
            )


def _effects_in_rows(found: Measured) -> list[list[str]]:
    rows = [["none", f"{found.right.count('1')} of {len(found.right)}", f"0 of {found.sentences}"]]
    for mistake in ALL:
        effect = found.effects[mistake.id]
        rows.append(
            [
                mistake.title,
                f"{effect.n_right} of {len(effect.right)}",
                f"{effect.n_changed} of {found.sentences}",
            ]
        )
    return rows


def _say_where(pair: Pair, following: NextApart) -> None:
    """The position at which the two differ most, and what each would write there."""
    (at_a, words), (at_b, _) = words_read(pair.a), words_read(pair.b)
    where = int(following.total_variation.argmax())
    if following.total_variation[where] < 0.005:
        st.text("At every position, both find the same next words likely.")
        return
    names, shares = [], []
    for side, at in ((pair.a, at_a[where]), (pair.b, at_b[where])):
        probabilities = side.trace.logits[0, at].softmax(dim=-1)
        best = int(probabilities.argmax())
        names.append(f"“{elide(side.batch.tgt_names([best])[0])}”")
        shares.append(f"{float(probabilities[best]):.2f}")
    st.text(
        f"They differ most after “{elide(words[where])}” (position {at_a[where]}): "
        + (
            f"both would write {names[0]}, A with probability {shares[0]} and B with {shares[1]}"
            if names[0] == names[1]
            else f"A would write {names[0]} ({shares[0]}), B {names[1]} ({shares[1]})"
        )
        + f"; total variation {following.total_variation[where]:.2f}."
    )


def _largest_in_words(apart: WeightsApart) -> str:
    heads, (query, key) = _of_both(apart), apart.where
    change = float(apart.difference[query, key])
    if abs(change) < 5e-4:
        return "no cell differs"
    read, looked = heads.query_labels[query], heads.key_labels[key]
    if heads.writes is not None and heads.writes[query]:
        read = f"{read} → {heads.writes[query]}"
    more = "more" if change > 0 else "less"
    return f"“{elide(read, 28)}” looks at “{elide(looked)}” {abs(change):.2f} {more} in B than in A"


def _text(side: Side) -> str:
    if side.answer is None:
        return ""
    return side.settings.tokenizer.join(side.batch.tgt_vocab.decode(side.answer.ids))
