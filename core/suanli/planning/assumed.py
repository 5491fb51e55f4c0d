"""Defaults of planning rules as rows of the assumption register."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from suanli.domain.record import Text
from suanli.domain.workload import Assumption

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Row", "assumptions_of"]

Row: TypeAlias = tuple[str, object, str, str]
"""Key, value, and the reason in Chinese and English."""


def assumptions_of(rows: Iterable[Row], sources: Mapping[str, str] | None = None) -> tuple[Assumption, ...]:
    """Return rows as assumptions of the planning, keyed ``planning.KEY``.

    Args:
        rows: the defaults.
        sources: source ids by key, of the rows that rest on a document.
    """
    cited = sources or {}
    return tuple(
        Assumption(
            key=f"planning.{key}", value=str(value), reason=Text(zh=zh, en=en), source=cited.get(key, "")
        )
        for key, value, zh, en in rows
    )
