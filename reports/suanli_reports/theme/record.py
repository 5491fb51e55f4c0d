"""What a theme's folder says, as records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suanli_reports.drawing import Palette

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from suanli.domain.record import Text

__all__ = ["MANIFEST", "Colours", "House", "HouseFonts"]

MANIFEST = "theme.yaml"
"""The file that makes a folder a theme."""


@dataclass(frozen=True, slots=True)
class Colours(Palette):
    """Every colour of a document and of a workbook."""

    paper: str
    """Behind everything."""
    pick: str
    """Behind the recommended option."""
    box: str
    """Behind boxed text."""
    on_accent: str
    """Text on the accent, as in the cover's band."""
    on_accent_soft: str
    """The second language there."""
    on_accent_rule: str
    """Rules there."""
    sheet_tint: str
    """Behind totals of the workbook."""
    sheet_band: str
    """Behind heads of the workbook."""
    series: tuple[str, ...]
    """Lines and areas of the workbook's charts."""


@dataclass(frozen=True, slots=True)
class HouseFonts:
    """The two font files of a theme."""

    regular: Path
    bold: Path


@dataclass(frozen=True, slots=True)
class House:
    """A theme that was read."""

    root: Path
    name: Text
    description: Text
    colours: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict[str, "str | tuple[str, ...]"])
    """Those that it sets, by the names of `Colours`."""
    fonts: HouseFonts | None = None
    logo: Path | None = None
