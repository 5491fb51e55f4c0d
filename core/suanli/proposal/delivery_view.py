"""The delivery plan of an option: lead times of the bill, installation, acceptance, trial run."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from suanli.domain.units import S_PER_DAY
from suanli.planning.defaults_delivery import INSTALLATION_DAYS, TRIAL_RUN_DAYS
from suanli.procurement.delivery import Placed, Task, Window, placed
from suanli.proposal.model.delivery import DayWindow, DeliveryView, TaskView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.domain.workload import Requirement
    from suanli.planning.results import BillItem, ClusterPlan
    from suanli.proposal.model import Option

__all__ = ["delivery_view"]

_H_PER_DAY = 24
_MONTHS_PER_YEAR = 12
_DAYS_PER_YEAR = 365.25
_MILESTONE = Window(0, 0)


def delivery_view(requirement: Requirement, plan: ClusterPlan, option: Option) -> DeliveryView:
    """Return the plan of an option, in days after the order or after the arrival of the last delivery."""
    goods = [item for item in plan.bill if _is_delivered(item)]
    known = [item for item in goods if item.lead_time is not None]
    stated = requirement.commercial.delivery_months
    tasks = _tasks(_lead(goods, stated), option, has_training=_has_training(option))
    found = placed(tasks)
    numbers = {task.key: number for number, task in enumerate(tasks, start=1)}
    return DeliveryView(
        tasks=tuple(_view(one, numbers) for one in found),
        unknown_lines=len(goods) - len(known),
        known_lines=len(known),
        stated=stated is not None,
    )


def _is_delivered(item: BillItem) -> bool:
    return item.category.value in {"compute", "network", "storage", "management", "facility", "spares"}


def _has_training(option: Option) -> bool:
    return any(row.id.endswith("operator-training") for row in option.bill)


def _lead(goods: Iterable[BillItem], stated_months: int | None) -> Window | None:
    """Return the days from the order to the arrival of the last line; None where one is unknown.

    A time that the project states ends with operation, so that installation and acceptance lie in it.
    """
    if stated_months is not None:
        days = ceil(stated_months * _DAYS_PER_YEAR / _MONTHS_PER_YEAR)
        return Window(max(0, days - INSTALLATION_DAYS), max(0, days - INSTALLATION_DAYS))
    leads = [item.lead_time for item in goods]
    if not leads or any(lead is None for lead in leads):
        return None
    known = [lead for lead in leads if lead is not None]
    return Window(
        max(ceil(lead.low_s / S_PER_DAY) for lead in known),
        max(ceil(lead.high_s / S_PER_DAY) for lead in known),
    )


def _tasks(lead: Window | None, option: Option, *, has_training: bool) -> tuple[Task, ...]:
    burn_in = _burn_in_days(option)
    tasks = [
        Task("contract", _MILESTONE),
        Task("site", None, ("contract",)),
        Task("procurement", lead, ("contract",)),
        Task("installation", Window(INSTALLATION_DAYS, INSTALLATION_DAYS), ("procurement",)),
    ]
    last = "installation"
    if burn_in:
        tasks.append(Task("burn-in", Window(burn_in, burn_in), (last,)))
        last = "burn-in"
    tasks.append(Task("preliminary", _MILESTONE, (last,)))
    tasks.append(Task("trial-run", Window(TRIAL_RUN_DAYS, TRIAL_RUN_DAYS), ("preliminary",)))
    if has_training:
        tasks.append(Task("training", Window(TRIAL_RUN_DAYS, TRIAL_RUN_DAYS), ("preliminary",)))
    final = ("trial-run", "training") if has_training else ("trial-run",)
    tasks.append(Task("final", _MILESTONE, final))
    return tuple(tasks)


def _burn_in_days(option: Option) -> int:
    """Return the days of the longest burn-in of the acceptance plan, 0 where it has none."""
    hours = [
        test.allowance.hours.value for test in option.acceptance if test.allowance and test.phase == "burn-in"
    ]
    return ceil(max(hours) / _H_PER_DAY) if hours else 0


def _view(one: Placed, numbers: dict[str, int]) -> TaskView:
    return TaskView(
        key=one.task.key,
        number=numbers[one.task.key],
        days=_window(one.task.days),
        after=tuple(numbers[key] for key in one.task.after),
        start=DayWindow(low=one.start_since.low, high=one.start_since.high),
        end=_window(one.end_since),
        since=numbers[one.since] if one.since else 0,
    )


def _window(days: Window | None) -> DayWindow | None:
    return None if days is None else DayWindow(low=days.low, high=days.high)
