"""Money rules and title page: currency, tax, exchange rates, depreciation; each default is listed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator
from suanli.domain.market import Price, PriceKind, SiteFigure
from suanli.domain.regions import country, region_chain
from suanli.domain.workload import (
    Commercial,
    ExchangeRate,
    Milestone,
    Paper,
    ProjectInfo,
    ProposalType,
    RentOffer,
    Rounding,
    Track,
)
from suanli.errors import nearest
from suanli.project.completion.draft import Default
from suanli.project.completion.finance import completed_finance
from suanli.project.quantities import spell_fraction
from suanli.project.sections import VatKeys

if TYPE_CHECKING:
    from suanli.domain.money import Money
    from suanli.project.completion.draft import Draft

__all__ = ["complete_commercial", "complete_info"]

_CHINA = "CN"
_CHINA_VAT = {"goods": Decimal("0.13"), "works": Decimal("0.09"), "services": Decimal("0.06")}
"""Rates of the VAT law of the People's Republic of China, article 10, in force since 2026-01-01."""

_HORIZON_YEARS = 5
_HORIZON = Default(
    f"{_HORIZON_YEARS} years",
    "训练集群的常用核算年限。",
    "The usual period of account of a training cluster.",
)
_ROUNDING = Default(
    "line", "逐行取整到分，明细与合计一致。", "Each line to the cent, so that lines add up to totals."
)
_PRICE_VALIDITY_DAYS = 90
_PRICE_VALIDITY = Default(
    f"{_PRICE_VALIDITY_DAYS} days",
    "超过 90 天的价格须重新询价。",
    "Older prices: ask again.",
)
_WARRANTY_YEARS = 3
_WARRANTY = Default(
    str(_WARRANTY_YEARS),
    "AI 服务器通常含三年现场质保。",
    "Three years are usual.",
)
_SPARE_PARTS_SHARE = Decimal("0.02")
_SPARE_PARTS = Default(
    spell_fraction(_SPARE_PARTS_SHARE),
    "规划值，备用整机另计。",
    "Planning value; spare servers are counted apart.",
)
_DISCOUNT_RATE = Decimal("0.06")
_DEPRECIATION_YEARS = 5
_MAINTENANCE = Decimal("0.08")


def complete_info(draft: Draft) -> ProjectInfo:
    """Return the facts of the title page."""
    keys = draft.project.file.project
    purpose = Default(
        "internal-approval", "未指定，按内部立项文件。", "Not given: a document for internal approval."
    )
    track = Default("enterprise", "未指定，按企业采购。", "Not given: enterprise purchasing.")
    languages = Default("[zh, en]", "未指定，出中文与英文。", "Not given: Chinese and English.")
    paper = Default("A4", "未指定，按 A4。", "Not given: A4.")
    theme = Default("default", "未指定，用默认主题。", "Not given: the default theme.")
    chosen = draft.given_or(keys.languages or None, "project.languages", ("zh", "en"), languages)
    return ProjectInfo(
        name=keys.name,
        client=keys.client,
        type=draft.given_or(keys.type, "project.type", ProposalType.INTERNAL_APPROVAL, purpose),
        track=draft.given_or(keys.track, "project.track", Track.ENTERPRISE, track),
        languages=tuple(dict.fromkeys(chosen)),
        day=keys.date,
        paper=draft.given_or(keys.paper, "project.paper", Paper.A4, paper),
        theme=draft.given_or(keys.theme, "project.theme", "default", theme),
    )


