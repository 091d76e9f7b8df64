"""The tokens that the decoder reads and those that it should write, at their positions."""

from explorer.figures.shift import shift
from explorer.names import PAD
from explorer.text import Batch
from explorer.views.tokens import shift_picture
from tests.figures.reading import hatched, heatmaps, spec


def test_read_and_asked_tokens_stand_where_they_are_in_the_target() -> None:
    batch = Batch.from_text(["a", "a"], ["x y", "x y z"])
    tgt = batch.tgt_labels[0]  # BOS x y EOS PAD
    assert tgt[-1] == PAD
    assert batch.tgt_out is not None
    figure = shift(
        list(zip(batch.tgt_in_labels[0], batch.tgt_in[0].tolist(), strict=True)),
        list(zip(batch.tgt_out_labels[0], batch.tgt_out[0].tolist(), strict=True)),
    )
    reads, asked = heatmaps(figure)
    for trace, first in ((reads, 0), (asked, 1)):  # tgt[:, :-1] and tgt[:, 1:]
        assert trace["x0"] == first
        for column, text in enumerate(trace["text"][0]):
            assert text.startswith(f"{tgt[first + column]}<br>")
    assert [hatched(trace)[0].tolist() for trace in (reads, asked)] == [[0, 0, 0, 0], [0, 0, 0, 2]]
    strokes = spec(figure)["layout"]["shapes"]
    arrows = strokes[::3]  # each followed by the two strokes of its head
    # BOS asks for x, x for y, y for EOS; nothing is asked for after the end.
    assert [(round(one["x0"]), round(one["x1"])) for one in arrows] == [(0, 1), (1, 2), (2, 3)]
    assert all(one["y0"] < one["y1"] for one in strokes)
    assert [(one["x1"], one["y1"]) for one in strokes[1:3]] == [
        (arrows[0]["x1"], arrows[0]["y1"])
    ] * 2


def test_arrows_are_said_only_where_they_are_drawn() -> None:
    for words, drawn in ((30, True), (60, False)):
        picture = shift_picture(Batch.from_text(["a"], [" ".join(["x"] * words)]), 0)
        assert picture is not None
        assert ("An arrow leads" in picture.caption) is bool(picture.drawing.marks) is drawn
