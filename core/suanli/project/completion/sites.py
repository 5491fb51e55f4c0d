"""The site: electricity, PUE, grid carbon, racks; defaults from the catalogue, or the key is asked for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.hardware import Cooling
from suanli.domain.market import GridCarbon, PueDefault, SiteFigure, Tariff
from suanli.domain.money import Money, round_half_up
from suanli.domain.regions import region_chain
from suanli.domain.units import S_PER_HOUR
from suanli.domain.workload import TARIFF_PLACES, Hall, Site, TariffBand
from suanli.project.completion.draft import Default
from suanli.project.quantities import spell_carbon, spell_energy_price, spell_number, spell_power

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suanli.project.completion.draft import Draft

__all__ = ["complete_site"]

_RACK_FIGURE = "rack-density-typical-high"
_AIR_RACK_W = 30_000.0
_HALL = Default("colocation", "未指定，按租用机房。", "Not given: a rented hall.")
_LIQUID_RACK_W = 60_000.0


def complete_site(draft: Draft) -> Site | None:
    """Return the site, or None where its region or its price of electricity is unknown."""
    keys = draft.project.file.site
    cooling = draft.given_or(
        keys.cooling,
        "site.cooling",
        Cooling.AIR,
        Default("air", "未指定，按风冷机房。", "Not given: an air-cooled hall."),
    )
    if keys.region is None:
        why = "the region decides tariff, grid carbon, VAT and delivery"
        draft.fault("site.region", "is missing", why, "add region: CN-GZ (ISO 3166-2) or CN (ISO 3166-1)")
        return None
    bands = _bands(draft)
    electricity = _electricity(draft, keys.region, bands)
    pue = _pue(draft, cooling)
    if electricity is None or pue is None:
        return None
    carbon, carbon_source = _carbon(draft, keys.region)
    rack_w = _rack(draft, cooling)
    redundancy = Default("N+1", "供配电与制冷的常用冗余。", "The usual redundancy of power and cooling.")
    return Site(
        region=keys.region,
        pue=pue[0],
        electricity=electricity[0],
        grid_carbon_kg_per_kwh=carbon,
        rack_power_w=rack_w,
        cooling=cooling,
        redundancy=draft.given_or(keys.redundancy, "site.redundancy", "N+1", redundancy),
        pue_source=pue[1],
        electricity_source=electricity[1],
        grid_carbon_source=carbon_source,
        tariff=bands,
        hall=draft.given_or(keys.hall, "site.hall", Hall.COLOCATION, _HALL),
        planned_downtime_h=_downtime(keys.planned_downtime),
    )


def _downtime(seconds: float | None) -> Decimal:
    return Decimal(0) if seconds is None else Decimal(repr(seconds / S_PER_HOUR))


def _bands(draft: Draft) -> tuple[TariffBand, ...]:
    """Return the bands of a time-of-use tariff; prices in two currencies are a fault."""
    bands = tuple(TariffBand(one.period, one.hours, one.price) for one in draft.project.file.site.tariff)
    currencies = sorted({band.price.currency for band in bands})
    if len(currencies) > 1:
        what = f"prices are in {' and '.join(currencies)}"
        draft.fault("site.tariff", what, "one meter is billed in one currency", "use one of them")
        return ()
    return bands


def _around_the_clock(bands: tuple[TariffBand, ...]) -> Money:
    """Return the mean price over the day, by hours: a cluster in training draws the same at night."""
    whole = sum((band.hours * band.price.amount for band in bands), Decimal(0))
    hours = sum((band.hours for band in bands), Decimal(0))
    return Money(round_half_up(whole / hours, TARIFF_PLACES), bands[0].price.currency)


def _electricity(draft: Draft, region: str, bands: tuple[TariffBand, ...]) -> tuple[Money, str] | None:
    """Return the mean of the tariff, the given price, or the latest tariff of the region or its country."""
    given = draft.project.file.site.electricity
    if bands:
        mean = _around_the_clock(bands)
        if given is not None and given != mean:
            draft.notice(
                zh="同时给出分时电价与 site.electricity：以分时电价为准，"
                f"全天加权为 {spell_energy_price(mean)}。",
                en="Both a time-of-use tariff and site.electricity are given: the tariff counts, "
                f"{spell_energy_price(mean)} over the day.",
            )
        return mean, ""
    if given is not None:
        return given, ""
    rows = draft.catalogue.all(Tariff)
    by_place = [[row for row in rows if row.region == place] for place in region_chain(region)]
    found = next((match for match in by_place if match), None)
    if found is None:
        places = " or ".join(region_chain(region))
        why = f"the catalogue has no tariff for {places}, and a price is never guessed"
        draft.fault("site.electricity", "is missing", why, "add electricity: 0.42 CNY/kWh")
        return None
    row = max(found, key=lambda tariff: (tariff.valid_to, tariff.amount))
    price = Money(row.amount, row.currency)
    default = Default(
        spell_energy_price(price),
        f"未给出电价，取目录中的{row.name.zh}（{row.dated}）。",
        f"Not given: {row.name.en}, {row.dated}, from the catalogue.",
        row.source,
    )
    return draft.given_or(None, "site.electricity", price, default), row.source


def _pue(draft: Draft, cooling: Cooling) -> tuple[Decimal, str] | None:
    """Return the given PUE, or the highest planning value for the cooling: energy is then not understated."""
    given = draft.project.file.site.pue
    if given is not None:
        return given, ""
    rows = [
        row
        for row in draft.catalogue.all(PueDefault)
        if row.cooling == cooling and not row.limit and not row.pue.barred
    ]
    if not rows:
        why = f"the catalogue has no planning value for {cooling} cooling"
        draft.fault("site.pue", "is missing", why, "add pue: 1.25")
        return None
    row = max(rows, key=lambda pue: pue.pue.value)
    value = Decimal(repr(row.pue.value))
    default = Default(
        spell_number(value),
        f"未给出 PUE，取规划值：{row.name.zh}。",
        f"Not given: planning value, {row.name.en}.",
        row.pue.source,
    )
    return draft.given_or(None, "site.pue", value, default), row.pue.source


def _carbon(draft: Draft, region: str) -> tuple[Decimal | None, str]:
    """Return the given intensity, or the latest of the region's or country's grid; None where unknown."""
    given = draft.project.file.site.grid_carbon
    if given is not None:
        return given, ""
    rows = [row for row in draft.catalogue.all(GridCarbon) if not row.intensity.barred]
    for place in region_chain(region):
        row = _latest(candidate for candidate in rows if candidate.region == place)
        if row is not None:
            value = Decimal(repr(row.intensity.value)) * (
                Decimal("0.001") if row.intensity.unit.startswith("g") else 1
            )
            default = Default(
                spell_carbon(value),
                f"未给出排放因子，取{row.name.zh}（{row.year} 年）。",
                f"Not given: {row.name.en}, {row.year}.",
                row.intensity.source,
            )
            return draft.given_or(None, "site.grid_carbon", value, default), row.intensity.source
    draft.notice(
        zh=f"没有 {region} 的电网排放因子，碳排放不计算。",
        en=f"No grid carbon intensity is known for {region}; carbon is not computed.",
    )
    return None, ""


def _latest(rows: Iterable[GridCarbon]) -> GridCarbon | None:
    """Return the preferred row, the latest among equals; None for no row."""
    return max(rows, key=lambda row: (row.preferred, row.year, row.id), default=None)


def _rack(draft: Draft, cooling: Cooling) -> float:
    """Return the power of a rack in watts: given, or a planning value for the cooling."""
    if cooling is Cooling.LIQUID:
        chosen, source = _LIQUID_RACK_W, ""
        zh, en = "未给出机柜功率，冷板液冷机柜取规划值。", "Not given: planning value of a cold-plate rack."
    else:
        figure = draft.catalogue.find(SiteFigure, _RACK_FIGURE)
        chosen, source = (figure.figure.si, figure.figure.source) if figure else (_AIR_RACK_W, "")
        zh, en = (
            "未给出机柜功率，取风冷高密机柜的常见上限。",
            "Not given: the usual upper end of air-cooled racks.",
        )
    default = Default(spell_power(chosen), zh, en, source)
    return draft.given_or(draft.project.file.site.rack_power, "site.rack_power", chosen, default)
