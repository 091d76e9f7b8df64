"""The pictures of the decoding page: the newest position, next words, the search, the source."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.drawing.grid import level
from explorer.drawing.labels import elide, escape
from explorer.figures import decoding as figures
from explorer.figures import describe
from explorer.figures.attention import Heads, one_head
from explorer.figures.decoding import Node
from explorer.figures.describe import share_in_words, with_numbers
from explorer.languages import arrow, sentences, side_by_side, tr, tr_n
from explorer.names import PAD, AttentionKind, SpecialIds
from explorer.runtime.generation import DecodingOptions, GeneratedWord, Generation
from explorer.text import Answer, Batch
from explorer.tokenizer import IdTokenizer, Tokenizer
from explorer.views.picture import Call, Click, Picture

SHOWN = 8  # next words to draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """An answer as it is written, and the word that is looked at."""

    answer: Generation
    options: DecodingOptions
    batch: Batch
    row: int
    begun: Sequence[str]  # what the decoder reads before the first word of the answer
    at: int  # from 0

    @property
    def word(self) -> GeneratedWord:
        """The word in focus."""
        return self.answer.words[self.at]

    @property
    def labels(self) -> list[str]:
        """The words of the answer, including EOS."""
        return self.batch.tgt_names([word.chosen for word in self.answer.words])

    @property
    def before(self) -> list[str]:
        """The words that the decoder has read when it writes the one in focus."""
        return [*self.begun, *self.labels[: self.at]]

    @property
    def is_word(self) -> np.ndarray:
        """Which source tokens are not PAD."""
        words: np.ndarray = self.batch.src_words[self.row].numpy()
        return words

    def code(self, number: int, **place: int) -> Call:
        """The call that draws one of its pictures again."""
        asked = self.options
        counts = {"beam": ("width",), "sampling": ("temperature", "top_k", "top_p", "seed")}
        options = {name: getattr(asked, name) for name in counts.get(asked.method, ())}
        options["instead"] = asked.instead or None
        arguments = {"method": asked.method, "at": self.at, **place, **options}
        return Call(method="decode", arguments=arguments, number=number)


def beginning(
    tokenizer: Tokenizer, batch: Batch, row: int, source: str, *, has_encoder: bool
) -> tuple[list[str], tuple[int, ...]]:
    """The words that the decoder reads before it writes, and the ids of a decoder's own prompt."""
    if has_encoder and batch.tgt_out is not None:
        return [next(label for label in batch.tgt_in_labels[row] if label != PAD)], ()
    asked = tokenizer.batch([source], [Answer(())])
    return list(asked.tgt_in_labels[0]), () if has_encoder else asked.prompts[0]


def writes_nothing(tokenizer: Tokenizer) -> bool:
    """Whether a model reads ids, and nobody knows with which one its answers begin."""
    return isinstance(tokenizer, IdTokenizer) and tokenizer.writes is None


def manner_in_words(specials: SpecialIds, options: DecodingOptions) -> str:
    """The settings of a model's files that an answer follows, and those that it does not."""
    chosen = {
        "beam": {"num_beams": options.width},
        "sampling": {"do_sample": True}
        | {name: getattr(options, name) for name in ("temperature", "top_k", "top_p")},
    }.get(options.method, {})
    same = {f"{name} = {value}" for name, value in chosen.items()}
    manner = specials.manner
    followed = [*manner.followed, *(one for one in manner.not_followed if one in same)]
    others = [one for one in manner.not_followed if one not in same]
    return sentences(
        tr("As its files ask for: {settings}.", settings=side_by_side(followed)) * bool(followed),
        tr(
            "Its files also ask for {settings}: that is not followed here.",
            settings=side_by_side(others),
        )
        * bool(others),
    )


def newest_pictures(writing: Writing, layer: int) -> list[Picture]:
    """Where the newest word read looks: at its own words and, if there is one, at the source.

    Their cells begin at one height.
    """
    found = [_newest_picture(writing, "decoder", layer)]
    if len(writing.word.cross):  # a decoder alone looks at no source
        found.append(_newest_picture(writing, "cross", layer))
    level([picture.drawing for picture in found])
    return found


def _newest_picture(writing: Writing, kind: AttentionKind, layer: int) -> Picture:
    own, word, newest = kind == "decoder", writing.word, escape(elide(writing.before[-1]))
    row = arrow(newest, escape(elide(writing.labels[writing.at])))  # as on other pages
    labels = writing.before if own else writing.batch.src_labels[writing.row]
    weights = (word.decoder if own else word.cross)[layer]
    if own:
        title = tr("{row} looks at its own words", row=row)
        alt = tr("The newest position looks at its own words, layer {layer}.", layer=layer + 1)
    else:
        title = tr("{row} looks at the source", row=row)
        alt = tr("The newest position looks at the source, layer {layer}.", layer=layer + 1)
    heads = [tr("head {head}", head=head + 1) for head in range(len(weights))]
    return Picture(
        key=f"newest_{kind}",
        title=tr("Decoding decoder") if own else tr("Decoding cross"),
        drawing=figures.newest(
            weights,
            np.ones(len(labels), bool) if own else writing.is_word,
            labels,
            kind=kind,
            title=title,
            room=len(writing.answer.words) if own else 0,
        ),
        alt=sentences(alt, describe.attention_in_words(weights, heads, labels)),
        caption=tr("Hatched: not written yet.") if own else "",
    )


