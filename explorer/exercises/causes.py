"""Questions about causes: what made the model write this word?"""

from typing import Final

import numpy as np

from explorer.analysis.attention import word_positions
from explorer.analysis.causes.asked import Asked, by_head, head_in_words
from explorer.analysis.causes.score_parts import parts_of_score
from explorer.config import ADDED_POSITIONS
from explorer.exercises.question import Focus, Question, number
from explorer.exercises.reading import (
    Kinds,
    Row,
    as_read,
    bars,
    clear_best,
    mixed,
    names,
    pick,
    queries_with_choice,
    quoted,
    require,
)
from explorer.languages import in_quotes, mark, side_by_side, tr
from explorer.names import PAD, AttentionKind
from explorer.runtime.causes import Causes, sentence_of
from explorer.runtime.engine import Run

KINDS: Final = Kinds("why")

_N_OPTIONS: Final = 4  # pieces or heads to choose from
_MIN_EFFECT: Final = 0.02  # nats: no question is asked about a smaller effect


@KINDS.add("tour", mark("The piece that mattered"))
def lost_word(run: Run, rng: np.random.Generator) -> Question:
    """The piece without which the written one loses most."""
    causes, asked = _asked(run, rng)
    effects = causes.attributed("occlusion").numbers
    labels = (*asked.source, *asked.prefix)
    shown, candidates = names(labels), word_positions(labels)
    best = max(candidates, key=lambda at: effects[at])
    drawn, _ = mixed(rng, best, candidates, _N_OPTIONS - 1)
    drawn.sort()
    losses = effects[drawn]
    options = [shown[at] for at in drawn]
    require(clear_best(losses.tolist()) is not None, losses.max() >= _MIN_EFFECT)
    require(len(set(options)) == len(options))
    after = asked.question.answer - float(effects[best])
    return Question(
        text=tr(
            "The model writes {word} with probability {before}. Which of these pieces, if it alone "
            "is hidden from every attention, costs that most?",
            word=in_quotes(asked.word),
            before=asked.level(asked.question.answer),
        ),
        hint=tr(
            "Often one with the same meaning; but a piece may depend on any other that was read or "
            "written before."
        ),
        explanation=tr(
            "Without {piece}, the probability of {word} is {after} in place of {before}.",
            piece=in_quotes(shown[best]),
            word=in_quotes(asked.word),
            after=asked.level(after),
            before=asked.level(asked.question.answer),
        ),
        right=drawn.index(best),
        options=tuple(options),
        bars=bars(tr("log-probability lost"), options, losses),
        focus=Focus(ask="words", word=asked.question.position),
    )


@KINDS.add("tour", mark("The head that is needed"))
def needed_head(run: Run, rng: np.random.Generator) -> Question:
    """The head, of a few, without which the written piece loses most."""
    causes, asked = _asked(run, rng)
    changes = by_head(causes.without_heads())
    best = min(changes, key=lambda at: changes[at])
    drawn, right = mixed(rng, best, changes, _N_OPTIONS - 1)
    lost = [-changes[at] for at in drawn]
    require(clear_best(lost) is not None, -changes[best] >= _MIN_EFFECT)
    options = [head_in_words(*at) for at in drawn]
    return Question(
        text=tr(
            "One of these heads at a time is switched off: its output is 0. Which one costs "
            "{word} most?",
            word=in_quotes(asked.word),
        ),
        hint=tr(
            "Heads stand in for each other, so a look does not tell. Think of late layers first, "
            "and of cross-attention where there is one."
        ),
        explanation=tr(
            "Without {head}, the probability of {word} is {after} in place of {before}. Where a "
            "head looks does not say this: it has to be tried.",
            head=options[right],
            word=in_quotes(asked.word),
            after=asked.level(asked.question.answer + changes[best]),
            before=asked.level(asked.question.answer),
        ),
        right=right,
        options=tuple(options),
        bars=bars(tr("log-probability lost"), options, lost),
        focus=Focus(ask="heads", word=asked.question.position),
    )


@KINDS.add("tour", mark("A look or a cause"))
def look_or_cause(run: Run, rng: np.random.Generator) -> Question:
    """The conclusion from a head's largest weight, and from switching the head off."""
    causes, asked = _asked(run, rng)
    config = run.request.config
    kind: AttentionKind = config.attention_kinds[-1]
    layer, head = int(rng.integers(config.layers_of(kind))), int(rng.integers(config.n_heads))
    row = Row.of(run, run.attention(kind, layer), head, asked.question.position)
    key = int(row.weights().argmax())
    after = asked.question.answer + float(causes.without_heads()[kind][layer, head])
    matters = asked.is_noticeable(after)
    needed = tr("The head matters here: without it, the probability is clearly another one.")
    idle = tr(
        "The head alone does not matter here: others stand in, or what it brings is not used."
    )
    options, right = mixed(
        rng,
        needed if matters else idle,
        [
            idle if matters else needed,
            tr("The head looks elsewhere now, so the numbers say nothing."),
        ],
    )
    return Question(
        text=tr(
            "{head} looks most at {key}, weight {weight}. With everything, {word} has probability "
            "{before}; with this head switched off, {after}. What follows?",
            head=head_in_words(kind, layer, head),
            key=row.key_word(key),
            weight=number(row.weights()[key], 2),
            word=in_quotes(asked.word),
            before=asked.level(asked.question.answer),
            after=asked.level(after),
        ),
        hint=tr("Compare the two probabilities; the weight says only where it looks."),
        explanation=tr(
            "A change of less than 0.05 counts as none here. A weight says where a head looks; "
            "whether this head alone is needed shows when it is taken away."
        ),
        right=right,
        options=tuple(options),
        focus=Focus(ask="heads", word=asked.question.position),
    )


