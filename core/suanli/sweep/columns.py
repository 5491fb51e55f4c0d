"""The columns of a sweep: names for machines, with units, and headings for people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from suanli.domain.record import Text

if TYPE_CHECKING:
    from suanli.sweep.grid import Axis

__all__ = ["COLUMNS", "POINT", "Cell", "Column", "Kind", "axis_column", "in_language", "typed_value"]

Cell = str | int | float | bool | None
"""One value of a row; money is text, so that it stays exact. None is unknown or does not apply."""


class Kind(StrEnum):
    """What the cells of a column are."""

    TEXT = "text"
    WHOLE = "whole"
    REAL = "real"
    MONEY = "money"
    """Exact amounts in the row's currency, rounded to the cent."""
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    name: str
    kind: Kind
    heading: Text


def _column(name: str, kind: Kind, zh: str, en: str) -> Column:
    return Column(name, kind, Text(zh=zh, en=en))


POINT: Final = _column("point", Kind.WHOLE, "点号", "point")
"""Number of the point in the grid, from 0; the last key runs fastest."""

COLUMNS: Final = (
    _column("option", Kind.TEXT, "方案", "option"),
    _column("verdict", Kind.TEXT, "结论", "verdict"),
    _column("accelerator", Kind.TEXT, "加速卡", "accelerator"),
    _column("vendor", Kind.TEXT, "厂商", "vendor"),
    _column("server", Kind.TEXT, "服务器", "server"),
    _column("accelerators", Kind.WHOLE, "加速卡数", "accelerators"),
    _column("servers", Kind.WHOLE, "工作服务器台数", "servers at work"),
    _column("spare_servers", Kind.WHOLE, "备用服务器台数", "spare servers"),
    _column("parallel_layout", Kind.TEXT, "并行布局", "layout"),
    _column("tokens", Kind.REAL, "单次训练词元数", "tokens of one run"),
    _column("days_p10", Kind.REAL, "天数 P10", "days, P10"),
    _column("days_p50", Kind.REAL, "天数 P50", "days, P50"),
    _column("days_p90", Kind.REAL, "天数 P90", "days, P90"),
    _column("deadline_days", Kind.REAL, "期限（天）", "deadline, days"),
    _column("deadline_met", Kind.FLAG, "满足期限", "deadline met"),
    _column("mfu_p50", Kind.REAL, "MFU P50", "MFU, P50"),
    _column("tokens_per_s_p50", Kind.REAL, "集群吞吐 P50（词元/秒）", "rate of all, P50, tokens/s"),
    _column("goodput_share", Kind.REAL, "有效训练时间占比", "goodput share"),
    _column("memory_gb", Kind.REAL, "显存峰值（GB）", "peak memory, GB"),
    _column("memory_headroom", Kind.REAL, "显存余量占比", "memory head-room, share"),
    _column("binding", Kind.TEXT, "约束条件", "binding"),
    _column("currency", Kind.TEXT, "币种", "currency"),
    _column("capex_net", Kind.MONEY, "采购总价（不含税）", "CapEx excl. tax"),
    _column("capex_gross", Kind.MONEY, "采购总价（含税）", "CapEx incl. tax"),
    _column("opex_year1_net", Kind.MONEY, "首年运营成本（不含税）", "first year's OpEx excl. tax"),
    _column("tco_net", Kind.MONEY, "TCO（不含税）", "TCO excl. tax"),
    _column("tco_discounted_net", Kind.MONEY, "TCO 现值（不含税）", "TCO discounted, excl. tax"),
    _column("money_complete", Kind.FLAG, "价格完整", "everything is priced"),
    _column("facility_peak_kw", Kind.REAL, "设施峰值功率（kW）", "facility peak, kW"),
    _column("energy_kwh_per_run", Kind.REAL, "单次训练电量（kWh）", "energy of a run, kWh"),
    _column("energy_kwh_per_year", Kind.REAL, "年电量（kWh）", "energy of a year, kWh"),
    _column("carbon_kg_per_run", Kind.REAL, "单次训练碳排放（kg）", "carbon of a run, kg"),
    _column("delivery", Kind.TEXT, "交付", "delivery"),
    _column("need", Kind.REAL, "需要", "needed"),
    _column("have", Kind.REAL, "现有", "there is"),
    _column("need_unit", Kind.TEXT, "单位", "unit of both"),
    _column("remedies", Kind.TEXT, "出路", "ways out"),
    _column("reason", Kind.TEXT, "原因", "reason"),
)
"""Columns of every row, behind the point and the varied keys."""

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def in_language(text: Text, language: str) -> str:
    """Return a text in Chinese where that is asked for, in English to everybody else."""
    return text.in_language(language)


def axis_column(axis: Axis) -> Column:
    """Return the column of a varied key: numbers where every value is a bare number, else text as typed."""
    plain = all(_NUMBER.fullmatch(value) for value in axis.values)
    return _column(axis.key, Kind.REAL if plain else Kind.TEXT, axis.key, axis.key)


def typed_value(column: Column, value: str) -> Cell:
    """Return the value of a varied key as a cell of its column."""
    return float(value) if column.kind is Kind.REAL else value
