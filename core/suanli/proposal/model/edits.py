"""Figures that somebody changed by hand in a cost sheet."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Part, Text

__all__ = ["EditView"]


class EditView(Part):
    """One figure before and after."""

    label: Text
    unit: str
    """Unit key of the ledger."""
    before: Decimal
    """What project file, catalogue and sizing give without the change."""
    after: Decimal
    key: str
    """Key of the project file that holds it, or the id of the ledger's input."""