def complete_commercial(draft: Draft, region: str, electricity: Money) -> Commercial:
    """Return the money rules; a figure of the file in a currency that nothing converts is a fault."""
    keys = draft.project.file.commercial
    currency = _currency(draft, region)
    rates = tuple(ExchangeRate(*fx.pair, fx.rate, fx.date, fx.source or "") for fx in keys.fx)
    _check_rates(draft, rates)
    _check_currencies(draft, electricity, currency, rates)
    horizon_years = draft.given_or(keys.horizon, "commercial.horizon", _HORIZON_YEARS, _HORIZON)
    return Commercial(
        currency=currency,
        budget=keys.budget,
        horizon_years=horizon_years,
        discount_rate=_discount(draft, region),
        **_vat(draft, region),
        exchange_rates=rates,
        rounding=draft.given_or(keys.rounding, "commercial.rounding", Rounding.LINE, _ROUNDING),
        price_validity_days=draft.given_or(
            keys.price_validity, "commercial.price_validity", _PRICE_VALIDITY_DAYS, _PRICE_VALIDITY
        ),
        depreciation_years=_depreciation(draft),
        # What is left is received when the horizon ends, so its age counts, not the accounting life.
        residual_share=_residual(draft, horizon_years),
        maintenance_share=_maintenance(draft),
        warranty_years=draft.given_or(
            keys.warranty_years, "commercial.warranty_years", _WARRANTY_YEARS, _WARRANTY
        ),
        spare_parts_share=draft.given_or(
            keys.spare_parts, "commercial.spare_parts", _SPARE_PARTS_SHARE, _SPARE_PARTS
        ),
        staff_fte=keys.staff.posts if keys.staff else None,
        staff_cost=keys.staff.cost if keys.staff else None,
        milestones=tuple(Milestone(one.name, one.share, one.after) for one in keys.milestones),
        rent=_rent(draft),
        delivery_months=keys.delivery,
        **completed_finance(draft),
        quotes=keys.quotes or (),
    )


def _rent(draft: Draft) -> RentOffer | None:
    """Return the rental offer; a device that no plugin has is a fault."""
    keys = draft.project.file.commercial.rent
    if keys is None:
        return None
    name = keys.accelerator or ""
    known = {one.id for one in draft.catalogue.all(Accelerator)}
    if name and name not in known:
        cure = nearest(name, known)
        draft.fault("commercial.rent.accelerator", f'"{name}" is no accelerator', "see suanli catalog", cure)
    return RentOffer(keys.price, keys.commitment, name)


def _check_currencies(
    draft: Draft, electricity: Money, currency: str, rates: tuple[ExchangeRate, ...]
) -> None:
    """Refuse figures that no rate takes to the project's currency; say which catalogue prices fall out."""
    keys = draft.project.file.commercial
    given = (
        ("commercial.budget", keys.budget),
        ("site.electricity", electricity),
        ("commercial.staff.cost", keys.staff.cost if keys.staff else None),
        ("commercial.rent.price", keys.rent.price if keys.rent else None),
    )
    for key, money in given:
        if money is not None:
            _check_convertible(draft, key, money.currency, currency, rates)
    # Most published prices of accelerators are in dollars; without a rate they are absent, not converted.
    if currency != "USD" and not _converts("USD", currency, rates):
        draft.notice(
            zh=f"没有 USD/{currency} 汇率：只有美元价格的条目将无法计价。",
            en=f"No USD/{currency} rate is given: items that are priced in dollars only cannot be priced.",
        )


def _currency(draft: Draft, region: str) -> str:
    keys = draft.project.file.commercial
    chosen = keys.budget.currency if keys.budget else "CNY" if country(region) == _CHINA else "USD"
    default = Default(
        chosen, "未指定，取预算或机房所在地的币种。", "Not given: the currency of the budget or the site."
    )
    return draft.given_or(keys.currency, "commercial.currency", chosen, default)


def _converts(base: str, quote: str, rates: tuple[ExchangeRate, ...]) -> bool:
    return base == quote or any({rate.base, rate.quote} == {base, quote} for rate in rates)


def _check_rates(draft: Draft, rates: tuple[ExchangeRate, ...]) -> None:
    """Refuse two rates for one pair, and a rate from after the day of the document."""
    seen: set[frozenset[str]] = set()
    for number, rate in enumerate(rates):
        pair = frozenset((rate.base, rate.quote))
        if pair in seen:
            draft.fault(
                f"commercial.fx.{number}.pair",
                f"{rate.base}/{rate.quote} stands twice",
                "one rate for each pair",
                "keep one",
            )
        seen.add(pair)
        if rate.day > draft.project.file.project.date:
            day = draft.project.file.project.date
            draft.fault(
                f"commercial.fx.{number}.date",
                f"{rate.day} is after the document's date",
                f"allowed: up to {day}",
            )