def next_words_picture(
    writing: Writing,
    *,
    beside: Picture | None = None,
    writes: Callable[[int], str | None] | None = None,
) -> Picture:
    """The likeliest next words and the chosen one, with what it was chosen by.

    They begin as far down as the cells of the picture that they stand `beside`. A click on a word
    makes the choice that `writes` has for its id.
    """
    top = 30 if beside is None else beside.drawing.room.top - (beside.drawing.spare or 0)
    word, drawn = writing.word, writing.options.method == "sampling"
    shares = word.candidates if drawn else word.probabilities
    order = np.argsort(-shares, kind="stable")[:SHOWN].tolist()
    if word.chosen not in order:
        order[-1] = word.chosen
    names, chosen = writing.batch.tgt_names(order), order.index(word.chosen)
    rest = tr("all others") if len(order) < len(shares) else ""
    captions = [tr("The next word; bold: the chosen one.")]
    if drawn:
        captions = [
            tr("The probabilities that the word is drawn with; bold: the drawn one."),
            tr("Outlined: the model's own, before temperature, top-k and top-p."),
        ]
    if drawn and writing.options.temperature > 1:
        captions.append(
            tr(
                "All others are {n:,} pieces: a temperature above 1 gives to them what it takes "
                "from the likely ones.",
                n=len(shares) - len(order),
            )
        )
    click = None
    if writes is not None:
        click = Click(
            row="own_words",
            rows=[*map(writes, [*order, word.chosen])],
            hint=tr("Click another to write it instead."),
        )
    if any(name[:1] == "#" for name in names):
        captions.append(tr("#: ids without a word."))

    def with_rest(shares: np.ndarray) -> np.ndarray:
        others = [np.delete(shares, order).sum()] if rest else []
        return np.append(shares[order], others)

    own = with_rest(word.probabilities) if drawn else None
    bars = with_rest(shares)
    return Picture(
        key="next_words",
        title=tr("Next word"),
        drawing=figures.next_words(bars, own, names, chosen, rest=rest, top=top),
        alt=tr(
            "Probabilities of the next word: {words}. Chosen: {chosen}.",
            words=side_by_side(
                with_numbers([*names, rest], (share_in_words(float(bar), 3) for bar in bars))
            ),
            chosen=names[chosen],
        ),
        caption=sentences(*captions),
        code=writing.code(0),
        click=click,
    )


def tree_picture(writing: Writing) -> Picture:
    """The beam search so far."""
    answer, batch, best = writing.answer, writing.batch, set(writing.answer.best)
    (start,) = batch.tgt_names([batch.specials.bos])
    nodes = [
        Node(parent=None, depth=0, word=start, score=0.0, probability=1.0, kept=True, best=True)
    ]
    last = writing.at + 1 == len(answer.words)
    shown = answer.tree if last else answer.tree[: writing.at + 1]
    for depth, grown in enumerate(shown, start=1):
        names = batch.tgt_names([node.token for node in grown])
        nodes += [
            Node(
                parent=node.parent,
                depth=depth,
                word=name,
                score=node.score,
                probability=float(np.exp(node.log_probability)),
                kept=node.kept,
                best=node.number in best,
            )
            for node, name in zip(grown, names, strict=True)
        ]
    kept = sum(node.kept for node in nodes)
    return Picture(
        key="tree",
        title=tr("Beam search"),
        drawing=figures.tree(
            nodes, depth=len(answer.tree), width=writing.options.width, at=writing.at + 1
        ),
        alt=tr(
            "Beam search, {steps}: {kept}, {dropped}.",
            steps=tr_n("{n} step", "{n} steps", len(shown)),
            kept=tr_n("{n} beginning kept", "{n} beginnings kept", kept),
            dropped=tr("{n} dropped", n=len(nodes) - kept),
        ),
        caption=tr(
            "Each column adds one word; the best beginning is on top, with its score: the "
            "log-probability divided by ((5 + length) / 6)^{alpha:g}. Small and grey: the "
            "likeliest of the dropped ones.",
            alpha=writing.options.alpha,
        ),
        code=writing.code(1),
    )


def alignment_picture(writing: Writing, layer: int, head: int) -> Picture:
    """The source words that each word of the answer has attended to so far."""
    answer, pieces, at = writing.answer, writing.labels, writing.at
    source = writing.batch.src_labels[writing.row]
    weights = np.stack([word.cross[layer] for word in answer.words], axis=1)  # (heads, word, src)
    weights[:, at + 1 :] = np.nan
    heads = Heads(
        weights=weights,
        scores=None,
        may_attend=np.broadcast_to(writing.is_word, weights.shape[1:]).copy(),
        query_labels=pieces,
        key_labels=source,
        row=tr("chosen:"),
        rows=tr("words, as chosen"),
    )
    return Picture(
        key="alignment",
        title=tr("Alignment"),
        drawing=one_head(heads, head, kind="cross"),
        alt=tr(
            "Cross-attention, layer {layer}, head {head}, from each word of the answer to the "
            "source. {looks}",
            layer=layer + 1,
            head=head + 1,
            looks=describe.attention_in_words(weights[head, : at + 1], pieces[: at + 1], source),
        ),
        caption=sentences(
            tr(
                "Rows: the words of the answer, at the moment they were chosen. Columns: the "
                "source words."
            ),
            tr("Hatched: not written yet.") if at + 1 < len(pieces) else "",
        ),
        code=writing.code(2 if answer.tree else 1, layer=layer, head=head),
    )
