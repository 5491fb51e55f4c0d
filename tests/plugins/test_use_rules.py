"""Rules that hold over every record of the catalogue, whichever plugin gives it."""

from __future__ import annotations

import calendar
import re
from collections import defaultdict
from datetime import date
from math import isclose
from typing import TYPE_CHECKING

import pytest
from tests.plugins.catalogue_data import (
    CATALOGUE,
    ENTRIES,
    PLUGINS,
    READ_ON,
    RECORDS,
    all_figures,
    figures_of,
    strings_of,
    texts_of,
)

from suanli.domain.figure import Check, Confidence, Grade, Source
from suanli.domain.hardware import Accelerator, Link, LinkScope, Precision, Server, Topology
from suanli.domain.market import GridCarbon, Price, Tariff
from suanli.domain.vendor import Calibration, Fit, FitScope, PowerModel, SkuStatus, SoftwareStack
from suanli.host.references import resolve, sources_of, unique
from suanli.project.quantities import parse_country, parse_currency, parse_region

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suanli.domain.record import Record

CJK = re.compile(r"[\u4e00-\u9fff]")
FIT_SOURCE = "suanli-fit"
LOGARITHM = re.compile(r"^fits\[.*\]\.scales\.(?:memory-)?p(?:10|50|90)$")
DEVICES = CATALOGUE.all(Accelerator)
PRICES = CATALOGUE.all(Price)

WITHOUT_SERVER = {
    "a100-40-pcie",
    "a100-80-pcie",
    "ascend-950dt",
    "ascend-950pr",
    "gb300",
    "h100-pcie",
    "h100-sxm-96-500w",
    "h200-nvl",
    "l40s",
    "mi210",
    "mi250x",
    "mi350x",
    "rtx-4090",
    "rtx-a6000",
    "v100-sxm2",
}
"""Devices that can be sized but for which no server is catalogued."""


def _codes_of(record: Record) -> Iterator[str]:
    if isinstance(record, (Price, Tariff, GridCarbon)) and record.region:
        yield record.region
    if isinstance(record, SkuStatus) and record.region != "*":
        yield record.region
    if isinstance(record, Accelerator) and record.origin:
        yield record.origin


# --- references and sources ---


def test_no_record_clashes_with_another_or_refers_to_nothing() -> None:
    single = unique(ENTRIES)
    resolved = resolve(single.entries, incomplete=False)
    assert single.faults == {}
    assert resolved.faults == {}
    assert len(resolved.entries) == len(ENTRIES)


def test_every_source_exists_and_is_used() -> None:
    used = {source for record in RECORDS for _, source in sources_of(record)}
    assert used == {source.id for source in CATALOGUE.all(Source)}


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_plugin_cites_only_its_own_sources(plugin: str) -> None:
    used = {
        source for record, origin in ENTRIES if origin.plugin == plugin for _, source in sources_of(record)
    }
    # Fits of all plugins rest on the same published runs.
    assert {source for source in used if not source.startswith(f"{plugin}-")} == {FIT_SOURCE}


def test_nothing_is_direct_without_an_address_or_own_arithmetic() -> None:
    homeless = {
        source.id for source in CATALOGUE.all(Source) if not source.ref and source.publisher != "suanli"
    }
    wrong = [
        name for name, figure in all_figures() if figure.check is Check.DIRECT and figure.source in homeless
    ]
    wrong += [price.id for price in PRICES if price.check is Check.DIRECT and price.source in homeless]
    assert wrong == []


def test_own_arithmetic_is_never_more_than_an_estimate() -> None:
    own = {source.id for source in CATALOGUE.all(Source) if source.publisher == "suanli"}
    assert own
    assert [
        name
        for name, figure in all_figures()
        if figure.source in own and figure.confidence is not Confidence.ESTIMATE
    ] == []


def test_every_source_says_when_it_was_read() -> None:
    assert {source.retrieved for source in CATALOGUE.all(Source)} <= {READ_ON, date(2026, 12, 1)}


# --- unknown, weak, borrowed ---


def test_no_figure_is_zero_because_unknown_is_absent() -> None:
    wrong = [name for name, figure in all_figures() if figure.value <= 0 and not LOGARITHM.search(name)]
    assert wrong == []


