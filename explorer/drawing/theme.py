"""The common style of all pictures: colours, scales and the base layout."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

ColorScale = list[tuple[float, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Colours for one background; a hue means one thing, also for colour-blind readers.

    Encoder, decoder and cross-attention have one each, and so have their weights. Numbers with a
    sign go from violet to gold. All else is ink.
    """

    text: str
    muted: str
    faint: str  # the word PAD
    line: str
    background: str
    encoder: str
    decoder: str
    cross: str
    masked: str  # behind what is hidden
    hatch: str  # the lines over it
    encoder_weights: ColorScale  # sequential, 0 blends into the background
    decoder_weights: ColorScale
    cross_weights: ColorScale
    amounts: ColorScale  # what else is never negative: probabilities, distances
    signed: ColorScale  # diverging, symmetric about 0
    lines: tuple[str, ...]  # in the order of use

    def hue(self, kind: str) -> str:
        """The colour of "encoder", "decoder" or "cross" attention, the same on every page."""
        hue: str = getattr(self, kind)
        return hue

    def weights(self, kind: str | None) -> ColorScale:
        """The scale of the weights of a kind of attention, or of one that is of no model."""
        scale: ColorScale = self.amounts if kind is None else getattr(self, f"{kind}_weights")
        return scale

    def tint(self, kind: str | None) -> str:
        """A flat colour for what belongs to a kind of attention, under black or white words."""
        return self.weights(kind)[2][1]


def _scale(places: Sequence[float], *colors: str) -> ColorScale:
    return list(zip(places, colors, strict=True))


SHARES: Final = (0.0, 0.15, 0.42, 0.8, 1.0)  # small weights are told apart, too
EVEN: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
LIGHT: Final = Theme(
    text="#1B2430",
    muted="#556070",
    faint="#66707C",
    line="#D5DCE5",
    background="#FFFFFF",
    encoder="#0B6FB8",
    decoder="#C24E00",
    cross="#007A5A",
    masked="#FDFDFE",
    hatch="#C4CBD4",
    encoder_weights=_scale(SHARES, "#F2F5F9", "#D5E6F5", "#86B9E3", "#0C6FB7", "#04305A"),
    decoder_weights=_scale(SHARES, "#F8F5F2", "#FADFCB", "#F0AA7B", "#C14E01", "#5E2400"),
    cross_weights=_scale(SHARES, "#F2F6F4", "#D2EADF", "#82C6AD", "#017A59", "#003B2C"),
    amounts=_scale(SHARES, "#F5F6F8", "#E0E4EA", "#B4BDC8", "#6A7786", "#3C4958"),
    signed=_scale(EVEN, "#4B2A86", "#A995D6", "#F6F5F2", "#DDBB52", "#7A5B00"),
    lines=("#1B2430", "#B5386B", "#8590A0", "#7B5B45"),
)
DARK: Final = Theme(
    text="#E8EDF3",
    muted="#A3AEBB",
    faint="#808B98",
    line="#36404D",
    background="#11161D",
    encoder="#6CB6F5",
    decoder="#FF9E61",
    cross="#4CCBA2",
    masked="#12171E",
    hatch="#4A5563",
    encoder_weights=_scale(SHARES, "#1A212B", "#17344F", "#22659C", "#56AAEF", "#CBE6FF"),
    decoder_weights=_scale(SHARES, "#221E1C", "#45291A", "#8C4A1E", "#F08A45", "#FFD9BD"),
    cross_weights=_scale(SHARES, "#18231F", "#15392F", "#1E6B55", "#37B78F", "#B4F3DC"),
    amounts=_scale(SHARES, "#1A2029", "#29323D", "#4A5664", "#8391A0", "#B9C4D0"),
    signed=_scale(EVEN, "#C9B6F5", "#6B52A8", "#1E232B", "#8A6F1E", "#F2D673"),
    lines=("#E8EDF3", "#F08CB4", "#6C7888", "#B99B84"),
)
# On white paper, also in grey: larger weights are darker, and text is black.
_GREYS: Final = _scale(SHARES, "#FDFDFD", "#E0E0E1", "#BDBDBE", "#6E6E6F", "#101011")
PRINT: Final = Theme(
    text="#000000",
    muted="#333333",
    faint="#595959",
    line="#999999",
    background="#FEFEFE",
    encoder="#004B87",
    decoder="#8F3A00",
    cross="#005B43",
    masked="#FFFFFF",
    hatch="#8C8C8C",
    encoder_weights=_GREYS,
    decoder_weights=_GREYS,
    cross_weights=_GREYS,
    amounts=_GREYS,
    signed=_scale(EVEN, "#3B1D75", "#A995D6", "#FCFCFC", "#D6B95E", "#5E4600"),
    lines=("#000000", "#9E2F5C", "#7A7A7A", "#5E4333"),
)
THEMES: Final = {"light": LIGHT, "dark": DARK}

# Drawings have no theme: their colours are roles, which a renderer looks up in one. A role stands
# between two characters that nobody types.
ROLE: Final = re.compile("\ue000([a-z_0-9]+)\ue001")


def _role(name: str) -> str:
    return f"\ue000{name}\ue001"


def _roles(name: str, colors: object) -> Any:
    """The roles of a field of a theme."""
    if isinstance(colors, str):
        return _role(name)
    assert isinstance(colors, list | tuple)
    if isinstance(colors, tuple):
        return tuple(_role(f"{name}_{at}") for at in range(len(colors)))
    return [(place, _role(f"{name}_{at}")) for at, (place, _) in enumerate(colors)]


INK: Final = Theme(**{f.name: _roles(f.name, getattr(LIGHT, f.name)) for f in fields(Theme)})

SMALLEST_WEIGHT: Final = 1e-9  # that is not drawn as masked; far too small to be seen
FONT: Final = "'Source Sans', 'Noto Sans', 'DejaVu Sans', sans-serif"


def coloured(text: str, theme: Theme) -> str:
    """A text in which each role is a colour of this theme."""
    if "\ue000" not in text:
        return text
    palette = _palette(id(theme))
    return ROLE.sub(lambda role: palette[role[0]], text)


@cache
def _palette(theme: int) -> dict[str, str]:
    known = {id(one): one for one in (LIGHT, DARK, PRINT)}
    return dict(zip(_colours(INK), _colours(known[theme]), strict=True))


def _colours(theme: Theme) -> Iterator[str]:
    for field in fields(theme):
        found = getattr(theme, field.name)
        if isinstance(found, str):
            yield found
        else:
            yield from (part if isinstance(part, str) else part[1] for part in found)


def weight_scale(kind: str | None) -> ColorScale:
    """The colour scale of the weights of a kind, with the masked colour for exactly 0."""
    (_, faintest), *rest = INK.weights(kind)
    return [(0.0, INK.masked), (SMALLEST_WEIGHT, faintest), *rest]


def shades(scale: ColorScale, shares: np.ndarray) -> np.ndarray:
    """Red, green and blue at each share of a scale, from 0 to 255."""
    places, colors = _table(tuple(scale))
    return np.stack([np.rint(np.interp(shares, places, colors[:, n])) for n in range(3)], axis=-1)


@lru_cache(maxsize=64)
def _table(scale: tuple[tuple[float, str], ...]) -> tuple[np.ndarray, np.ndarray]:
    # Two colours at one place make a step: the second begins just after the first.
    places = np.array([at for at, _ in scale]) + 1e-12 * np.arange(len(scale))
    return places, np.array([list(bytes.fromhex(color[1:])) for _, color in scale])
