"""The functions that the web document's templates call: what the page's script compares, as plain numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.proposal.model import Shown, Verdict
from suanli_reports import formatting

if TYPE_CHECKING:
    from suanli.proposal.model import Option
    from suanli_reports.voice import Speaker

__all__ = ["WebTools"]


class WebTools:
    """Values for data attributes: the digits that the reader sees, without separators; empty is unknown."""

    def __init__(self, speaker: Speaker) -> None:
        """Write amounts in the scale of the first language's columns."""
        self._language = speaker.voices[0].language

    @staticmethod
    def sortable(value: Shown | Decimal | int | None) -> str:
        """Return a figure as a plain number, empty where it is unknown."""
        number = value.value if isinstance(value, Shown) else value
        return "" if number is None else f"{Decimal(number):f}"

    def sortable_money(self, value: Shown | None) -> str:
        """Return an amount in the scale of its column, so that a limit compares with what is read."""
        if value is None:
            return ""
        scale = formatting.table_scale(self._language)
        shown = formatting.scaled(value.value, scale, self._language)
        return shown.replace(",", "").replace("\N{MINUS SIGN}", "-")

    @staticmethod
    def verdict_rank(option: Option) -> int:
        """Return the place of an option's verdict in their order, the recommended one first."""
        return list(Verdict).index(option.verdict)