def test_a_quantile_of_a_fit_is_a_logarithm_and_its_order_is_right() -> None:
    (scales,) = (fit.scales for fit in CATALOGUE.all(Fit) if fit.scope is FitScope.SHARED)
    for prefix in ("", "memory-"):
        low, middle, high = (scales[f"{prefix}{end}"].si for end in ("p10", "p50", "p90"))
        assert low < middle < high
        assert low < 0 < high


def test_only_a_tax_that_does_not_exist_is_nothing_and_only_a_saving_is_negative() -> None:
    assert [price.id for price in PRICES if price.amount == 0] == ["common-vat-us-goods"]
    assert [price.id for price in PRICES if price.amount < 0] == ["common-colo-cn-remote-power"]


def test_a_recalled_figure_is_never_stated_as_fact() -> None:
    recalled = [(name, figure) for name, figure in all_figures() if figure.check is Check.RECALL]
    assert recalled
    assert [name for name, figure in recalled if figure.grade not in {Grade.WEAK, Grade.SIBLING}] == []
    assert [
        price.id for price in PRICES if price.check is Check.RECALL and price.grade is not Grade.WEAK
    ] == []


def test_press_community_and_estimates_are_weak() -> None:
    soft = {Confidence.PRESS, Confidence.COMMUNITY, Confidence.ESTIMATE}
    assert [
        name
        for name, figure in all_figures()
        if figure.confidence in soft and figure.grade in {Grade.DIRECT, Grade.SECONDARY}
    ] == []


def test_a_borrowed_figure_names_a_known_relative() -> None:
    known = {device.id for device in DEVICES} | {server.id for server in CATALOGUE.all(Server)}
    known |= {stack.id for stack in CATALOGUE.all(SoftwareStack)}
    borrowed = [(name, figure.sibling) for name, figure in all_figures() if figure.sibling]
    assert borrowed
    assert [name for name, sibling in borrowed if sibling not in known] == []


def test_nobody_borrows_from_itself() -> None:
    assert [
        record.id for record in RECORDS for _, figure in figures_of(record) if figure.sibling == record.id
    ] == []


# --- accelerators and servers ---


def _headline_clashes(device: Accelerator) -> Iterator[str]:
    for name, headline in device.headline_peak.items():
        dense = device.dense_peak.get(Precision(name.split()[0]))
        if dense is not None and dense.si == headline.si:
            yield f"{device.id}: {name}"


def test_a_dense_peak_never_equals_a_headline() -> None:
    assert sum(len(device.headline_peak) for device in DEVICES) >= 15
    assert [clash for device in DEVICES for clash in _headline_clashes(device)] == []


def test_a_sparse_headline_is_twice_the_dense_peak() -> None:
    ratios = {
        f"{device.id} {name}": headline.si / device.dense_peak[Precision(name.split()[0])].si
        for device in DEVICES
        for name, headline in device.headline_peak.items()
        if "sparse" in name
    }
    assert ratios
    assert {name for name, ratio in ratios.items() if not isclose(ratio, 2, rel_tol=0.02)} == set()


def test_bf16_and_fp16_share_one_peak() -> None:
    both = [
        device.dense_peak for device in DEVICES if {Precision.BF16, Precision.FP16} <= set(device.dense_peak)
    ]
    assert len(both) >= 30
    assert all(peaks[Precision.BF16].si == peaks[Precision.FP16].si for peaks in both)


def test_a_peak_is_of_a_format_that_the_device_lists() -> None:
    # FP32 may be listed as vector arithmetic and TF32 is a mode of FP32.
    narrow = {Precision.BF16, Precision.FP16, Precision.FP8, Precision.INT8, Precision.FP4}
    missing = [
        f"{device.id} {precision}"
        for device in DEVICES
        for precision in device.dense_peak
        if precision in narrow and not any(precision.value in name for name in device.numeric_formats)
    ]
    assert missing == []


def test_usable_memory_is_close_to_the_label_read_as_gib() -> None:
    # Labels behave like GiB; ECC and firmware take a few percent, eight at the most.
    off = {
        device.id: device.usable_memory.si / (device.memory.value * 2**30)
        for device in DEVICES
        if device.usable_memory
    }
    assert off
    assert {name for name, ratio in off.items() if not 0.90 < ratio <= 1.0} == set()


