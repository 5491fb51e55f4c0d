"""Energy by phase and embodied carbon of an option, as the ledger has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.planning.embodied import server_embodied_kg
from suanli.proposal.model import Shown
from suanli.proposal.rounding import significant

if TYPE_CHECKING:
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import EnergyView
    from suanli.proposal.money_view import Books

__all__ = ["ledger_energy"]

_THOUSAND = 1000
"""kWh of a MWh, and kg of a tonne."""


def ledger_energy(view: EnergyView, key: str, plan: ClusterPlan, books: Books) -> EnergyView:
    """Return a view with the phases of a year, and with the embodied carbon where a document states it.

    Args:
        view: energy and carbon with their ranges.
        key: the option's key.
        plan: its plan.
        books: the ledger.
    """
    phases = {name: _phase(f"{key}.energy.kwh_{name}", books) for name in ("training", "idle", "downtime")}
    return view.model_copy(update={**phases, **_embodied(key, plan, books)})


def _phase(entry: str, books: Books) -> Shown | None:
    value = books.values.get(entry)
    return None if value is None else Shown(value=significant(float(value) / _THOUSAND), unit="MWh")


def _embodied(key: str, plan: ClusterPlan, books: Books) -> dict[str, object]:
    value = books.values.get(f"{key}.carbon.embodied_kg")
    found = server_embodied_kg(plan.sizing.device.server, plan.sizing.device.accelerator)
    if value is None or found is None:
        return {}
    shown = Shown(
        value=significant(float(value) / _THOUSAND),
        unit="t",
        grade=found.grade,
        refs=tuple(ref for source in found.refs for ref in books.references.source(source)),
        incomplete=not found.whole,
    )
    return {"embodied": shown, "embodied_covers": found.covers}
