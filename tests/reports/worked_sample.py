"""The worked calculation of the sample option, worked out from its own numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.record import Text
from suanli.proposal.worked_lines import WorkedBook

if TYPE_CHECKING:
    from suanli.proposal.model import WorkedLine

_BLOCKS = {
    "net_compute": Text(zh="计算", en="Compute"),
    "net_network": Text(zh="网络", en="Network"),
}


def sample_calculation() -> tuple[WorkedLine, ...]:
    """Return a chain with a line of every step."""
    book = WorkedBook()
    book.given(tokens=2e12, F=4.52e11, N_act=72.7e9, cards=704, P_card=3.539e14, MFU=0.41, good=0.94)
    book.given(batch=968, s=4096, steps=504423, mem_weights=10.7e9, mem_gradients=5.4e9, per_server=8)
    book.line("work.six-n", "six_n", "6·N_act/F", "share", group="work", refs=("F8",))
    book.line("work.total", "C", "tokens·F", "flops", group="work", refs=("F1",))
    rate_refs = ("S2", "R1")
    book.line("rate.effective", "F_eff", "cards·P_card·MFU", "flops-per-s", group="rate", refs=rate_refs)
    book.line("time.step", "t_50", "batch·s·F/F_eff", "s", group="time", refs=("F5",))
    book.line("run.ideal", "ideal", "steps·t_50/86400", "day", group="time", figure="ideal_days")
    book.line("run.duration", "days", "ideal/good", "day", group="time", figure="days")
    book.line("run.bound", "days_bound", "tokens·F/(cards·P_card)/86400", "day", group="time")
    book.line("memory.total", "mem", "mem_weights + mem_gradients", "bytes", group="memory", refs=("F4",))
    book.line("cost.servers", "servers", "ceil(cards/per_server)", "server", group="cost")
    book.values |= {"net_compute": Decimal("110000000.00"), "net_network": Decimal("20520000.50")}
    book.line(
        "cost.capex-net",
        "capex_net",
        "net_compute + net_network",
        "money",
        group="cost",
        names_of=_BLOCKS,
        cents=True,
    )
    return tuple(book.lines)


def sample_shortfall() -> tuple[WorkedLine, ...]:
    """Return the end of the chain of an option that is short of memory."""
    book = WorkedBook()
    book.given(need=71.2, have=57.6)
    book.line("fails.short", "short", "need − have", "GB", group="memory")
    return tuple(book.lines)