def test_the_links_of_a_mesh_do_not_exceed_their_sum() -> None:
    meshes = [
        device.scale_up for device in DEVICES if device.scale_up and device.scale_up.topology is Topology.MESH
    ]
    assert meshes
    assert all(mesh.pairwise is None or mesh.pairwise.si < mesh.per_device.si for mesh in meshes)


def test_no_link_is_a_sum_of_both_directions() -> None:
    # Totals of both directions as vendors print them (GB/s), none of which may stand as a one-way rate.
    both_ways = {
        "nvlink3": 600,
        "nvlink4": 900,
        "nvlink5": 1800,
        "hccs-910b": 392,
        "ub-910c": 784,
        "xgmi-mi300x": 896,
    }
    for link, total in both_ways.items():
        assert CATALOGUE.get(Link, link).per_device.si == total * 1e9 / 2


def test_every_scope_of_link_is_known() -> None:
    assert {link.scope for link in CATALOGUE.all(Link)} == set(LinkScope)


def test_every_trainable_device_has_exactly_one_calibration() -> None:
    counted: dict[str, int] = defaultdict(int)
    for row in CATALOGUE.all(Calibration):
        counted[row.accelerator] += 1
    assert counted == {device.id: 1 for device in DEVICES if device.trains}


def test_a_calibration_has_runs_of_its_own_or_names_whose_they_are() -> None:
    rows = CATALOGUE.all(Calibration)
    assert [row.id for row in rows if not row.runs and not row.sibling] == []
    assert sum(bool(row.runs) for row in rows) >= 18
    assert [row.id for row in rows if row.sibling and CATALOGUE.find(Accelerator, row.sibling) is None] == []


def test_every_trainable_device_has_a_server_or_is_listed_as_having_none() -> None:
    served = {server.accelerator for server in CATALOGUE.all(Server)}
    served |= {sibling for server in CATALOGUE.all(Server) for sibling in server.sibling_accelerators}
    assert {device.id for device in DEVICES if device.trains} - served == WITHOUT_SERVER


def test_a_nameplate_is_never_a_sum_of_power_supplies() -> None:
    wrong: list[str] = []
    for server in CATALOGUE.all(Server):
        supplies = re.match(r"(\d+) x ([\d.]+) kW", server.power_supplies)
        if supplies and server.max_power:
            total = int(supplies[1]) * float(supplies[2]) * 1e3
            wrong += [server.id] if server.max_power.si > 0.95 * total else []
    assert wrong == []


def test_a_nameplate_covers_its_devices() -> None:
    short: list[str] = []
    for server in CATALOGUE.all(Server):
        device = CATALOGUE.get(Accelerator, server.accelerator)
        if server.max_power and device.tdp:
            short += [server.id] if server.max_power.si < server.accelerator_count * device.tdp.si else []
    assert short == []


def test_a_power_model_stays_below_the_nameplate() -> None:
    assert [row.id for row in CATALOGUE.all(PowerModel) if not 0 < row.training_fraction.si < 1] == []


def test_an_alias_names_one_device_or_all_of_them_know() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for device in DEVICES:
        for alias in device.aliases:
            owners[alias.casefold()].add(device.id)
    unaware = {
        f"{alias}: {device}"
        for alias, devices in owners.items()
        for device in devices
        if not devices - {device} <= set(CATALOGUE.get(Accelerator, device).ambiguous_with)
    }
    assert unaware == set()


# --- prices and places ---


def test_a_barred_price_is_never_preferred() -> None:
    barred = [price for price in PRICES if price.barred]
    assert len(barred) >= 6
    assert [
        price.id for price in barred if price.preferred or price.grade is not Grade.BARRED or not price.note
    ] == []


def test_at_most_one_price_of_a_thing_and_region_is_preferred() -> None:
    chosen: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for price in PRICES:
        if price.preferred:
            for thing in (*price.prices, *([f"basis {price.basis}"] if price.basis else [])):
                chosen[thing, price.region, price.what].append(price.id)
    assert {thing: rows for thing, rows in chosen.items() if len(rows) > 1} == {}


def test_a_price_names_what_it_prices() -> None:
    known = {record.id for record in RECORDS}
    assert [price.id for price in PRICES if not price.prices and not price.basis] == []
    assert [price.id for price in PRICES if not set(price.prices) <= known] == []


_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


