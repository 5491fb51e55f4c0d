"""The end of the worked calculation: servers, the purchase by block, and the total cost of ownership."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from suanli.costing.lines import CATEGORY_NAMES

if TYPE_CHECKING:
    from decimal import Decimal

    from suanli.domain.record import Text
    from suanli.planning.results import ClusterPlan
    from suanli.proposal.model import MoneyView, Option
    from suanli.proposal.references import References
    from suanli.proposal.worked_lines import WorkedBook

__all__ = ["money_lines", "server_line"]

_GROUP: Final = "cost"


def server_line(option: Option, plan: ClusterPlan, book: WorkedBook, references: References) -> None:
    """Add the servers that the accelerators are bought in, and those with the spares."""
    refs = (references.formula("nodes"),)
    book.given(per_server=plan.sizing.device.server.accelerator_count, spares=option.spare_servers or 0)
    book.line("cost.servers", "servers", "ceil(cards/per_server)", "server", group=_GROUP, refs=refs)
    book.line("cost.bought", "bought", "servers + spares", "server", group=_GROUP, refs=refs)


def money_lines(option: Option, book: WorkedBook, references: References) -> None:
    """Add the purchase and the total cost of ownership; nothing where the option has no total."""
    money = option.money
    if money is None:
        return
    _purchase(money, book)
    refs = (references.formula("tco"),)
    parts = [(_symbol(row.key), row.label, row.total) for row in money.cash if row.style == "row"]
    _sum(book, ("cost.tco", "TCO", "money.tco_net"), parts, refs)


def _purchase(money: MoneyView, book: WorkedBook) -> None:
    blocks = [
        (f"net_{block.category.value}", CATEGORY_NAMES[block.category], block.net) for block in money.blocks
    ]
    _sum(book, ("cost.capex-net", "capex_net", "money.capex_net"), blocks)
    book.values["capex_vat"] = money.capex_vat.value
    book.line(
        "cost.capex-gross",
        "capex_gross",
        "capex_net + capex_vat",
        "money",
        group=_GROUP,
        figure="money.capex_gross",
        cents=True,
    )


def _symbol(row: str) -> str:
    """Return the symbol of a row of the cash view.

    >>> _symbol("A.tco.spare-parts")
    'tco_spare_parts'
    """
    return "tco_" + row.rpartition(".")[2].replace("-", "_")


def _sum(
    book: WorkedBook,
    about: tuple[str, str, str],
    parts: list[tuple[str, Text, Decimal]],
    refs: tuple[str, ...] = (),
) -> None:
    """Add a sum of parts that are not zero; what is negative is taken away.

    Args:
        book: where to.
        about: key and symbol of the line, and the figure that repeats it.
        parts: symbol, name and amount of each part.
        refs: reference keys.
    """
    key, symbol, figure = about
    kept = [(name, label, value) for name, label, value in parts if value]
    if not kept:
        return
    formula = "".join(f" {'−' if value < 0 else '+'} {name}" for name, _, value in kept)
    formula = formula.removeprefix(" + ") if kept[0][2] > 0 else f"0{formula}"
    book.values |= {name: abs(value) for name, _, value in kept}
    book.line(
        key,
        symbol,
        formula,
        "money",
        group=_GROUP,
        figure=figure,
        refs=refs,
        names_of={name: label for name, label, _ in kept},
        cents=True,
    )
