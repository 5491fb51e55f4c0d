"""A theme's font files: what may be embedded, and what they can show."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, cast

from fontTools.ttLib import TTFont, TTLibError  # type: ignore[import-untyped]

from suanli.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["MOST_BYTES", "font_faults"]

MOST_BYTES: Final = 20_000_000
_KINDS: Final = (".ttf", ".otf")
_RESTRICTED: Final = 0x0002
"""Bit of ``fsType`` in the table OS/2 by which a font forbids to be embedded."""
_NEEDED: Final = "0123456789,.%-()ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""What every document has: a font without these would show figures in another face than their words."""
_SHOWN: Final = 12


def font_faults(path: Path, where: str) -> Iterator[Fault]:
    """Yield what is wrong with a font file.

    Args:
        path: the file.
        where: how a fault names it.
    """
    if path.suffix.lower() not in _KINDS:
        yield Fault(f'a font of the kind "{path.suffix}"', where=where, why=f"read are {', '.join(_KINDS)}")
        return
    size = path.stat().st_size
    if size > MOST_BYTES:
        yield Fault(f"font of {size} bytes", where=where, why=f"at most {MOST_BYTES} bytes")
        return
    try:
        with cast("Any", TTFont(BytesIO(path.read_bytes()), lazy=True)) as font:
            yield from _content_faults(font, where)
    except (TTLibError, OSError, KeyError, ValueError, AssertionError) as error:
        yield Fault(f"is no font that can be read: {error}", where=where)


def _content_faults(font: Any, where: str) -> Iterator[Fault]:  # noqa: ANN401 - a library without types
    if "fvar" in font:
        yield Fault(
            "is a variable font",
            where=where,
            why="a document embeds static faces",
            cure="save one instance each for regular and bold",
        )
    if "OS/2" in font and font["OS/2"].fsType & _RESTRICTED:
        yield Fault(
            "forbids to be embedded (fsType)", where=where, cure="take a font whose licence allows it"
        )
    characters: dict[int, str] = font.getBestCmap() or {}
    missing = [character for character in _NEEDED if ord(character) not in characters]
    if missing:
        shown = " ".join(missing[:_SHOWN]) + (" …" if len(missing) > _SHOWN else "")
        yield Fault(
            f"has no glyph for {len(missing)} of the characters that every document needs: {shown}",
            where=where,
            why="Latin letters, digits and their marks are needed; others fall back to the packaged fonts",
        )
