"""Every formula cell recalculated by a second engine, as issued and after random changes of the inputs.

The project of `tests.full_project` has every kind of line that the ledger knows; the proof itself
(`tests.workbook_proof`) knows none of them by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING

import ironcalc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.full_project import FULL_PROJECT
from tests.workbook_proof import Outcome, Proof, edges, known_values, random_change, random_changes

from suanli.costing.expressions import Constant, Ref, Round
from suanli.costing.ledger import Input, Ledger, Line
from suanli.costing.project_keys import project_key, spelled
from suanli.domain.record import Text
from suanli.host.loader import load_host
from suanli.pipeline import build_proposal
from suanli.project.load import parse_project
from suanli.proposal.contributions import RenderJob
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.workbook_proof import Address

    from suanli.host.host import Host
    from suanli.proposal.model import Proposal

TRAINED = ("quantity.operator-training", "bill.operator-training.quantity")
RETURNS = ("rent.breakeven_months", "rent.irr")
"""Lines that are there only where their value is."""

MOVES: dict[str, str] = {
    "commercial.horizon": "the ledger has as many columns of years and months as the horizon",
    "commercial.financing.term": "the schedule has as many columns as the term",
    "commercial.staff.posts": "the bill has days of training for each post",
}
"""Keys that change which entries there are, or what the plan gives, and why; others only change values."""


# Without a representation of its own, because hypothesis prints the arguments of a failing test.
@dataclass(frozen=True, slots=True, repr=False)
class Bench:
    """A proposal, and its workbook loaded once into the second engine."""

    host: Host
    proposal: Proposal
    proof: Proof
    model: ironcalc.Model

    def shown(self, at: Address) -> object:
        sheet, row, column = at
        return self.model.get_cell_value(sheet, row + 1, column + 1)

    def type(self, changed: Mapping[str, Decimal]) -> None:
        for entry, value in changed.items():
            sheet, row, column = self.proof.place(entry)
            self.model.set_user_input(sheet, row + 1, column + 1, f"{value:f}")
        self.model.evaluate()

    def prove(self, changed: Mapping[str, Decimal]) -> Outcome:
        """Type the changes, hold every cell against the ledger, and put the inputs back."""
        self.type(changed)
        outcome = self.proof.compare(self.shown, changed)
        own = {entry.id: entry.value for entry in self.proof.ledger.inputs}
        self.type({name: own[name] for name in changed})
        return outcome


@pytest.fixture(scope="module")
def host() -> Host:
    return load_host()


def dice(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - a fixed choice of changes


def proposed(host: Host, settings: tuple[str, ...] = ()) -> Proposal:
    return build_proposal(parse_project(FULL_PROJECT, overrides=settings), host)


@pytest.fixture(scope="module")
def proposal(host: Host) -> Proposal:
    return proposed(host)


@pytest.fixture(scope="module")
def bench(host: Host, proposal: Proposal, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    job = RenderJob(proposal, "en")
    path = tmp_path_factory.mktemp("proof") / "cost-sheet.xlsx"
    path.write_bytes(render_xlsx(job))
    model = ironcalc.load_from_xlsx(str(path))
    model.evaluate()
    return Bench(host, proposal, Proof.of(job), model)


def test_the_ledger_of_the_proof_has_every_feature(proposal: Proposal) -> None:
    ids = [entry.id for entry in proposal.ledger.entries]
    first = ("A.payment.4.net", "A.purchase.year2", "A.rent.year", "site.tariff.3.price", "A.staff.year3")
    more = ("A.accounting.total", "B.subscription.software.net", "A.colocation.year1", "A.residual.value")
    wanted = [*first, *more]
    assert [name for name in wanted if name not in ids] == []


def test_no_formula_of_the_workbook_is_left_out_of_the_proof(bench: Bench) -> None:
    formulas = {
        (sheet, row - 1, column - 1)
        for sheet, row, column in bench.model.get_all_cells()
        if bench.model.get_cell_formula(sheet, row, column)
    }
    assert formulas == {at for at, _ in bench.proof.cells()}
    assert len(formulas) > 400


def test_every_formula_cell_shows_the_ledgers_value_as_issued(bench: Bench) -> None:
    outcome = bench.prove({})
    assert outcome.wrong == []
    assert outcome.undefined == 0


@settings(max_examples=250, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_formula_cell_follows_random_changes_of_several_inputs(bench: Bench, seed: int) -> None:
    changed = random_changes(bench.proof, dice(seed))
    outcome = bench.prove(changed)
    assert outcome.wrong == [], changed
    # Money is rounded at every line, so that a few lie on an edge; edges alone would prove nothing.
    assert outcome.edges < outcome.cells / 2


@pytest.mark.parametrize("place", range(2))
def test_every_input_is_changed_alone_too(bench: Bench, place: int) -> None:
    random = dice(place)
    outcome, moved = Outcome(), 0
    before = bench.proof.ledger.values()
    for entry in bench.proof.ledger.inputs:
        changed = {entry.id: random_change(bench.proof, entry, random)}
        outcome += bench.prove(changed)
        moved += known_values(bench.proof.ledger, changed) != before
    assert outcome.wrong == []
    assert moved > len(bench.proof.ledger.inputs) * 0.8


def test_a_wrong_cell_is_found(bench: Bench) -> None:
    wrong = bench.proof.compare(bench.shown, {"site.pue": Decimal("1.5")}).wrong
    assert any("energy.kwh_year" in line for line in wrong)
    assert any("electricity.year1" in line for line in wrong)


def test_an_edge_of_rounding_is_told_from_an_error() -> None:
    label = Text(zh="项", en="Entry")
    price = Input("price", label, Decimal("1.005"), "CNY", "prices")
    half = Line("half", label, Round(Ref("price")), "CNY")
    many = Line("many", label, Ref("half") * Constant(Decimal(100)), "CNY")
    ledger = Ledger("CNY", (price, half, many))
    slack = edges(ledger, known_values(ledger, {}))
    assert Decimal("0.01") <= slack["half"] < Decimal("0.011")
    assert Decimal(1) <= slack["many"] < Decimal("1.1")
    assert edges(ledger, known_values(ledger, {"price": Decimal("1.0051")})) == {}


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_project_file_and_the_workbook_give_the_same_ledger(bench: Bench, seed: int) -> None:
    random, proposal = dice(seed), bench.proposal
    keyed = {
        entry: key
        for entry in proposal.ledger.inputs
        if (key := project_key(entry, proposal.requirement)) and key not in MOVES
    }
    several = random.sample(sorted(keyed, key=lambda entry: entry.id), random.randint(4, 12))
    changed = {entry.id: random_change(bench.proof, entry, random) for entry in several}
    changed = _within_the_file(changed)
    inputs = {entry.id: entry for entry in proposal.ledger.inputs}
    settings = [f"{keyed[inputs[name]]}={spelled(inputs[name], value)}" for name, value in changed.items()]
    shares = [
        changed.get(f"general.milestone.{n}", inputs[f"general.milestone.{n}"].value) for n in (1, 2, 3)
    ]
    settings.append(f"commercial.milestones.3.share={(1 - sum(shares)) * 100:f}%")
    after = proposed(bench.host, tuple(settings)).ledger
    expected = proposal.ledger.values(changed)
    assert _differing(expected, after.values()) == {}
    assert bench.prove(changed).wrong == []


def _within_the_file(changed: dict[str, Decimal]) -> dict[str, Decimal]:
    """Return changes that a project file takes too, which is stricter than a cell in a few places."""
    kept = {name: value for name, value in changed.items() if not name.endswith(".hours")}
    shares = [name for name in kept if name.startswith("general.milestone.")]
    for name in shares:
        kept[name] = (kept[name] / 4).quantize(Decimal("0.0001"))
    years = ("general.warranty_years", "general.depreciation_years")
    kept |= {name: max(Decimal(1), kept[name]) for name in years if name in kept}
    return {name: value for name, value in kept.items() if value > 0}


def _differing(expected: Mapping[str, Decimal], found: Mapping[str, Decimal]) -> dict[str, object]:
    """Return what differs; break-even and return are left out where the figures have none."""
    either = {name for name in {*expected} ^ {*found} if not name.endswith(RETURNS)}
    different = {
        name for name in {*expected} & {*found} if abs(expected[name] - found[name]) > Decimal("1e-20")
    }
    return {name: (expected.get(name), found.get(name)) for name in sorted(either | different)}


@pytest.mark.parametrize("years", [1, 2])
def test_a_shorter_horizon_gives_the_same_totals_from_either_side(bench: Bench, years: int) -> None:
    changed = {"general.horizon": Decimal(years)}
    expected = bench.proposal.ledger.values(changed)
    found = proposed(bench.host, (f"commercial.horizon={years} years",)).ledger.values()
    assert {name for name in found if name not in expected and not name.endswith(RETURNS)} == set()
    gone = {name for name in expected if name not in found}
    assert gone
    spans = {re.fullmatch(r".*\.(month|year)(\d+)", name) for name in gone if not name.endswith(RETURNS)}
    for span in spans:
        assert span is not None
        assert int(span[2]) > years * (12 if span[1] == "month" else 1), span[0]
    assert _differing({name: expected[name] for name in found if name in expected}, found) == {}
    assert bench.prove(changed).wrong == []


def test_more_posts_mean_more_days_of_training_and_nothing_else(bench: Bench) -> None:
    expected = bench.proposal.ledger.values({"general.staff_fte": Decimal(4)})
    found = proposed(bench.host, ("commercial.staff.posts=4",)).ledger.values()
    moved = {f"{key}.{part}" for key in "AB" for part in TRAINED}
    assert set(_differing(expected, found)) == moved


def test_every_rule_of_the_project_has_a_key_of_the_project_file(proposal: Proposal) -> None:
    without = {
        entry.id
        for entry in proposal.ledger.inputs
        if entry.group in {"general", "rates", "site"} and project_key(entry, proposal.requirement) is None
    }
    # The price of rack space comes from the catalogue, as other prices do.
    assert without == {"site.colocation"}


def test_keys_that_move_more_than_values_are_listed_with_a_reason(proposal: Proposal) -> None:
    keys = {project_key(entry, proposal.requirement) for entry in proposal.ledger.inputs}
    assert set(MOVES) <= keys
    assert all(MOVES.values())
