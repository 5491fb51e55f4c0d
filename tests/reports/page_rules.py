"""How the pages of a document should look, read off the finished PDF; each rule names what breaks it.

Usage: python -m tests.reports.page_rules FILE.pdf ... prints every fault of layout and of the archive rules.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pikepdf
from tests.reports.pdf_rules import RULES
from tests.reports.pdf_text import Run, Tag, runs, structure

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST_FILLED = 0.25
_TOP, _BOTTOM = 71.0, 62.0
"""Margins of a page in points: 25 and 22 mm."""
_ROOM = 1.0
"""Points that rounding may put a glyph beyond an edge."""
_RAISED = 6.0
"""Size in points below which a key is raised; in a column of its own it is as large as the rest."""
_HEADS = {"H1", "H2", "H3"}
_KEY = re.compile(r"[SRCFA]\d+(\s[SRCFA]\d+)*")
_POINTS_A_PIXEL = 0.75


@dataclass
class Sheet:
    """One page: what of the text flow stands on it, by place, and where it ends."""

    number: int
    width: float
    height: float
    texts: list[tuple[Run, tuple[str, ...]]] = field(default_factory=list[tuple[Run, tuple[str, ...]]])
    """Texts with the roles that they stand in."""
    lowest: float = 1e9

    @property
    def filled(self) -> float:
        """Return the part of the text area that is used, from its top."""
        area = self.height - _TOP - _BOTTOM
        return min(1.0, max(0.0, (self.height - _TOP - self.lowest) / area))

    @property
    def opens_a_part(self) -> bool:
        """Tell whether the page begins with the heading of a chapter."""
        top = max(self.texts, key=lambda one: one[0].base, default=None)
        return top is not None and "H1" in top[1]


def sheets(document: pikepdf.Pdf) -> list[Sheet]:
    """Return the pages of a document with the texts of its flow; running heads are left out."""
    found = [
        Sheet(number, float(page.mediabox[2]), float(page.mediabox[3]))
        for number, page in enumerate(document.pages, start=1)
    ]
    roles: dict[tuple[int, int], tuple[str, ...]] = {}
    for above, tag in structure(document).walk():
        for part in tag.parts:
            if isinstance(part, int):
                roles[tag.page, part] = (*above, tag.role)
                _reach(found[tag.page - 1], tag)
    for run in runs(document):
        if run.tag is not None and (run.page, run.tag) in roles and run.text.strip():
            sheet = found[run.page - 1]
            sheet.texts.append((run, roles[run.page, run.tag]))
            sheet.lowest = min(sheet.lowest, run.base)
    return found


def _reach(sheet: Sheet, tag: Tag) -> None:
    """Let a drawing count as far down as it reaches."""
    if tag.bottom is not None:
        sheet.lowest = min(sheet.lowest, sheet.height - tag.bottom * _POINTS_A_PIXEL)


def outside(pages: list[Sheet]) -> Iterator[str]:
    """No text leaves its page."""
    for sheet in pages:
        for run, _ in sheet.texts:
            inside = run.left >= -_ROOM and run.right <= sheet.width + _ROOM
            if not inside or not 0 <= run.base <= sheet.height:
                yield f"page {sheet.number}: {run.text!r} leaves the page"


def empty(pages: list[Sheet]) -> Iterator[str]:
    """No page is nearly empty unless a part ends on it; cover and contents are pages of their own."""
    for sheet, following in itertools.pairwise(pages[1:]):
        if sheet.filled < _LEAST_FILLED and not following.opens_a_part:
            yield f"page {sheet.number}: filled by {sheet.filled:.0%}"


def stranded(pages: list[Sheet]) -> Iterator[str]:
    """No heading is the last on its page."""
    for sheet in pages:
        last = min(sheet.texts, key=lambda one: one[0].base, default=None)
        if last is not None and _HEADS & set(last[1]) and last[0].base <= sheet.lowest + _ROOM:
            yield f"page {sheet.number}: ends with the heading {last[0].text!r}"


def lone_keys(pages: list[Sheet]) -> Iterator[str]:
    """No raised reference key stands alone on its line."""
    for sheet in pages:
        lines: defaultdict[int, list[Run]] = defaultdict(list)
        for run, _ in sheet.texts:
            lines[round(run.base / 3)].append(run)
        for run, roles in sheet.texts:
            raised = run.size < _RAISED and "Link" in roles and _KEY.fullmatch(run.text.strip())
            near = [one for place in (-2, -1, 0, 1, 2) for one in lines[round(run.base / 3) + place]]
            if raised and not any(
                -_ROOM <= run.left - one.right < run.size for one in near if one is not run
            ):
                yield f"page {sheet.number}: the key {run.text!r} stands alone"


PAGE_RULES = (outside, empty, stranded, lone_keys)


def main() -> None:
    """Print the faults of documents; end with 1 where there are any."""
    faults = 0
    for name in sys.argv[1:]:
        with pikepdf.open(Path(name)) as document:
            pages = sheets(document)
            found = [fault for rule in PAGE_RULES for fault in rule(pages)]
            found += [fault for rule in RULES for fault in rule(document)]
            used = sum(sheet.filled for sheet in pages[1:]) / max(1, len(pages) - 1)
            print(  # noqa: T201 - a report is printed
                f"{name}: {len(pages)} pages, filled by {used:.0%} on average, {len(found)} faults"
            )
            print(*(f"  {fault}" for fault in found), sep="\n", end="\n" if found else "")  # noqa: T201 - as above
        faults += len(found)
    raise SystemExit(faults > 0)


if __name__ == "__main__":
    main()
