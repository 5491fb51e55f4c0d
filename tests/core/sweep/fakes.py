"""Points that cost nothing, for tests of everything around them; importable by worker processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.sweep.columns import COLUMNS
from suanli.sweep.job import Identity
from suanli.sweep.point import Outcome

if TYPE_CHECKING:
    from suanli.sweep.rows import Row

IDENTITY = Identity("1", "plugins", "catalogue", "project", "settings", "grid", "files")

ROWS_OF_A_POINT = 4


def fake_row(point: int, option: int) -> Row:
    cells = {
        "option": "ABCD"[option],
        "verdict": "recommended" if option == 0 else "alternate",
        "accelerator": f"device-{option}",
        "accelerators": 8 * (1 + point % 7),
        "days_p50": 1.5 + point,
        "deadline_met": point % 2 == 0,
        "currency": "CNY",
        "tco_net": f"{1000 + point}.25",
        "reason": "x" * 200,
    }
    return [cells.get(column.name) for column in COLUMNS]


def fake_points(points: tuple[int, ...]) -> list[Outcome]:
    return [
        Outcome(point, [fake_row(point, option) for option in range(ROWS_OF_A_POINT)]) for point in points
    ]
