"""Which part wrote it, and why does a head look there? Numbers as sums over the model's parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from explorer.analysis.attention import KIND_NAMES
from explorer.analysis.causes.asked import Asked, Head, by_head, head_in_words, largest
from explorer.analysis.causes.logit_parts import LogitParts
from explorer.analysis.causes.score_parts import ScoreParts
from explorer.figures import causes as figures
from explorer.figures.causes import Block, signed
from explorer.figures.describe import with_numbers
from explorer.languages import between, mark, sentences, side_by_side, tr
from explorer.names import AttentionKind
from explorer.views.picture import Call, Click, Picture

VISIBLE: Final = 0.1  # nats or logits: a picture with only smaller changes is pale
MAX_PARTS: Final = 24  # of a matrix, until the heads of an attention are taken together


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickOnHead(Click):
    """The head of the clicked cell; its place is one choice, `whole`, or three."""

    whole: str = ""

    def choices(self, point: Mapping[str, Any]) -> dict[str, object]:
        """As in `Click`: the name of the block is its attention, and rows are layers."""
        kind, layer, head = str(point["name"]), round(point["y"]) + 1, round(point["x"]) + 1
        if self.whole:
            return {self.whole: f"{kind}-{layer}-{head}"}
        return {"attention": kind, "layer": layer, "head": head}


OPENS_HEAD: Final = ClickOnHead()


def code_of(asked: Asked, ask: str, number: int, **more: object) -> Call:
    """The call that draws one of the pictures of a question again."""
    return Call(method="why", arguments={"ask": ask, **asked.about(), **more}, number=number)


def answer(asked: Asked, parts: LogitParts) -> tuple[str, str]:
    """The largest part, in words; the bars of `waterfall_picture` are sums of parts."""
    names, bars = parts.by_layer()
    bar, at = largest(bars), largest(parts.values)
    logit = {"logit": signed(parts.logit), "n": len(parts.parts)}
    most = {"bar": names[bar], "sum": signed(float(bars[bar]))}
    most |= {"part": parts.names[at], "value": signed(float(parts.values[at]))}
    total_in_words = tr("{measure}: {logit}, the sum of {n} parts.", measure=_logit(asked), **logit)
    if names[bar] == parts.names[at]:
        return total_in_words, tr("The largest part: {part} ({value}).", **most)
    return total_in_words, tr(
        "The largest bar: {bar} ({sum}); the largest single part: {part} ({value}).",
        **most,
    )


def check(parts: LogitParts) -> tuple[bool, str]:
    """Whether the parts sum to the logit, and by how much they miss it."""
    error = abs(float(parts.values.sum()) - parts.logit)
    holds = error <= 1e-4 * max(1.0, abs(parts.logit))
    return holds, tr(
        "the parts sum to {total} (±{error:.0e})", total=signed(parts.logit), error=error
    )


def waterfall_picture(asked: Asked, parts: LogitParts) -> Picture:
    """The logit as a sum, layer by layer."""
    names, values = parts.by_layer()
    total = tr("sum")
    return Picture(
        key="why_waterfall",
        title=tr("Which layer wrote it"),
        drawing=figures.waterfall(names, values, total),
        alt=tr(
            "{measure} as a sum: {parts}; {total} {logit}.",
            measure=_logit(asked),
            parts=side_by_side(with_numbers(names, map(signed, values.tolist()))),
            total=total,
            logit=signed(parts.logit),
        ),
        caption=tr("What a part does by way of later parts is counted there."),
        code=code_of(asked, "parts", 0),
    )


def heads_picture(asked: Asked, parts: LogitParts, at: Head | None = None) -> Picture:
    """The contribution of every head; the one `at` is framed, or the largest."""
    config, grids = asked.question.sentence.model.config, {}
    for kind in config.attention_kinds:  # the heads of each stand in the order of the model
        of_kind = [part.kind == kind and part.head is not None for part in parts.parts]
        if any(of_kind):
            grids[kind] = parts.values[of_kind].reshape(-1, config.n_heads)
    values = by_head(grids)
    asks = at if at in values else None
    return grid_of_heads(
        grids,
        key="why_parts",
        title=tr("Which head wrote it"),
        what=tr("put in"),
        caption=sentences(
            tr("What each head put into this sum."),
            "" if asks is None else tr("Framed: {head}.", head=head_in_words(*asks)),
        ),
        code=code_of(asked, "parts", 1, head=asks),
        mark=asks or max(values, key=lambda one: abs(values[one]), default=None),
    )


def grid_of_heads(
    grids: Mapping[AttentionKind, Float[np.ndarray, "layers heads"]],
    *,
    key: str,
    title: str,
    what: str,
    caption: str,
    code: Call | None,
    mark: Head | None = None,
    click: ClickOnHead = OPENS_HEAD,
    least: float = 0.0,
) -> Picture:
    """A number for each head of each layer of each attention, one of them framed.

    `least` is that of `figures.causes.blocks`.
    """
    heads = next(iter(grids.values())).shape[1]
    deepest = max(len(grid) for grid in grids.values())
    numbers = by_head(grids)
    ranked = sorted(numbers, key=lambda at: -abs(numbers[at]))
    return Picture(
        key=key,
        title=title,
        drawing=figures.blocks(
            [
                Block(
                    name=kind,
                    title=tr(KIND_NAMES[kind]),
                    columns=[str(head + 1) for head in range(heads)],
                    values=grid,
                    mark=mark[1:] if mark is not None and mark[0] == kind else None,
                )
                for kind, grid in grids.items()
            ],
            [tr("layer {layer}", layer=layer + 1) for layer in range(deepest)],
            what=what,
            least=least,
        ),
        alt=tr(
            "{title}, layers by heads. The largest: {heads}.",
            title=title,
            heads=between("; ").join(
                f"{head_in_words(*at)} {signed(numbers[at])}" for at in ranked[:5]
            ),
        ),
        caption=caption,
        code=code,
        click=click,
    )


def score_answer(score: ScoreParts) -> str:
    """The largest part of the query, and of the key."""
    rows, columns, values = _condensed(score)
    of_query, of_key = values.sum(axis=1), values.sum(axis=0)
    query, key = largest(of_query), largest(of_key)
    return tr(
        "The score before the mask, {score}, is the sum of all cells. Largest part of the query: "
        "{query} ({query_sum}); of the key: {key} ({key_sum}).",
        score=signed(score.score),
        query=rows[query],
        query_sum=signed(float(of_query[query])),
        key=columns[key],
        key_sum=signed(float(of_key[key])),
    )


# Reasons why a head may attend to a key, by the parts of the key.
_DRAWS: Final = {
    mark("Most of this score comes from “{key}” itself."): ("embedding",),
    mark("Most of this score comes from where “{key}” stands."): ("position", "distance"),
    mark("Most of this score comes from what earlier layers have written at “{key}”."): (
        "head",
        "feed-forward",
    ),
    mark("Most of this score comes from biases, which say little about “{key}”."): ("biases",),
}


def score_reason(score: ScoreParts, key: str) -> str:
    """The part of the key that counts most, without numbers; empty if none does."""
    of_key = score.values.sum(axis=0)
    part_kinds = np.array([part.what for part in score.key_parts])
    sums = {text: float(of_key[np.isin(part_kinds, kinds)].sum()) for text, kinds in _DRAWS.items()}
    most = max(sums, key=lambda text: sums[text])
    is_most = 3 * sums[most] > 2 * sum(map(abs, sums.values()))  # else they cancel each other
    return tr(most, key=key) if is_most else ""


def score_picture(score: ScoreParts, code: Call) -> Picture:
    """A score as a matrix: parts of the query by parts of the key."""
    rows, columns, values = _condensed(score)
    return Picture(
        key="why_score",
        title=tr("Why it looks there"),
        drawing=figures.matrix(
            rows, columns, values, titles=(tr("in the query"), tr("in the key"))
        ),
        alt=score_answer(score),
        caption=tr(
            "The score, split into what each earlier part put into the query and into the key; "
            "each norm's scale is taken as it was."
        ),
        code=code,
    )


def _condensed(score: ScoreParts) -> tuple[list[str], list[str], np.ndarray]:
    """The matrix; if it is large, the heads of each attention are one row or column.

    Parts that put in nothing at all, such as the biases of a model without any, are left out.
    """
    values, named = score.values, []
    for side, parts in enumerate((score.query_parts, score.key_parts)):
        adds_something = score.values.any(axis=1 - side)
        kept = np.flatnonzero(adds_something if adds_something.any() else ~adds_something)
        values, parts = values.take(kept, axis=side), tuple(parts[index] for index in kept)
        names = [part.name for part in parts]
        if len(parts) > MAX_PARTS:
            groups = [part.group for part in parts]
            names = list(dict.fromkeys(groups))
            members = [[index for index, one in enumerate(groups) if one == name] for name in names]
            values = np.stack(
                [values.take(of_group, axis=side).sum(axis=side) for of_group in members], side
            )
        named.append(names)
    return named[0], named[1], values


def _logit(asked: Asked) -> str:
    return tr("Logit of “{word}”", word=asked.word) if asked.is_share else asked.measure
