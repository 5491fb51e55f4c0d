"""Figures that the planning of an expansion needs, each shown as an assumption."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from suanli.planning.assumed import assumptions_of

if TYPE_CHECKING:
    from suanli.domain.workload import Assumption
    from suanli.planning.assumed import Row

__all__ = ["EARLY_SWITCH_PORT_SHARE", "EXPANSION_FACTORS", "expansion_assumptions"]

EXPANSION_FACTORS = (Fraction(2), Fraction(4))
"""Later sizes as multiples of the first, where the project names none."""
EARLY_SWITCH_PORT_SHARE = 0.25
"""Share of a switch's ports whose cables buying it early must keep from being moved."""

_ROWS: tuple[Row, ...] = (
    (
        "expansion-factors",
        ", ".join(f"{factor}x" for factor in EXPANSION_FACTORS),
        "项目未列明扩容规模时，按首期的 2 倍与 4 倍说明扩展路径。",
        "Where the project names no later sizes, growth is shown for twice and four times the first.",
    ),
    (
        "early-switch-port-share",
        EARLY_SWITCH_PORT_SHARE,
        "提前购置一台交换机占用资金，须少改接的线缆达到其端口数的四分之一才值得。",
        (
            "A switch bought early ties up money; it must spare the moving of cables for a quarter of its "
            "ports."
        ),
    ),
)


def expansion_assumptions() -> tuple[Assumption, ...]:
    """Return the defaults of the expansion as rows of the assumption register."""
    return assumptions_of(_ROWS)
