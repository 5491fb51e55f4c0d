"""Every check of the suite fails on data that is wrong in its way, and on nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from suanli.testing import conformance_checks, run_checks
from suanli.testing.conformance import CHECKS

if TYPE_CHECKING:
    from tests.planting import Greenhouse

GOOD = """
sources:
  - {id: sheet, title: X1 data sheet, publisher: Acme, ref: https://acme.example/x1, retrieved: 2026-11-01}
accelerators:
  - id: x1
    name: {zh: 顶峰 X1, en: Acme X1}
    vendor: acme
    maker: {zh: 顶峰, en: Acme}
    dense_peak:
      fp32: {value: 100, unit: TFLOPS, source: sheet, confidence: datasheet, check: direct}
      bf16: {value: 400, unit: TFLOPS, source: sheet, confidence: datasheet, check: direct}
    headline_peak:
      bf16 sparse: {value: 800, unit: TFLOPS, source: sheet, confidence: datasheet, check: direct}
    memory: {value: 96, unit: GB, source: sheet, confidence: datasheet, check: direct}
    memory_bandwidth: {value: 2.4, unit: TB/s, source: sheet, confidence: datasheet, check: direct}
    scale_up:
      name: link
      topology: switched
      per_device: {value: 300, unit: GB/s, source: sheet, confidence: datasheet, check: direct}
    tdp: {value: 450, unit: W, source: sheet, confidence: datasheet, check: direct}
    embodied_carbon:
      carbon: {value: 1.3, unit: tCO2e, source: sheet, confidence: datasheet, check: direct}
      scope: baseboard
      devices: 8
servers:
  - id: s8
    name: {zh: 顶峰 S8, en: Acme S8}
    vendor: acme
    maker: {zh: 顶峰, en: Acme}
    accelerator: x1
    accelerator_count: 8
    scale_up_domain: 8
    max_power: {value: 6.0, unit: kW, source: sheet, confidence: datasheet, check: direct}
    nics:
      - role: compute
        count: 8
        rate: {value: 400, unit: Gbit/s, source: sheet, confidence: datasheet, check: direct}
links:
  - id: acme-link
    name: {zh: 顶峰互联, en: Acme link}
    scope: intra-node
    per_device: {value: 300, unit: GB/s, source: sheet, confidence: datasheet, check: direct}
switches:
  - id: acme-switch
    name: {zh: 顶峰交换机, en: Acme switch}
    vendor: acme
    technology: ethernet
    ports: {value: 64, unit: ports, source: sheet, confidence: datasheet, check: direct}
    port_rate: {value: 400, unit: Gbit/s, source: sheet, confidence: datasheet, check: direct}
    capacity: {value: 51.2, unit: Tbit/s, source: sheet, confidence: datasheet, check: direct}
collectives:
  - id: acme-allreduce
    hardware: S8
    accelerator: x1
    devices: 8
    nodes: 1
    allreduce_busbw: {value: 220, unit: GB/s, source: sheet, confidence: measured, check: direct}
calibrations:
  - id: calibration-x1
    accelerator: x1
    runs: 3
    constants:
      gemm_efficiency: {value: 0.7, unit: fraction, source: sheet, confidence: measured, check: direct}
stacks:
  - {id: acme-stack, name: {zh: 顶峰框架, en: Acme stack}, vendors: [acme], default_for: [acme]}
fits:
  - id: fit-device-x1
    scope: device
    subject: x1
    constants:
      shape_chip:
        {value: 1.0, unit: fraction, low: 0.7, high: 1.4, source: sheet, confidence: measured, check: direct}
    stack_factors:
      acme-stack:
        {value: 1.1, unit: fraction, low: 1.0, high: 1.2, source: sheet, confidence: measured, check: direct}
    groups: 2
    run_ids: [run-1, run-2, run-3]
  - id: fit-stack-acme-stack
    scope: stack
    subject: acme-stack
    constants:
      compute_factor:
        {value: 0.9, unit: fraction, low: 0.8, high: 1.0, source: sheet, confidence: measured, check: direct}
    groups: 2
  - id: fit-shared-all
    scope: shared
    subject: all
    constants:
      fp8_efficiency:
        {value: 0.9, unit: fraction, low: 0.8, high: 1.0, source: sheet, confidence: measured, check: direct}
    scales:
      base: {value: 0.1, unit: fraction, source: sheet, confidence: measured, check: direct}
      p10: {value: -1.4, unit: fraction, source: sheet, confidence: measured, check: direct}
      p50: {value: 0.0, unit: fraction, source: sheet, confidence: measured, check: direct}
      p90: {value: 1.3, unit: fraction, source: sheet, confidence: measured, check: direct}
    groups: 2
power-models:
  - id: power-acme
    training_fraction: {value: 0.8, unit: fraction, source: sheet, confidence: measured, check: direct}
    idle_fraction: {value: 0.3, unit: fraction, source: sheet, confidence: measured, check: direct}
sku-status:
  - id: x1-cn
    accelerator: x1
    region: CN
    deliverability: free
    summary: {zh: 可交付, en: May be delivered}
    as_of: 2026-11-01
    source: sheet
    confidence: datasheet
    check: direct
acceptance-tests:
  - id: acme-burn-in
    vendor: acme
    name: {zh: 压力测试, en: Burn-in}
    tool: acme-burn
    procedure: {zh: 连续运行, en: Run without a pause}
    metric: {zh: 小时, en: Hours}
prices:
  - id: price-s8
    item: {zh: 顶峰 S8, en: Acme S8}
    what: server
    prices: [s8]
    amount: 1200000
    currency: CNY
    per: server
    dated: 2026-10
    valid_from: 2026-10-01
    valid_to: 2026-10-31
    source: sheet
    confidence: list
    check: direct
    preferred: true
tariffs:
  - id: tariff-cn
    name: {zh: 工业电价, en: Industrial tariff}
    region: CN
    amount: 0.6
    currency: CNY
    dated: '2026'
    valid_to: 2026-12-31
    source: sheet
    confidence: datasheet
    check: direct
grid-carbon:
  - id: grid-cn
    name: {zh: 全国电网, en: National grid}
    region: CN
    year: 2024
    intensity: {value: 0.5, unit: kgCO2/kWh, source: sheet, confidence: datasheet, check: direct}
    preferred: true
pue:
  - id: pue-air
    name: {zh: 风冷, en: Air}
    pue: {value: 1.4, unit: PUE, source: sheet, confidence: datasheet, check: direct}
models:
  - id: acme-7b
    name: {zh: 顶峰 7B, en: Acme 7B}
    family: dense
    architecture:
      layers: 32
      hidden_size: 4096
      ffn_hidden_size: 11008
      attention_heads: 32
      kv_heads: 32
      head_dim: 128
      vocab_size: 32000
    source: sheet
    confidence: datasheet
    check: direct
    published_total_parameters: 6738415616
"""

# One row a check: what to change in the good data so that it fails, and what the fault names.
CHANGES: dict[str, tuple[str, str, str]] = {
    "every figure names a source that exists": (
        "source: sheet, confidence: datasheet, check: direct}\n      bf16",
        "source: shet, confidence: datasheet, check: direct}\n      bf16",
        "x1",
    ),
    "texts are in chinese and english": ("procedure: {zh: 连续运行,", "procedure: {zh: Run,", "acme-burn-in"),
    "sources can be found again": ("ref: https://acme.example/x1, ", "", "sheet"),
    "dense peaks do not fall as precision narrows": ("fp32: {value: 100,", "fp32: {value: 500,", "x1"),
    "dense peaks are plausible": ("bf16: {value: 400, unit: TFLOPS", "bf16: {value: 400, unit: PFLOPS", "x1"),
    "a training device has a 16 bit peak": ("bf16: {value: 400", "fp8: {value: 400", "x1"),
    "headline peaks are not below dense ones": ("bf16 sparse: {value: 800", "bf16 sparse: {value: 200", "x1"),
    "memory is plausible": ("memory: {value: 96, unit: GB", "memory: {value: 96, unit: TB", "x1"),
    "memory bandwidth is within physical range": ("2.4, unit: TB/s", "2.4, unit: GB/s", "x1"),
    "work per byte of memory traffic is plausible": ("2.4, unit: TB/s", "0.1, unit: TB/s", "x1"),
    "embodied carbon is plausible": (
        "carbon: {value: 1.3, unit: tCO2e",
        "carbon: {value: 1.3, unit: kgCO2e",
        "x1",
    ),
    "device power is plausible": ("tdp: {value: 450, unit: W", "tdp: {value: 450, unit: kW", "x1"),
    "device links are plausible per direction": (
        "per_device: {value: 300, unit: GB/s, source: sheet, confidence: datasheet, check: direct}\n    tdp",
        "per_device: {value: 300, unit: TB/s, source: sheet, confidence: datasheet, check: direct}\n    tdp",
        "x1",
    ),
    "some training device has a server": (
        "    accelerator: x1\n    accelerator_count: 8",
        "    accelerator: x2\n    accelerator_count: 8",
        "servers",
    ),
    "devices draw no more than their server": ("max_power: {value: 6.0", "max_power: {value: 3.0", "s8"),
    "servers are plausible": (
        "        rate: {value: 400, unit: Gbit/s",
        "        rate: {value: 400, unit: Tbit/s",
        "s8",
    ),
    "links are plausible per direction": (
        "    scope: intra-node\n    per_device: {value: 300, unit: GB/s",
        "    scope: intra-node\n    per_device: {value: 300, unit: TB/s",
        "acme-link",
    ),
    "switches carry what their ports do": (
        "capacity: {value: 51.2, unit: Tbit/s",
        "capacity: {value: 51.2, unit: Gbit/s",
        "acme-switch",
    ),
    "collectives are not faster than their links": (
        "allreduce_busbw: {value: 220",
        "allreduce_busbw: {value: 2200",
        "acme-allreduce",
    ),
    "every training device is calibrated or names a sibling": ("    runs: 3\n", "", "calibration-x1"),
    "calibration constants are known by name": ("gemm_efficiency:", "gemm_eficiency:", "calibration-x1"),
    "efficiencies are above 0 and at most 1": (
        "gemm_efficiency: {value: 0.7",
        "gemm_efficiency: {value: 1.7",
        "calibration-x1",
    ),
    "fitted constants are known by name": ("compute_factor:", "gemm_efficiency:", "fit-stack-acme-stack"),
    "fits are of something that exists": ("    subject: x1\n", "    subject: x9\n", "fit-device-x1"),
    "fitted values are positive and within their interval": (
        "low: 0.7, high: 1.4",
        "low: -0.7, high: 1.4",
        "fit-device-x1",
    ),
    "scales of ranges are in order": ("p10: {value: -1.4", "p10: {value: 0.4", "fit-shared-all"),
    "fits of devices name the runs behind them": (
        "    run_ids: [run-1, run-2, run-3]\n",
        "",
        "fit-device-x1",
    ),
    "a vendor of training devices has a default stack": (", default_for: [acme]", "", 'vendor "acme"'),
    "power fractions are in order": (
        "idle_fraction: {value: 0.3",
        "idle_fraction: {value: 0.9",
        "power-acme",
    ),
    "delivery statuses name a region": (
        "    region: CN\n    deliverability",
        "    region: China\n    deliverability",
        "x1-cn",
    ),
    "acceptance tests say how and what": ("tool: acme-burn", "tool: ' '", "acme-burn-in"),
    "prices are dated": ("valid_from: 2026-10-01", "valid_from: 2026-12-01", "price-s8"),
    "currencies are of iso 4217": (
        "currency: CNY\n    per: server",
        "currency: RMB\n    per: server",
        "price-s8",
    ),
    "prices are within their range": ("amount: 1200000", "amount: 1200000\n    low: 1300000", "price-s8"),
    "prices say what they price": ("prices: [s8]", "prices: [s9]", "price-s8"),
    "regions are codes of iso 3166": (
        "    region: CN\n    amount",
        "    region: Guizhou\n    amount",
        "tariff-cn",
    ),
    "tariffs are positive": ("amount: 0.6", "amount: -0.6", "tariff-cn"),
    "grid carbon is plausible": ("intensity: {value: 0.5,", "intensity: {value: 500,", "grid-cn"),
    "pue is 1 or more": ("pue: {value: 1.4", "pue: {value: 0.4", "pue-air"),
    "the shape of a model gives its published size": (
        "published_total_parameters: 6738415616",
        "published_total_parameters: 7938415616",
        "acme-7b",
    ),
    "the reference estimate finishes with finite figures": (
        (
            "    memory_bandwidth: {value: 2.4, unit: TB/s, "
            "source: sheet, confidence: datasheet, check: direct}\n"
        ),
        "",
        "x1",
    ),
    "the reference estimate is never faster than the dense peak": (
        "      gemm_efficiency: {value: 0.7",
        (
            "      attention_efficiency: {value: 9, unit: fraction, "
            "source: sheet, confidence: measured, check: direct}\n"
            "      hbm_efficiency: {value: 9, unit: fraction, "
            "source: sheet, confidence: measured, check: direct}\n"
            "      gemm_efficiency: {value: 9"
        ),
        "x1",
    ),
}

# Checks of form, which data files cannot fail: plugins whose code does.
CODE: dict[str, str] = {
    "the plugin loads without a fault": """
@hookimpl
def suanli_records():
    yield source("a")
    raise ValueError
""",
    "it states the version of the contract": "raise ImportError",
    "it contributes something": "",
    "it yields the same in the same order twice": """
import itertools
turn = itertools.count()

@hookimpl
def suanli_records():
    yield from (source(name) for name in ("ab" if next(turn) % 2 else "ba"))
""",
    "ids are unique among all plugins": """
@hookimpl
def suanli_records():
    yield from [source("a"), source("a")]
""",
    "one price of a thing is preferred at most": """
from suanli.plugin import Price

def price(name):
    return Price.model_validate({
        "id": name, "item": {"zh": "光模块", "en": "Optic"}, "what": "optic", "basis": "optic-9t",
        "amount": 1, "currency": "CNY", "per": "piece", "dated": "2026",
        "valid_from": "2026-01-01", "valid_to": "2026-02-01",
        "source": "a", "confidence": "list", "check": "secondary", "preferred": True,
    })

@hookimpl
def suanli_records():
    yield from [source("a"), price("p"), price("q")]
""",
    "themes are read without a fault": """
from suanli.errors import Fault
from suanli.plugin import Renderer, Theme

@hookimpl
def suanli_records():
    yield source("a")

@hookimpl
def suanli_themes():
    yield Theme("house", Text(zh="样式", en="House"), "suanli_templates", "fonts")

@hookimpl
def suanli_renderers():
    yield Renderer(
        id="sheet", name=Text(zh="表", en="Sheet"), stem="sheet", suffix=".txt", per_language=False,
        render=lambda job: b"", theme_faults=lambda folder: (Fault("wrong", where=str(folder)),),
    )
""",
}

LOADER = """
import json
from suanli.plugin import RECORD_TYPES, Theme
@hookimpl
def suanli_records():
    for kind, rows in json.loads(DATA).items():
        for row in rows:
            yield RECORD_TYPES[kind].model_validate(row)

@hookimpl
def suanli_themes():
    yield Theme("house", Text(zh="样式", en="House"), "suanli_templates", "fonts")
"""


def failed(greenhouse: Greenhouse, code: str) -> dict[str, str]:
    """Return the failed checks of a plugin with their messages, alone in a host."""
    greenhouse.plant("acme", code)
    outcomes = run_checks("acme", greenhouse.load())
    return {one.check: "\n".join(str(fault) for fault in one.faults) for one in outcomes if one.faults}


def with_data(text: str) -> str:
    """Return the code of a plugin that yields the records of a data file."""
    content = json.dumps(yaml.safe_load(text), default=str)
    return f"DATA = {content!r}\n{LOADER}"


def test_good_data_pass_every_check(greenhouse: Greenhouse) -> None:
    assert failed(greenhouse, with_data(GOOD)) == {}
    applied = {bound.check.name for bound in conformance_checks("acme", greenhouse.load())}
    assert applied == {check.name for check in CHECKS}


@pytest.mark.parametrize("name", CHANGES)
def test_a_check_finds_what_it_is_for(greenhouse: Greenhouse, name: str) -> None:
    old, new, culprit = CHANGES[name]
    assert old in GOOD
    found = failed(greenhouse, with_data(GOOD.replace(old, new, 1)))
    assert name in found
    assert culprit in found[name]


@pytest.mark.parametrize("name", CODE)
def test_a_check_of_form_finds_what_it_is_for(greenhouse: Greenhouse, name: str) -> None:
    assert name in failed(greenhouse, CODE[name])


def test_every_check_is_shown_to_fail_or_is_held_by_the_record_types() -> None:
    held_by_types = {"ids are kebab case", "every record survives json"}
    assert {check.name for check in CHECKS} == {*CHANGES, *CODE, *held_by_types}


def test_a_bound_check_raises_with_every_fault(greenhouse: Greenhouse) -> None:
    greenhouse.plant("acme", with_data(GOOD.replace("dated: 2026-10\n", "dated: October\n")))
    checks = {str(bound): bound for bound in conformance_checks("acme", greenhouse.load())}
    with pytest.raises(AssertionError, match=r'prices\[price-s8\].dated: "October" is no date'):
        checks["acme: prices are dated"]()
