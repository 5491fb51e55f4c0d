"""Racks into rows, whose power is the sum of their racks'; rows of equal racks become one type."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from suanli.planning import defaults_facility as rules
from suanli.planning.facility.results import RackType, RowType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["row_length", "row_types"]


def row_length(racks_each: int) -> int:
    """Return the racks of a row: the planned number, or as many as make whole rack-scale systems.

    >>> row_length(1), row_length(16), row_length(5)
    (12, 16, 10)
    """
    return racks_each * max(1, rules.RACKS_PER_ROW // racks_each)


def row_types(sequence: Sequence[str], racks: Mapping[str, RackType], length: int) -> tuple[RowType, ...]:
    """Return the rows of racks in the order in which they stand.

    The power of a row is the sum of its racks': P_row = sum of n_r * P_r over its rack types r.

    Args:
        sequence: type of every rack.
        racks: the rack types by key.
        length: racks of a full row.
    """
    rows = [tuple(sequence[start : start + length]) for start in range(0, len(sequence), length)]
    contents = [tuple((key, len(list(run))) for key, run in groupby(row)) for row in rows]
    return tuple(
        RowType(
            racks=content,
            count=count,
            peak_w=sum(number * racks[key].peak_w for key, number in content),
            training_w=sum(number * racks[key].training_w for key, number in content),
        )
        for content, count in Counter(contents).items()
    )
