"""The comparison of a prediction with what was computed."""

from explorer.drawing.theme import DARK, LIGHT, coloured
from explorer.figures.exercises import SIGNS, Mark, compared_bars, mark_color
from tests.figures.reading import of_plotly

MARKS: tuple[Mark, ...] = ("missed", "too much", "", "right")


def test_bars_have_the_values_and_a_sign_that_tells_them_apart() -> None:
    figure = compared_bars("weight", ["a<b>", "b", "c", "d"], [0.5, 0.25, -1.0, 0.0], MARKS)
    of_plotly(figure)
    (bars,) = of_plotly(figure).data
    assert list(bars.x) == [0.5, 0.25, -1.0, 0.0]
    assert list(bars.text) == ["0.500", "0.250", "−1.000", "0.000"]
    ticks = of_plotly(figure).layout.yaxis.ticktext
    assert [tick[0] for tick in ticks] == ["○", "✗", "c", "✓"]
    assert "a&lt;b&gt;" in ticks[0]
    low, high = of_plotly(figure).layout.xaxis.range
    assert low < -1.0
    assert high > 0.5


def test_marks_are_told_apart_by_sign_and_by_colour() -> None:
    assert len(set(SIGNS.values())) == len(SIGNS)
    for theme in (LIGHT, DARK):
        assert len({coloured(mark_color(mark), theme) for mark in SIGNS}) == len(SIGNS)


def test_nothing_is_written_as_zero_beside_the_tiniest_numbers() -> None:
    (bars,) = of_plotly(compared_bars("weight", ["a", "b"], [0.0, 2e-5], ("", "right"))).data
    assert list(bars.text) == ["0", "2.00e−05"]


def test_numbers_below_zero_have_room_between_their_bars_and_their_names() -> None:
    lost = [0.247, -0.002, -0.0004, 0.0004]
    figure = of_plotly(compared_bars("lost", ["a", "b", "c", "d"], lost, ("", "", "", "")))
    assert list(figure.data[0].text) == ["0.247", "−0.002", "> −0.001", "< 0.001"]
    low, high = figure.layout.xaxis.range
    assert -0.002 - low > 0.15 * (high - low)  # a letter takes about a fiftieth
