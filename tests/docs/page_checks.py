"""What is held against every page of formulas: arithmetic, agreement with the code, parts, links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.docs.worked_examples import chapters_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.docs.worked_examples import Example

PARTS: Final = ("Computes", "Equation", "Symbols", "Derivation", "Holds for", "Source")


def wrong_lines(example: Example) -> dict[str, float]:
    """Return the lines that print another value than their arithmetic gives, with that value."""
    values = example.evaluated()
    return {line.name: values[line.name] for line in example.lines if not line.prints(values[line.name])}


def differences(example: Example, computed: Mapping[str, float]) -> dict[str, float | None]:
    """Return what the code computes and the example does not print; None for a result left uncompared."""
    lines = {line.name: line for line in example.lines}
    wrong: dict[str, float | None] = {
        name: value for name, value in computed.items() if name not in lines or not lines[name].prints(value)
    }
    result = example.lines[-1].name
    return wrong if result in computed else wrong | {result: None}


def incomplete_formulas(page: Path) -> list[str]:
    """Return the titles of formulas that lack a part, have them in another order, or not one example."""
    return [
        title
        for title, body in chapters_of(page).items()
        if re.findall(r"^- \*\*(.+?)\*\*: ", body, re.MULTILINE) != list(PARTS)
        or len(re.findall(r"^```worked ", body, re.MULTILINE)) != 1
    ]


def broken_links(page: Path) -> list[str]:
    """Return the links to files of the project and to titles in them that lead nowhere."""
    links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8"))
    return [
        f"{target}#{anchor}"
        for target, anchor in links
        if not _leads_somewhere((page.parent / target).resolve() if target else page, anchor)
    ]


def _leads_somewhere(file: Path, anchor: str) -> bool:
    if not anchor or not file.is_file():
        return file.exists()
    titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return anchor in {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in titles}