def _check_convertible(
    draft: Draft, key: str, base: str, quote: str, rates: tuple[ExchangeRate, ...]
) -> None:
    if not _converts(base, quote, rates):
        cure = f"add commercial.fx: [{{pair: {base}/{quote}, rate: …, date: …}}]"
        draft.fault(
            key, f"is in {base}, totals are in {quote}", "an exchange rate is needed, and none is given", cure
        )


def _share(draft: Draft, kind: PriceKind, basis: str, region: str = "") -> tuple[Decimal, str] | None:
    """Return the preferred share of a basis from the catalogue with its source; None where there is none."""
    for place in (*region_chain(region), "") if region else ("",):
        rows = [
            row
            for row in draft.catalogue.all(Price)
            if row.what is kind
            and row.basis == basis
            and not row.barred
            and (not region or row.region == place)
        ]
        row = max(rows, key=lambda price: (price.preferred, price.valid_to, price.id), default=None)
        if row is not None and row.currency in {"%", "fraction"}:
            return row.amount / 100 if row.currency == "%" else row.amount, row.source
    return None


def _discount(draft: Draft, region: str) -> Decimal:
    known = country(region) == _CHINA
    found = _share(draft, PriceKind.FINANCE, "discount-rate-year", region) if known else None
    rate, source = found or (_DISCOUNT_RATE, "")
    default = Default(
        spell_fraction(rate),
        "规划值，应以业主的基准收益率替换。",
        "Planning value; replace it by the owner's benchmark rate.",
        source,
    )
    return draft.given_or(
        draft.project.file.commercial.discount_rate, "commercial.discount_rate", rate, default
    )


def _vat(draft: Draft, region: str) -> dict[str, Decimal]:
    """Return the three rates: given, China's by law, or the country's general rate from the catalogue."""
    keys = draft.project.file.commercial.vat or VatKeys()
    goods = _share(draft, PriceKind.TAX, "vat-goods", region)
    rates: dict[str, Decimal] = {}
    for name, given in (("goods", keys.goods), ("works", keys.works), ("services", keys.services)):
        if country(region) == _CHINA:
            rate, source = _CHINA_VAT[name], goods[1] if goods else ""
            zh, en = "按《增值税法》第十条。", "VAT law of China, article 10."
        elif goods is not None:
            rate, source = goods
            zh, en = "目录中当地的一般税率。", "The place's general rate from the catalogue."
        else:
            rate, source = Decimal(0), ""
            zh, en = "当地税率未知，合计为不含税金额。", "The rate is unknown: totals are without tax."
        default = Default(spell_fraction(rate), zh, en, source)
        rates[f"vat_{name}"] = draft.given_or(given, f"commercial.vat.{name}", rate, default)
    return rates


def _depreciation(draft: Draft) -> int:
    figure = draft.catalogue.find(SiteFigure, "depreciation-planning")
    years = round(figure.figure.value) if figure else _DEPRECIATION_YEARS
    default = Default(
        str(years),
        "服务器折旧年限的规划值。",
        "Planning value of the life of servers.",
        figure.figure.source if figure else "",
    )
    return draft.given_or(
        draft.project.file.commercial.depreciation_years, "commercial.depreciation_years", years, default
    )


def _residual(draft: Draft, years: int) -> Decimal:
    """Return the residual share: given, or the resale share at that age; 0 where none is known."""
    found = _share(draft, PriceKind.RESIDUAL, f"residual-{12 * years}m")
    share, source = found or (Decimal(0), "")
    default = (
        Default(
            spell_fraction(share),
            f"H100 使用 {years} 年后的转售价比例，其他型号未知。",
            f"Resale of an H100 after {years} years; unknown for other devices.",
            source,
        )
        if found
        else Default("0%", "没有可引用的残值，按零计。", "No residual value is known: none is counted.")
    )
    return draft.given_or(draft.project.file.commercial.residual, "commercial.residual", share, default)


def _maintenance(draft: Draft) -> Decimal:
    share, source = _share(draft, PriceKind.SUPPORT, "maintenance-share-year") or (_MAINTENANCE, "")
    default = Default(
        spell_fraction(share),
        "质保期后原厂维保的年费率。",
        "Yearly rate of the maker's support after the warranty.",
        source,
    )
    return draft.given_or(draft.project.file.commercial.maintenance, "commercial.maintenance", share, default)
