"""The colours of a theme: those it sets, those that follow, and whether text can be read on them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, cast

from suanli.errors import Fault
from suanli_reports.texts import read_yaml
from suanli_reports.theme.record import Colours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["LEAST_CONTRAST", "colours_of", "contrast", "contrast_faults", "mixed", "shipped_colours"]

LEAST_CONTRAST: Final = 4.5
"""Ratio of text to its background that can be read by most (WCAG 2.1, 1.4.3, level AA)."""

_LINEAR_BELOW: Final = 0.04045
_ON_BACKGROUND: Final = (
    ("ink", "paper"),
    ("soft", "paper"),
    ("accent", "paper"),
    ("warn", "paper"),
    ("on_accent", "accent"),
    ("on_accent_soft", "accent"),
    ("ink", "pick"),
    ("accent", "pick"),
    ("ink", "box"),
    ("soft", "box"),
    ("ink", "sheet_tint"),
    ("ink", "sheet_band"),
)
"""Text and what it stands on."""
_OF_ACCENT: Final = (1.0, 0.68, 0.35, None, None, None, 0.8, None)
"""How much of the accent each tint of a chart has; None stays as shipped."""


@cache
def shipped_colours() -> Colours:
    """Return the colours of the shipped look."""
    content = read_yaml(files("suanli_templates").joinpath("style/palette.yaml"), "style/palette.yaml")
    rows = cast("dict[str, Any]", content)
    lists = {key: tuple(cast("list[str]", rows[key])) for key in ("tints", "series")}
    found: dict[str, Any] = {**rows, **lists}
    return Colours(**found)


def colours_of(stated: Mapping[str, str | tuple[str, ...]]) -> Colours:
    """Return the colours of a theme: stated ones, then those that follow from its accent, then the shipped.

    Args:
        stated: what the theme sets, by the names of `Colours`.
    """
    shipped = shipped_colours()
    found: dict[str, Any] = {name: getattr(shipped, name) for name in Colours.__dataclass_fields__}
    found.update(stated)
    if not {"accent", "paper", "on_accent"} & stated.keys():
        return Colours(**found)
    accent, paper, on_accent = found["accent"], found["paper"], found["on_accent"]
    following: dict[str, Callable[[], Any]] = {
        "pick": lambda: mixed(accent, paper, 0.11),
        "sheet_tint": lambda: mixed(accent, paper, 0.11),
        "on_accent_soft": lambda: mixed(on_accent, accent, 0.88),
        "on_accent_rule": lambda: mixed(on_accent, accent, 0.45),
        "tints": lambda: _tints(accent, paper),
        "series": lambda: (accent, *shipped.series[1:]),
    }
    found.update({name: make() for name, make in following.items() if name not in stated})
    return Colours(**found)


def _tints(accent: str, paper: str) -> tuple[str, ...]:
    return tuple(
        tint if share is None else mixed(accent, paper, share)
        for tint, share in zip(shipped_colours().tints, _OF_ACCENT, strict=True)
    )


def mixed(colour: str, ground: str, share: float) -> str:
    """Return a colour laid over a ground.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_channels(colour), _channels(ground), strict=True)
    return "#" + "".join(f"{round(one * share + other * (1 - share)):02x}" for one, other in pairs)


def contrast(text: str, ground: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21, as WCAG 2.1 defines it.

    >>> round(contrast("#000000", "#ffffff"), 1)
    21.0
    """
    light, dark = sorted((_luminance(text), _luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def contrast_faults(colours: Colours, place: Callable[[str], str]) -> Iterator[Fault]:
    """Yield a fault for each text that could not be read on its background.

    Args:
        colours: all colours of the theme.
        place: file and line of a colour by its name.
    """
    for text, ground in _ON_BACKGROUND:
        one, other = str(getattr(colours, text)), str(getattr(colours, ground))
        ratio = contrast(one, other)
        if ratio < LEAST_CONTRAST:
            yield Fault(
                f"{text} {one} on {ground} {other} has a contrast of {ratio:.2f}:1",
                where=place(text),
                key=f"colours.{text}",
                why=f"text needs at least {LEAST_CONTRAST}:1 on its background",
                cure=f"make one of {text} and {ground} darker, or the other lighter",
            )


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= _LINEAR_BELOW else ((value + 0.055) / 1.055) ** 2.4
