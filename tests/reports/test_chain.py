"""The annex with the worked calculation: a reader who types what it prints gets what it prints."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from tests.core.explaining import test_path as paths

from suanli.estimation.results import Constraint
from suanli.proposal.contributions import RenderJob
from suanli.proposal.model import WORKED_GROUPS
from suanli.proposal.worked_lines import exact, put_in
from suanli.proposal.worked_view import FAILS_AT
from suanli_reports.chain import written
from suanli_reports.environment import compose
from suanli_reports.texts import shipped_messages

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

ROW = re.compile(
    r"<tr><td>[^\n]*?</td><td>[^\n]*? = [^\n]*?</td><td>([^\n]*?)</td><td class=\"n\">([^\n]*?)</td></tr>"
)


def typed(cell: str) -> str:
    """Return a cell as it is typed into a calculator."""
    plain = re.sub(r"<[^>]+>", "", cell).replace("&amp;", "&")
    return plain.replace(",", "").replace("×", "*").replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("language", ["zh", "en", "bilingual"])
def test_the_printed_numbers_give_the_printed_results(proposal: Proposal, language: str) -> None:
    document, _ = compose(RenderJob(proposal, language), "print")
    annex = document[document.index('class="tight chain"') :]
    rows = ROW.findall(annex)
    assert len(rows) > 10
    for numbers, result in rows:
        shown = re.match(r"[−\d.e-]+", typed(result))
        assert shown is not None, result
        found = put_in(typed(numbers), {})
        assert exact(found) == Decimal(shown[0]).normalize() or Decimal(f"{found:.2f}") == Decimal(shown[0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("444856300000000000000000", "4.448563e23"),
        ("0.0000025", "2.5e-6"),
        ("8030261248", "8,030,261,248"),
        ("0.1135327", "0.1135327"),
        ("0", "0"),
    ],
)
def test_numbers_are_written_as_a_calculator_shows_them(value: str, expected: str) -> None:
    assert written(Decimal(value), "en") == expected


def test_every_step_constraint_and_unit_has_its_text() -> None:
    messages = shipped_messages()
    assert [group for group in WORKED_GROUPS if not messages.has(f"chain-group.{group}")] == []
    assert {FAILS_AT[constraint] for constraint in Constraint} <= set(WORKED_GROUPS)


TAKEN = re.compile(
    r"work\.(multiplied|matrix-flops|attention-flops|flops|six-n)$|step\.total$|memory\.(?!low|high)|run\.(?!rate|mfu|untuned)"
)
"""Lines of a path that the annex takes."""


@pytest.mark.parametrize("name", paths.PINNED)
def test_every_symbol_of_a_rare_layout_is_explained(name: str) -> None:
    _, path = paths.pinned(name)
    messages = shipped_messages()
    lines = [line for line in path.lines if TAKEN.match(line.key)]
    assert len(lines) > 15
    assert [line.key for line in lines if not messages.has(f"chain-line.{line.key}")] == []
    symbols = {symbol for line in lines for symbol in (*line.numbers, line.symbol)}
    assert sorted(symbol for symbol in symbols if not messages.has(f"chain-symbol.{symbol}")) == []
