"""The fonts of a PDF: where they are, which characters they have, and how wide a text is in them.

Only the two packaged files and those of a theme may be embedded, so that a document looks the same on every
machine. Whatever they cannot show is an error that names the character; a few characters that mean the same
in another spelling are respelt first.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from suanli.errors import Fault, RenderError

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

__all__ = [
    "FAMILY",
    "OWN_FAMILY",
    "FontFace",
    "check_characters",
    "face",
    "font_css",
    "font_folder",
    "read_face",
    "respell",
]

FAMILY = "Noto Sans SC"
OWN_FAMILY = "House"
"""Name that a theme's own font files go by; what they lack is shown in `FAMILY`."""
_FILES = {False: "NotoSansSC-Regular.ttf", True: "NotoSansSC-Bold.ttf"}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+\N{MINUS SIGN}")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_MARKUP = re.compile(r"(<svg.*?</svg>|<style.*?</style>|<title.*?</title>|<[^>]*>)", re.DOTALL)
_RESPELT = {"⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "⋅": "·", "\N{NON-BREAKING HYPHEN}": "-"}
_SHOWN_AROUND = 24
"""Characters of the text on each side of a missing one that an error shows."""


@dataclass(frozen=True, slots=True)
class FontFace:
    """One font file: its characters and their advance widths in em."""

    path: Path
    widths: dict[int, float]

    def width(self, text: str, size: float) -> float:
        """Return the width of a text at a size, in its unit; a missing character counts as one em."""
        return size * sum(self.widths.get(ord(character), 1.0) for character in text)


@cache
def font_folder() -> Path:
    """Return the folder of the packaged fonts.

    Raises:
        RenderError: the package was installed without them.
    """
    with as_file(files("suanli_templates").joinpath("fonts")) as folder:
        path = Path(folder)
    missing = [name for name in _FILES.values() if not (path / name).is_file()]
    if missing:
        raise RenderError(
            Fault(f"font files missing: {', '.join(missing)}", where=str(path), cure="install suanli again")
        )
    return path


@cache
def face(*, bold: bool = False) -> FontFace:
    """Return one of the two faces."""
    return read_face(font_folder() / _FILES[bold])


def read_face(path: Path) -> FontFace:
    """Return the face of a font file."""
    with cast("Any", TTFont(path, lazy=True)) as font:
        scale = float(font["head"].unitsPerEm)
        metrics: dict[str, tuple[int, int]] = font["hmtx"].metrics
        characters: dict[int, str] = font.getBestCmap()
    return FontFace(path, {code: metrics[glyph][0] / scale for code, glyph in characters.items()})


def font_css(own: tuple[Path, Path] | None = None) -> str:
    """Return the ``@font-face`` rules of both faces, and of a theme's own regular and bold."""
    rows = [(FAMILY, bold, face(bold=bold).path) for bold in _FILES]
    if own is not None:
        rows += [(OWN_FAMILY, bold, path) for bold, path in zip(_FILES, own, strict=True)]
    rule = "@font-face {{ font-family: '{}'; font-weight: {}; src: url('{}'); }}"
    return "\n".join(
        rule.format(family, 700 if bold else 400, path.resolve().as_uri()) for family, bold, path in rows
    )


def respell(document: str, own: frozenset[int] = frozenset()) -> str:
    """Return an HTML document in which characters that the fonts lack are respelt where they can be.

    Superscript and subscript digits become raised and lowered digits, brackets of ceiling and floor their
    words, and the many kinds of space one no-break space; invisible marks are dropped.

    Args:
        document: the document.
        own: code points that both of a theme's own fonts have.
    """
    known = face().widths.keys() | own
    parts = _MARKUP.split(document)
    return "".join(
        part if index % 2 and not part.startswith(("<svg", "<title")) else _respell_text(part, known)
        for index, part in enumerate(parts)
    )


def _respell_text(text: str, known: AbstractSet[int]) -> str:
    if all(ord(character) in known or character in "\n\t\r" for character in set(text)):
        return text
    if not text.startswith(("<svg", "<title")):
        text = re.sub(
            r"[⁰⁴-⁹⁺⁻][⁰¹²³⁴-⁹]*|[¹²³]+[⁰⁴-⁹][⁰¹²³⁴-⁹]*",
            lambda run: f"<sup>{run[0].translate(_SUPERSCRIPTS)}</sup>",
            text,
        )
        text = re.sub(r"[₀-₉]+", lambda run: f"<sub>{run[0].translate(_SUBSCRIPTS)}</sub>", text)
    return "".join(_respell_character(character, known) for character in text)


def _respell_character(character: str, known: AbstractSet[int]) -> str:
    if ord(character) in known or character in "\n\t\r":
        return character
    if character in _RESPELT:
        return _RESPELT[character]
    kind = unicodedata.category(character)
    if kind == "Zs":
        return "\N{NO-BREAK SPACE}"
    return "" if kind == "Cf" else character


def check_characters(document: str, own: frozenset[int] = frozenset()) -> None:
    """Check that the fonts can show every character of an HTML document.

    Args:
        document: the document.
        own: code points that both of a theme's own fonts have.

    Raises:
        RenderError: they cannot; one fault for each character, with its name and the text around it.
    """
    text = html.unescape(re.sub(r"<style.*?</style>|<[^>]*>", "\n", document, flags=re.DOTALL))
    known = face().widths.keys() | own
    missing = sorted(
        character for character in set(text) if ord(character) not in known and character not in "\n\t\r"
    )
    if missing:
        raise RenderError([_fault(character, text) for character in missing])


def _fault(character: str, text: str) -> Fault:
    place = text.index(character)
    around = " ".join(text[max(0, place - _SHOWN_AROUND) : place + _SHOWN_AROUND].split())
    name = unicodedata.name(character, "unnamed character")
    return Fault(
        f'the font has no glyph for "{character}" (U+{ord(character):04X}, {name})',
        where=f'text "{around}"',
        why=f"the packaged {FAMILY} holds the GBK characters, and a document never shows boxes",
        cure="write the text with another character, or ask for --formats html",
    )
