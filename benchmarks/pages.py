"""Tables inside hand-written pages: what stands between two markers is replaced, the rest is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["fill"]


def fill(page: Path, parts: Mapping[str, str]) -> bool:
    """Put texts between the markers ``<!-- NAME -->`` and ``<!-- end NAME -->`` of a page.

    Returns:
        Whether the page changed.

    Raises:
        SystemExit: the page lacks a marker.
    """
    before = text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        opening, closing = f"<!-- {name} -->\n", f"<!-- end {name} -->"
        head, found, rest = text.partition(opening)
        _, ended, tail = rest.partition(closing)
        if not found or not ended:
            raise SystemExit(f"{page} has no place for {name}")
        text = f"{head}{opening}\n{part.strip()}\n\n{closing}{tail}"
    if text != before:
        page.write_text(text, encoding="utf-8")
    return text != before