@KINDS.add("paper", mark("What occlusion leaves"))
def probability_left(run: Run, rng: np.random.Generator) -> Question:
    """The probability without a piece, from log p and the effect in nats."""
    causes, asked = _asked(run, rng)
    effects = causes.attributed("occlusion").numbers
    labels = (*asked.source, *asked.prefix)
    at = pick(rng, [at for at in word_positions(labels) if 0.1 <= abs(effects[at]) <= 4])
    before, lost = as_read(asked.question.answer, 2), as_read(float(effects[at]), 2)
    left = float(np.exp(before - lost))
    require(left <= 1)
    return Question(
        text=tr(
            "The log-probability of {word} is {log_p} nats. Occlusion of {piece} is {lost} nats. "
            "What probability is left without it?",
            word=in_quotes(asked.word),
            log_p=number(before, 2),
            piece=quoted(labels, at),
            lost=number(lost, 2),
        ),
        hint=tr("Occlusion is log p with everything, minus log p without the piece."),
        explanation=tr(
            "e to the power of ({log_p} − ({lost})) = {left}.",
            log_p=number(before, 2),
            lost=number(lost, 2),
            left=number(left),
        ),
        right=left,
        tolerance=0.01,
        focus=Focus(ask="words", word=asked.question.position),
    )


@KINDS.add("paper", mark("A part of the logit"))
def missing_part(run: Run, rng: np.random.Generator) -> Question:
    """One part of a logit, from the other parts and their sum."""
    causes, asked = _asked(run, rng)
    found = causes.parts()
    parts, values = found.by_layer()
    require(len(parts) <= 16)
    rounded = [as_read(float(value), 2) for value in values]
    at, logit = int(rng.integers(len(parts))), as_read(found.logit, 2)
    right = round(logit - sum(value for n, value in enumerate(rounded) if n != at), 2)
    every = [f"{name} {number(value, 2)}" for name, value in zip(parts, rounded, strict=True)]
    others = side_by_side(every[:at] + every[at + 1 :])
    return Question(
        text=tr(
            "The logit of {word} is {logit}. All parts but one: {others}. What did “{part}” put "
            "in?",
            word=in_quotes(asked.word),
            logit=number(logit, 2),
            others=others,
            part=parts[at],
        ),
        hint=tr("With the scale of the norms as it was, the parts sum to the logit."),
        explanation=tr(
            "{logit} minus the sum of all others is {right}.",
            logit=number(logit, 2),
            right=number(right, 2),
        ),
        right=right,
        tolerance=0.01,
        bars=bars(tr("put in"), parts, values),
        focus=Focus(ask="parts", word=asked.question.position),
    )


@KINDS.add("builders", mark("The runs of occlusion"))
def runs_of_occlusion(run: Run, rng: np.random.Generator) -> Question:
    """The number of runs that hide each piece once."""
    _, asked = _asked(run, rng)
    source, own = len(word_positions(asked.source)), len(word_positions(asked.prefix))
    hidden = source + max(0, own - 1)
    return Question(
        text=tr(
            "The model has read {source} source tokens and {own} target tokens. How many runs does "
            "occlusion need, one for each token that is hidden?",
            source=source,
            own=own,
        ),
        hint=tr("A target token keeps seeing itself, so hiding the newest one changes nothing."),
        explanation=tr(
            "{hidden}: all tokens of the source, and those of the target but the newest.",
            hidden=hidden,
        ),
        right=hidden,
        focus=Focus(ask="words", word=asked.question.position),
    )


@KINDS.add("builders", mark("A score as a matrix"))
def cells_of_score(run: Run, rng: np.random.Generator) -> Question:
    """The shape of a score that is split into parts."""
    config = run.request.config
    require(run.dropout_seed is None, config.positions in ADDED_POSITIONS)
    kind: AttentionKind = config.attention_kinds[0]
    layer = int(rng.integers(config.layers_of(kind)))
    query = pick(rng, queries_with_choice(run.attention(kind, layer)))
    found = parts_of_score(sentence_of(run), kind, layer, 0, query, query)
    shape = found.values.shape
    require(found.values.any(axis=1).all(), found.values.any(axis=0).all())
    return Question(
        text=tr(
            "Before layer {layer} of the {stack}, the stream is the sum of the biases, the "
            "embedding, the position, and the output of each of {heads} heads and of the "
            "feed-forward of every layer before. A score of this layer is split into parts of its "
            "query and parts of its key: what is the shape of the matrix?",
            layer=layer + 1,
            stack=tr("encoder") if kind == "encoder" else tr("decoder"),
            heads=config.n_heads,
        ),
        hint=tr("Query and key come from the same stream here."),
        explanation=tr(
            "3 + {layers} × ({heads} + 1) = {parts} parts on each side.",
            layers=layer,
            heads=config.n_heads,
            parts=shape[0],
        ),
        right=(int(shape[0]), int(shape[1])),
        axes=(tr("in the query"), tr("in the key")),
        focus=Focus(ask="score", word=query),
    )


def _asked(run: Run, rng: np.random.Generator) -> tuple[Causes, Asked]:
    """The causes of a word, and the question in words."""
    config, batch = run.request.config, run.batch
    require(run.dropout_seed is None, config.n_logits > 0)
    candidates = sentence_of(run).words
    if config.has_decoder:
        require(batch.tgt_out is not None)
        follows = batch.tgt_out_labels[run.row]
        candidates = [at for at in candidates if follows[at] != PAD]
    causes = Causes.of(run, pick(rng, candidates))
    return causes, Asked.of(causes.question)
