"""Every figure of `docs/checks.md` is what suanli computes today."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reference.checks_table import computed_rows

PAGE = Path(__file__).parents[2] / "docs" / "checks.md"
ROWS = computed_rows()


def written_rows(title: str) -> list[tuple[str, ...]]:
    """Return the cells of the table under a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in table[2:]]


@pytest.mark.parametrize("title", ROWS)
def test_the_rows_of_a_section_are_those_computed(title: str) -> None:
    correct = "\n".join(f"| {claim} | {answer} |" for claim, answer in ROWS[title])
    assert written_rows(title) == ROWS[title], f"the section should hold:\n{correct}"


def test_the_page_has_no_section_that_is_not_computed() -> None:
    titles = [line[3:] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
    assert titles[: len(ROWS)] == list(ROWS)
    assert set(titles) - set(ROWS) == {"How the figures are kept right"}
