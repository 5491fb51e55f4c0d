"""Greenhouse gases: of the electricity by its grid, and of making the servers where that is known.

Source: GHG Protocol, Scope 2 Guidance, 2015 (location-based); making the servers is scope 3, category 2
    (capital goods), and never added to scope 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.costing.formulas import constant
from suanli.costing.ledger import Input, Line
from suanli.costing.lines import Costed, decimal_of, line, ref, text
from suanli.domain.units import HOURS_PER_YEAR
from suanli.planning.embodied import server_embodied_kg

if TYPE_CHECKING:
    from suanli.costing.expressions import Expression
    from suanli.planning.embodied import ServerEmbodied

__all__ = ["carbon_lines", "embodied_inputs", "embodied_lines"]

_CARBON_NAMES = {
    "run": text("单次训练碳排放", "Carbon of one run"),
    "year": text("年碳排放", "Carbon of a year"),
}


def _embodied(option: Costed) -> ServerEmbodied | None:
    device = option.plan.sizing.device
    return server_embodied_kg(device.server, device.accelerator)


def embodied_inputs(option: Costed) -> tuple[Input, ...]:
    """Return the embodied carbon of one server; none where no document states it."""
    found = _embodied(option)
    if found is None:
        return ()
    label = text(
        f"方案 {option.key}：每台服务器隐含碳", f"Option {option.key}: embodied carbon of one server"
    )
    entry = option.id("carbon", "embodied_server")
    source = found.refs[0] if found.refs else ""
    return (
        Input(
            entry,
            label,
            decimal_of(found.kg, 1),
            "kg",
            "energy",
            source=source,
            grade=found.grade,
            note=found.covers,
        ),
    )


def carbon_lines(option: Costed) -> tuple[Line, ...]:
    """Return the carbon of the electricity of a run and a year; none where the grid factor is unknown."""
    if option.requirement.site.grid_carbon_kg_per_kwh is None:
        return ()
    return tuple(
        line(
            option.id("carbon", f"kg_{span}"),
            name,
            ref(option.id("energy", f"kwh_{span}")) * ref("site.grid_carbon"),
            "kg",
        )
        for span, name in _CARBON_NAMES.items()
    )


def embodied_lines(option: Costed) -> tuple[Line, ...]:
    """Return the embodied carbon of all servers, and what falls to a run by the hours that it holds them.

    M_run = M · t_run / (8,760 h · years of the horizon). Incomplete where the document leaves a part of the
    server out.
    """
    found = _embodied(option)
    if found is None:
        return ()
    spares = ref(option.id("quantity", "spare-servers")) if option.plan.spare_nodes else constant(0)
    servers = ref(option.id("quantity", "servers")) + spares
    whole = ref(option.id("carbon", "embodied_kg"))
    held = ref(option.id("energy", "hours_run")) / (constant(HOURS_PER_YEAR) * ref("general.years"))
    rows: tuple[tuple[str, str, str, Expression], ...] = (
        (
            "embodied_kg",
            "服务器隐含碳（制造阶段）",
            "Embodied carbon of the servers",
            servers * ref(option.id("carbon", "embodied_server")),
        ),
        (
            "embodied_run",
            "单次训练分摊的隐含碳",
            "Embodied carbon that falls to one run",
            whole * held,
        ),
    )
    return tuple(
        line(option.id("carbon", key), text(zh, en), expression, "kg", incomplete=not found.whole)
        for key, zh, en, expression in rows
    )
