"""One point of the grid as flat rows: one for each device, or one that says why there is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from suanli.domain.money import round_half_up
from suanli.domain.units import BYTES_PER_GB, S_PER_DAY
from suanli.proposal.build import option_key
from suanli.proposal.options import deadline_met, failed_option
from suanli.proposal.references import References
from suanli.sweep.columns import COLUMNS, Cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from suanli.costing.ledger import Ledger
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.errors import Fault
    from suanli.estimation.results import Layout, Range, Sizing
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import Option
    from suanli.proposal.options import Failed
    from suanli.stages import Judged

__all__ = ["Row", "error_row", "failed_rows", "feasible_rows"]

Row = list[Cell]
"""Cells in the order of the columns."""

_DIGITS = 10
"""Significant digits of a figure: beyond them two processors may differ in the last bit."""
_W_PER_KW = 1000.0


def real(value: float | None) -> float | None:
    """Return a figure at the digits that are the same on every machine.

    >>> real(1 / 3), real(None)
    (0.3333333333, None)
    """
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{_DIGITS}g}")


def _row(cells: Mapping[str, Cell]) -> Row:
    """Return the cells in the order of the columns; a column that is not given is unknown."""
    return [cells.get(column.name) for column in COLUMNS]


def feasible_rows(judged: Judged, requirement: Requirement) -> list[Row]:
    """Return a row for every device that can do the job, from best to worst."""
    books = _Books(judged.ledger)
    return [
        _row(
            {
                "option": option_key(number),
                "verdict": judged.verdicts[key].value,
                "delivery": judged.candidates[key].deliverability.value,
                **_sizing_cells(judged.candidates[key].plan.sizing, requirement),
                "deadline_met": deadline_met(judged.candidates[key].plan, requirement),
                **_plan_cells(judged.candidates[key].plan),
                **books.cells(key, priced=key in judged.ledger.whole),
            }
        )
        for number, key in enumerate(judged.order)
    ]


class _Books:
    """The money of each option, looked up in the ledger's values."""

    def __init__(self, ledger: Ledger) -> None:
        names = ("capex.net", "capex.gross", "opex.year1", "tco.net", "tco.discounted")
        self._values = ledger.values_of(f"{key}.{name}" for key in sorted(ledger.whole) for name in names)
        self._incomplete = {line.id for line in ledger.lines if line.incomplete}
        self._currency = ledger.currency

    def cells(self, key: str, *, priced: bool) -> dict[str, Cell]:
        """Return the money cells of an option; a total that misses the servers' price is no total."""
        if not priced:
            return {"currency": self._currency, "money_complete": False}
        totals = [f"{key}.capex.net", f"{key}.tco.net"]
        return {
            "currency": self._currency,
            "capex_net": self._money(f"{key}.capex.net"),
            "capex_gross": self._money(f"{key}.capex.gross"),
            "opex_year1_net": self._money(f"{key}.opex.year1"),
            "tco_net": self._money(f"{key}.tco.net"),
            "tco_discounted_net": self._money(f"{key}.tco.discounted"),
            "money_complete": self._incomplete.isdisjoint(totals),
        }

    def _money(self, entry: str) -> str | None:
        value = self._values.get(entry)
        return None if value is None else f"{round_half_up(value):f}"


def _sizing_cells(sizing: Sizing, requirement: Requirement) -> dict[str, Cell]:
    device, deadline_s = sizing.device, requirement.workload.deadline_s
    return {
        "accelerator": device.accelerator.id,
        "vendor": device.accelerator.vendor,
        "server": device.server.id,
        "accelerators": sizing.accelerators,
        "servers": sizing.nodes,
        "parallel_layout": spell_layout(sizing.layout),
        "tokens": real(sizing.tokens),
        **_days(sizing.duration_s),
        "deadline_days": real(None if deadline_s is None else deadline_s / S_PER_DAY),
        "mfu_p50": real(sizing.mfu.p50),
        "tokens_per_s_p50": real(sizing.tokens_per_s_per_accelerator.p50 * sizing.accelerators),
        "goodput_share": real(sizing.goodput.share),
        "memory_gb": real(sizing.memory.total_bytes / BYTES_PER_GB),
        "memory_headroom": real(sizing.memory.headroom_share),
        "binding": sizing.binding.value,
    }


def _days(duration_s: Range) -> dict[str, Cell]:
    days = duration_s.scaled(1 / S_PER_DAY)
    return {"days_p10": real(days.p10), "days_p50": real(days.p50), "days_p90": real(days.p90)}


def spell_layout(layout: Layout) -> str:
    """Return a layout in one cell, such as ``tp8 pp4 cp1 ep1 dp16 mbs1 zero1 selective``."""
    sizes = (
        ("tp", layout.tp),
        ("pp", layout.pp),
        ("cp", layout.cp),
        ("ep", layout.ep),
        ("dp", layout.dp),
        ("mbs", layout.micro_batch_size),
        ("zero", layout.zero_stage),
    )
    return " ".join([*(f"{name}{size}" for name, size in sizes), layout.recompute.value])


def _plan_cells(plan: ClusterPlan) -> dict[str, Cell]:
    energy, power = plan.energy, plan.power
    carbon = None if energy is None else energy.carbon_kg_per_run
    return {
        "spare_servers": plan.spare_nodes,
        "facility_peak_kw": real(None if power is None else power.facility_peak_w / _W_PER_KW),
        "energy_kwh_per_run": real(None if energy is None else energy.facility_kwh_per_run.p50),
        "energy_kwh_per_year": real(None if energy is None else energy.facility_kwh_per_year.p50),
        "carbon_kg_per_run": real(None if carbon is None else carbon.p50),
    }


def failed_rows(
    failed: Sequence[Failed], first: int, requirement: Requirement, catalogue: Catalogue
) -> list[Row]:
    """Return a row for every device that cannot do the job, with what binds and the ways out.

    Args:
        failed: the devices.
        first: number of feasible options, behind which these stand.
        requirement: the project at the point.
        catalogue: what the delivery is judged by.
    """
    references = References(catalogue)
    return [
        _row(
            _failed_cells(failed_option(option_key(first + number), item, requirement, catalogue, references))
        )
        for number, item in enumerate(failed)
    ]


def _failed_cells(option: Option) -> dict[str, Cell]:
    need, have = option.shortfall or (None, None)
    return {
        "option": option.key,
        "verdict": option.verdict.value,
        "accelerator": option.accelerator,
        "vendor": option.vendor,
        "server": option.server or None,
        "binding": option.binding.value,
        "delivery": option.compliance.deliverability.value,
        "need": None if need is None else float(need.value),
        "have": None if have is None else float(have.value),
        "need_unit": None if need is None else need.unit,
        "remedies": "; ".join(_remedies(option)) or None,
        "reason": option.binding.value,
    }


def _remedies(option: Option) -> list[str]:
    """Return the ways out, such as ``more-time 151 day``."""
    found: list[str] = []
    for remedy in option.remedies:
        shown = remedy.value
        figure = "" if shown is None else f"{shown.value:f} {shown.unit}"
        found.append(" ".join(part for part in (remedy.kind.value, figure, remedy.detail) if part))
    return found


def error_row(verdict: str, faults: Sequence[Fault]) -> Row:
    """Return the row of a point that could not be computed, with all reasons in one cell."""
    parts = [
        "; ".join(
            part for part in (f"{fault.key}: {fault.what}" if fault.key else fault.what, fault.why) if part
        )
        for fault in faults
    ]
    return _row({"verdict": verdict, "reason": " | ".join(" ".join(part.split()) for part in parts)})
