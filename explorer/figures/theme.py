"""The common style of all pictures: colours, scales and the base layout."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

ColorScale = list[tuple[float, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Colours for one background, distinct for colour-blind readers (after Okabe and Ito)."""

    text: str
    muted: str
    faint: str  # the word PAD
    line: str
    background: str
    encoder: str
    decoder: str
    cross: str
    may_attend: str
    future: str
    pad: str
    both: str
    masked: str  # a weight of exactly 0
    weights: ColorScale  # sequential, 0 blends into the background
    signed: ColorScale  # diverging, symmetric about 0
    lines: tuple[str, ...]  # in the order of use
    tokens: tuple[str, ...]  # below words: Paul Tol's “light” scheme, then its paler half

    def hue(self, kind: str) -> str:
        """The colour of "encoder", "decoder" or "cross" attention, the same on every page."""
        return {"encoder": self.encoder, "decoder": self.decoder, "cross": self.cross}[kind]


def _scale(places: Sequence[float], *colors: str) -> ColorScale:
    return list(zip(places, colors, strict=True))


SHARES: Final = (0.0, 0.15, 0.4, 0.7, 1.0)  # small weights are told apart, too
EVEN: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
LIGHT: Final = Theme(
    text="#1B2430",
    muted="#5B6673",
    faint="#66707C",
    line="#D5DCE5",
    background="#FFFFFF",
    encoder="#0B6FB8",
    decoder="#C24E00",
    cross="#007A5A",
    may_attend="#4FA3DB",
    future="#F0B429",
    pad="#A3ABB5",
    both="#7A5C3E",
    masked="#C9CED6",
    weights=_scale(SHARES, "#F4F7FB", "#D3E3F3", "#7FB2DE", "#2B6FB0", "#08264F"),
    signed=_scale(EVEN, "#8A3D00", "#E59A55", "#F7F7F5", "#6FA8DC", "#0B3C73"),
    lines=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7A7A7A"),
    tokens=(
        "#77AADD",
        "#99DDFF",
        "#44BB99",
        "#BBCC33",
        "#AAAA00",
        "#EEDD88",
        "#EE8866",
        "#FFAABB",
        "#C2D9F0",
        "#D1F0FF",
        "#ABE0D1",
        "#E0E8A3",
        "#D9D98C",
        "#F7F0C9",
        "#F7C9BA",
        "#FFD9E0",
    ),
)
DARK: Final = Theme(
    text="#E8EDF3",
    muted="#9DA9B7",
    faint="#808B98",
    line="#36404D",
    background="#11161D",
    encoder="#5DB1F0",
    decoder="#FF9448",
    cross="#3FCB9E",
    may_attend="#3D8FC7",
    future="#D99A12",
    pad="#6B7480",
    both="#8F6B48",
    masked="#454D58",
    weights=_scale(SHARES, "#18202B", "#1F3B5A", "#2F78B3", "#86C3F0", "#FBFDFF"),
    signed=_scale(EVEN, "#FFB777", "#B0662A", "#1C232D", "#3B7FBD", "#A9D6FF"),
    lines=("#4DA6E8", "#FF8A3D", "#33C997", "#E79BC8", "#F2BC3B", "#9AD4F7", "#C6A569", "#B4B4B4"),
    tokens=(
        "#3F5973",
        "#4E7083",
        "#286055",
        "#5E6827",
        "#565910",
        "#74704D",
        "#74493E",
        "#7C5964",
        "#273747",
        "#2F424F",
        "#1C3A38",
        "#363E22",
        "#333717",
        "#424235",
        "#422F2D",
        "#453740",
    ),
)
# On white paper, also in grey: larger weights are darker, and text is black.
PRINT: Final = Theme(
    text="#000000",
    muted="#333333",
    faint="#595959",
    line="#999999",
    background="#FEFEFE",
    encoder="#004B87",
    decoder="#8F3A00",
    cross="#005B43",
    may_attend="#E6E6E6",
    future="#8C8C8C",
    pad="#C0C0C0",
    both="#4D4D4D",
    masked="#D9D9D9",
    weights=_scale(SHARES, "#FDFDFD", "#E0E0E1", "#BDBDBE", "#6E6E6F", "#101011"),
    signed=_scale(EVEN, "#7A3300", "#D9A273", "#FCFCFC", "#7FA6C9", "#00264D"),
    lines=("#00568A", "#B34700", "#007A5B", "#9E4F80", "#9C6500", "#2A7FB0", "#5E4819", "#4F4F50"),
    tokens=LIGHT.tokens,
)
THEMES: Final = {"light": LIGHT, "dark": DARK}

SMALLEST_WEIGHT: Final = 1e-9  # that is not drawn as masked; far too small to be seen
FONT: Final = "'Source Sans', 'Noto Sans', 'DejaVu Sans', sans-serif"


def recolouring(theme: Theme, other: Theme) -> dict[str, str]:
    """The colour in the other theme for each colour of a theme."""
    return dict(zip(_colours(theme), _colours(other), strict=True))


def _colours(theme: Theme) -> Iterator[str]:
    for field in fields(theme):
        found = getattr(theme, field.name)
        if isinstance(found, str):
            yield found
        else:
            yield from (part if isinstance(part, str) else part[1] for part in found)


def weight_scale(theme: Theme) -> ColorScale:
    """The colour scale of the weights, with the masked colour for exactly 0."""
    (_, faintest), *rest = theme.weights
    return [(0.0, theme.masked), (SMALLEST_WEIGHT, faintest), *rest]


def evenly(scale: ColorScale, count: int) -> list[list[int]]:
    """A colour scale as `count` evenly spaced colours (red, green, blue)."""
    at = np.linspace(0, 1, count)
    places = [place for place, _ in scale]
    channels = np.array([[int(color[n : n + 2], 16) for n in (1, 3, 5)] for _, color in scale])
    mixed = np.stack([np.interp(at, places, channels[:, n]) for n in range(3)], axis=1)
    return [[int(channel) for channel in color] for color in mixed]


def axis(theme: Theme, **more: object) -> dict[str, object]:
    """An axis without grid lines or a zero line, in the theme's colours."""
    return {
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "ticklabelstandoff": 3,
        "tickfont": {"color": theme.text, "size": 13},
        "title": {"font": {"size": 13, "color": theme.muted}, "standoff": 8},
        **more,
    }


def lines(theme: Theme) -> dict[str, object]:
    """For an axis: thin lines at its numbers."""
    return {"showgrid": True, "gridcolor": theme.line}


def color_bar(theme: Theme, title: str) -> dict[str, object]:
    """A slim colour bar with a title on top."""
    return {
        "title": {"text": title, "side": "top", "font": {"size": 12, "color": theme.muted}},
        "thickness": 10,
        "outlinewidth": 0,
        "ticks": "",
        "tickfont": {"size": 12, "color": theme.muted},
    }
