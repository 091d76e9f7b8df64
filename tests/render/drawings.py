"""Every kind of drawing that the figures make, on small numbers."""

from collections.abc import Iterator

import numpy as np

from explorer.drawing.drawing import Drawing
from explorer.drawing.labels import tick_labels
from explorer.drawing.theme import INK
from explorer.figures.attention import all_heads, one_head
from explorer.figures.causes import Block, Words, blocks, by_words, deletion, matrix, waterfall
from explorer.figures.decoding import Node, newest, next_words, tree
from explorer.figures.equation import Matrix, equation
from explorer.figures.exercises import compared_bars
from explorer.figures.masks import mask_row
from explorer.figures.one_mask import OneMask, one_mask
from explorer.figures.positional import curves, encoding_heatmap, three_panels
from explorer.figures.rooms import counted
from explorer.figures.shift import shift
from explorer.figures.stack import stream, token_heatmap
from explorer.figures.training import loss_curve
from explorer.positional import sinusoidal
from tests.figures.test_attention import numbered


def drawings(words: list[str]) -> Iterator[tuple[str, Drawing]]:
    """Each with its name; `words` are the tokens in them."""
    count = len(words)
    heads = numbered(4, words, words)
    encoding = sinusoidal(12, 16).numpy()
    codes = np.arange(count * count).reshape(count, count).astype(np.uint8) % 4
    square = np.linspace(-2, 2, count * count).reshape(count, count)
    yield "one head", one_head(heads, 1, kind="cross", cell=(0, count - 1))
    yield "all heads", all_heads(heads, 2, kind="encoder")
    mask = OneMask(
        name="target",
        kind="decoder",
        codes=codes,
        query_labels=words,
        key_labels=words,
        factors=[("one", codes)],
    )
    yield "one mask", one_mask(mask, (1, 1))
    yield "masks", mask_row([("a", codes), ("b", codes)], words, words)
    yield "encoding", encoding_heatmap(encoding, tokens=words, token=1)
    yield "panels", three_panels([("x", square), ("y", -square)], words)
    yield "values", token_heatmap(square, words, columns=words, token=0)
    matrices = [
        Matrix(name="a", title="a", values=square, rows=words),
        Matrix(name="b", title="b", values=square[:1], columns=words, frame=(slice(1), slice(1))),
    ]
    yield "equation", equation(matrices, ["×"])
    tokens = [(word, at) for at, word in enumerate(words)]
    yield "stream", stream(np.abs(square), words, words, here=1)
    yield "shift", shift(tokens, tokens)
    fine = np.linspace(0, 11, 100, dtype=np.float32)
    waves = sinusoidal(12, 16).numpy()[np.round(fine).astype(int)]
    yield "waves", curves(encoding, waves, fine, [0, 5], marked=[3.0])
    yield (
        "counted",
        counted([(word, at, at == 1) for at, word in enumerate(words)], 9, revealed=True),
    )
    yield (
        "learning",
        loss_curve([4.0, 3.0, 2.5, 2.0], steps=9, top=5.0, marked=3),
    )
    shares = np.linspace(0.5, 0.1, count, dtype=np.float32)
    yield "next words", next_words(shares, shares[::-1].copy(), words, 0)
    values = [0.5 - at for at in range(count)]
    may = np.arange(count) < count - 1
    looks = np.where(may, 0.25, 0.0)[None]
    yield "newest", newest(looks, may, words, kind="decoder", title=words[0], room=20)
    yield "compared", compared_bars("score", words, values, [""] * count)
    nodes = [
        Node(parent=None, depth=0, word=words[0], score=0.0, probability=1.0, kept=True, best=True),
        Node(parent=0, depth=1, word=words[1], score=-0.5, probability=0.6, kept=True, best=True),
        Node(parent=0, depth=1, word=words[2], score=-0.9, probability=0.4, kept=False, best=False),
    ]
    yield "tree", tree(nodes, depth=2, width=2, at=1)
    texts = [["1"] * count] * 2
    side = Words(title=words[0], color=INK.encoder, labels=words, values=square[:2], texts=texts)
    yield "by words", by_words(words[:2], [side], in_nats=[True, False])
    yield "deletion", deletion(words[:2], np.abs(square[:2]) / 2, [0], is_share=True)
    yield "waterfall", waterfall(words, square[0], words[0])
    columns = tick_labels(words)
    parts = [Block(name="encoder", title=words[0], columns=columns, values=square, mark=(1, 1))]
    yield "blocks", blocks(parts, columns, what="share")
    yield "matrix", matrix(words, words, square, titles=("q", "k"))
