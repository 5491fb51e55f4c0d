"""Figures that a decision rests on, for the sample proposal."""

from __future__ import annotations

from decimal import Decimal
from typing import TypedDict

from suanli.domain.finance import FinancingMethod
from suanli.domain.record import Text
from suanli.proposal.model import FinancingView, FinancingYear, RentView, ScenarioRow, Shown, UnitCost

__all__ = ["decision_sample"]


class Decisions(TypedDict):
    """The fields of the money that show decision figures."""

    annuity: Shown
    delivery_months: Decimal
    unit_costs: tuple[UnitCost, ...]
    rent: RentView
    financing: FinancingView
    scenarios: tuple[ScenarioRow, ...]


def _money(value: str) -> Shown:
    return Shown(value=Decimal(value), unit="CNY", incomplete=True)


def _text(zh: str, en: str) -> Text:
    return Text(zh=zh, en=en)


def _row(key: str, label: Text, values: tuple[str, str, str], unit: str = "CNY") -> ScenarioRow:
    low, base, high = (Decimal(value) for value in values)
    return ScenarioRow(
        key=key,
        label=label,
        unit=unit,
        optimistic=low,
        base=base,
        pessimistic=high,
        factor=unit == "factor",
    )


def decision_sample() -> Decisions:
    """Return unit costs, a comparison with renting, a loan and three scenarios."""
    return Decisions(
        annuity=_money("41230118.20"),
        delivery_months=Decimal(6),
        unit_costs=(
            UnitCost(
                key="accelerator_hour",
                label=_text("每卡小时成本（按在网时间）", "Cost of an accelerator-hour, as installed"),
                figure=_money("5.87"),
            ),
            UnitCost(
                key="million_served_tokens",
                label=_text(
                    "每百万推理词元成本（专用于推理时）", "Cost of a million served tokens, only serving"
                ),
                figure=_money("0.3871"),
            ),
        ),
        rent=RentView(
            hour=_money("12.40"),
            total=_money("251880340.00"),
            saving=_money("51220118.00"),
            npv=_money("38104772.00"),
            irr=Decimal("0.214"),
            payback_months=41,
            breakeven_months=Decimal("39.6"),
            saved=tuple(Decimal(3200000 * month - 131000000) for month in range(61)),
            breakeven_utilisation=Decimal("0.472"),
        ),
        financing=FinancingView(
            method=FinancingMethod.LEVEL,
            share=Decimal("0.6"),
            rate=Decimal("0.035"),
            term_months=24,
            grace_months=6,
            amount=_money("87865500.00"),
            instalment=_money("5012344.18"),
            interest=_money("3892011.20"),
            present=_money("84411200.10"),
            gain=_money("3454299.90"),
            total=_money("204552233.20"),
            years=(
                FinancingYear(
                    year=1,
                    interest=Decimal("2803312.11"),
                    principal=Decimal("29011243.00"),
                    instalments=Decimal("31814555.11"),
                    closing=Decimal("58854257.00"),
                ),
                FinancingYear(
                    year=2,
                    interest=Decimal("1088699.09"),
                    principal=Decimal("58854257.00"),
                    instalments=Decimal("59942956.09"),
                    closing=Decimal(0),
                ),
            ),
        ),
        scenarios=(
            _row("price", _text("清单价格倍数", "Prices of the bill"), ("0.85", "1", "1.2"), "factor"),
            _row(
                "busy_hours", _text("年训练小时数", "Training hours per year"), ("3497", "4231", "4990"), "h"
            ),
            _row(
                "tco",
                _text("总拥有成本（不含税，未折现）", "Total cost of ownership, net, nominal"),
                ("171200334.10", "200660222.00", "251883100.40"),
            ),
            _row(
                "billion_tokens",
                _text("每十亿训练词元成本", "Cost of a billion trained tokens"),
                ("7120.5", "8412.55", "11001.2"),
            ),
        ),
    )