def _period(dated: str) -> tuple[date, date]:
    """Return the first and last day of a date as documents write it, cut off at the day of reading."""
    days = [date(int(y), int(m), int(d)) for y, m, d in _ISO_DAY.findall(dated)]
    if days:
        return min(days), max(days)
    if found := re.fullmatch(r"(\d{4})-([HQ])(\d)", dated):
        year, months = int(found[1]), 6 if found[2] == "H" else 3
        last = int(found[3]) * months
        return date(year, last - months + 1, 1), date(year, last, calendar.monthrange(year, last)[1])
    if found := re.fullmatch(r"(\d{4})-(\d\d)", dated):
        year, month = int(found[1]), int(found[2])
        return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])
    years = [int(year) for year in re.findall(r"\d{4}", dated)]
    return date(min(years), 1, 1), min(date(max(years), 12, 31), READ_ON)


def test_the_validity_of_a_price_is_the_period_its_document_names() -> None:
    wrong = {
        price.id: (price.dated, price.valid_from, price.valid_to)
        for price in PRICES
        if (price.valid_from, price.valid_to) != _period(price.dated)
    }
    assert wrong == {}


def test_no_price_is_newer_than_the_day_of_reading() -> None:
    assert [price.id for price in PRICES if not price.valid_from <= price.valid_to <= READ_ON] == []


def test_only_tax_rates_keep_longer_than_a_quotation() -> None:
    assert {price.what.value for price in PRICES if price.validity_days > 90} <= {"tax"}
    assert all(price.validity_days >= 1 for price in PRICES)


def test_the_range_of_a_price_holds_its_amount() -> None:
    wrong = [
        price.id
        for price in PRICES
        if (price.low is not None and price.low > price.amount)
        or (price.high is not None and price.high < price.amount)
    ]
    assert wrong == []


def test_regions_are_iso_codes() -> None:
    # EU is the reserved code of ISO 3166-1 for the European Union, which is no country.
    for code in {code for record in RECORDS for code in _codes_of(record)} - {"EU"}:
        if "-" in code:
            parse_region(code)
        else:
            parse_country(code)


def test_currencies_are_iso_codes() -> None:
    for code in {price.currency for price in PRICES} - {"%", "fraction"}:
        parse_currency(code)
    for code in {tariff.currency for tariff in CATALOGUE.all(Tariff)}:
        parse_currency(code)


def test_one_carbon_factor_of_a_region_is_preferred_where_there_are_several() -> None:
    rows: dict[str, list[GridCarbon]] = defaultdict(list)
    for row in CATALOGUE.all(GridCarbon):
        rows[row.region].append(row)
    assert {
        region: [row.id for row in found]
        for region, found in rows.items()
        if sum(row.preferred for row in found) != 1
    } == {}


def test_carbon_and_tariffs_are_of_a_plausible_size() -> None:
    assert all(0.01 < row.intensity.si < 1.1 for row in CATALOGUE.all(GridCarbon))
    assert all(0.01 < row.amount < 2 for row in CATALOGUE.all(Tariff))


# --- texts ---


def test_a_chinese_text_is_chinese_unless_it_is_a_name() -> None:
    # Names that nobody translates stand the same in both languages, spacing and punctuation aside.
    def bare(text: str) -> str:
        wide = text.translate(str.maketrans("（），–、", "(),-,"))
        return re.sub(r"\s", "", wide)

    strange = [
        f"{record.kind}[{record.id}].{path}: {text.zh}"
        for record in RECORDS
        for path, text in texts_of(record)
        if not CJK.search(text.zh) and bare(text.zh) != bare(text.en)
    ]
    assert strange == []


@pytest.mark.parametrize("field", ["summary", "content", "procedure", "metric", "title"])
def test_prose_is_written_in_both_languages(field: str) -> None:
    found = [text for record in RECORDS for path, text in texts_of(record) if path == field]
    assert found
    assert [text.zh for text in found if not CJK.search(text.zh)] == []
    assert [text.en for text in found if CJK.search(text.en)] == []


def test_nothing_speaks_of_how_the_data_were_gathered() -> None:
    banned = re.compile(
        r"\bfile id\b|\bindex id\b|code search|address not kept|\b\d{10,}\b|/tmp/", re.IGNORECASE
    )
    found = [
        f"{record.kind}[{record.id}].{path}: {text}"
        for record in RECORDS
        for path, text in strings_of(record)
        if banned.search(text) and not text.startswith("http")
    ]
    assert found == []
