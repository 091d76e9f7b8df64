"""Questions about causes: what made the model write this word?"""

from collections.abc import Sequence
from random import Random
from typing import Final

from explorer.analysis.attention import word_positions
from explorer.exercises.facts import (
    Facts,
    Kind,
    Text,
    Value,
    Values,
    mixed,
    pick,
    place,
    require,
    told,
)
from explorer.exercises.sources import Cause, as_array, clear_best, names
from explorer.languages import mark

_MIN_EFFECT: Final = 0.02  # nats: no question is asked about a smaller effect
_READ: Final = mark("{piece} in the source")
_WRITTEN: Final = mark("{piece} in the answer")
_FOLLOWS: Final = (
    mark("The head alone does not matter here: others stand in, or what it brings is not used."),
    mark("The head matters here: without it, the probability is clearly another one."),
    mark("The head looks elsewhere now, so the numbers say nothing."),
)


@Kind(
    "why",
    Cause.of,
    title=mark("The piece that mattered"),
    text=mark(
        "The model writes {word} with probability {before}. Which of these pieces, if it alone "
        "is hidden from every attention, costs that most?"
    ),
    hint=mark(
        "Often one with the same meaning; but a piece may depend on any other that was read or "
        "written before."
    ),
    why=mark("Without {piece}, the probability of {word} is {after} in place of {before}."),
    measure=mark("log-probability lost"),
)
def lost_word(cause: Cause, rng: Random) -> Facts:
    called = _on_their_sides(cause.asked.source, cause.asked.prefix)
    pieces = word_positions((*cause.asked.source, *cause.asked.prefix))
    lost = cause.causes.attributed("occlusion").numbers
    best = max(pieces, key=lambda at: lost[at])
    drawn = sorted(mixed(rng, best, pieces)[0])
    options, before = tuple(called[at] for at in drawn), told(cause.chance())
    require(clear_best(lost[drawn]) is not None, lost[best] >= _MIN_EFFECT)
    values: Values = {"word": cause.asked.word, "piece": called[best], "before": before}
    return Facts(
        drawn.index(best),
        {**values, "after": told(cause.chance(-float(lost[best])))},
        options=options,
        bars=tuple(lost[drawn].tolist()),
        look=cause.look("words"),
    )


def _on_their_sides(source: Sequence[str], prefix: Sequence[str]) -> list[Value]:
    """The name of every piece; with its side, where both sides have such a piece."""
    found: list[Value] = []
    for labels, others, side in ((source, prefix, _READ), (prefix, source, _WRITTEN)):
        for label, name in zip(labels, names(labels), strict=True):
            found.append(Text(side, {"piece": name}) if label in others else name)
    return found


@Kind(
    "why",
    Cause.of,
    title=mark("A look or a cause"),
    text=mark(
        "One head looks most at {key}, weight {weight}: {head}. With everything, {word} has "
        "probability {before}; with this head switched off, {after}. What follows?"
    ),
    hint=mark("Compare the two probabilities; the weight says only where it looks."),
    why=mark(
        "A change of less than 0.05 counts as none here. A weight says where a head looks; "
        "whether this head alone is needed shows when it is taken away."
    ),
)
def look_or_cause(cause: Cause, rng: Random) -> Facts:
    run, position = cause.causes.run, cause.asked.question.position
    kind, config = run.request.config.attention_kinds[-1], run.request.config
    layer, head = pick(rng, range(config.layers_of(kind))), pick(rng, range(config.n_heads))
    weights = as_array(run.trace.attention(kind, layer).weights[0, head, position])
    key = names(run.attention(kind, layer).key_labels)[int(weights.argmax())]
    change = cause.without_head(kind, layer, head)
    matters = cause.asked.is_noticeable(cause.asked.question.answer + change)
    options, right = mixed(rng, _FOLLOWS[matters], _FOLLOWS)
    values: Values = {
        "head": place(kind, layer, head),
        "key": key,
        "weight": told(weights.max(), 2),
    }
    chances: Values = {"before": told(cause.chance()), "after": told(cause.chance(change))}
    return Facts(
        right,
        {**values, "word": cause.asked.word, **chances},
        options=tuple(map(Text, options)),
        look=cause.look("heads"),
    )
