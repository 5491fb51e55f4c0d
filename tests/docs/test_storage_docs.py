"""The pages on storage and availability state what the code computes, and their arithmetic is right."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest
from tests.architectures import LLAMA_3_70B
from tests.core.planning.storage_tiers import tier_of
from tests.docs.page_checks import broken_links, differences, incomplete_formulas, wrong_lines
from tests.docs.worked_examples import DOCS, Example, examples_of
from tests.factories import requirement, sizing, text

from suanli.domain.workload import ClusterWish, ModelChoice, Requirement, StorageWish
from suanli.estimation.goodput import (
    FailureModel,
    daly_interval_s,
    goodput,
    wall_per_progress,
    young_interval_s,
)
from suanli.planning.availability import rate_per_1000_device_days
from suanli.planning.counting import poisson_cover
from suanli.planning.demands import checkpoint_write_bytes_per_s
from suanli.planning.spares import paying_spares, plan_spares, waiting_share, wall_factor
from suanli.planning.storage import plan_storage
from suanli.planning.storage_results import DemandKind, TierKind, VolumeKind
from suanli.planning.tiers import SERVER_MODELS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from suanli.estimation.results import Sizing
    from suanli.planning.results import StoragePlan

PAGES: Final = (DOCS / "planning" / "storage.md", DOCS / "planning" / "goodput.md")
EXAMPLES: Final = {one.name: one for page in PAGES for one in examples_of(page)}
DAY_S: Final = 86_400.0
FAILURES: Final = FailureModel(0.474, "source", checkpoint_write_s=30.0, restart_s=300.0)


@cache
def run() -> Sizing:
    """Return the run of the pages: 405 billion parameters on 2,048 servers, 128 replicas."""
    base = sizing(2048)
    profile = replace(base.profile, total_parameters=405_000_000_000, trainable_parameters=405_000_000_000)
    point = goodput(16_384, base.ideal_s, 405e9, FAILURES)
    layout = replace(base.layout, tp=8, pp=16, dp=128)
    return replace(base, profile=profile, goodput=point, layout=layout, tokens=15.6e12)


def need() -> Requirement:
    shape = LLAMA_3_70B.model_copy(update={"vocab_size": 128_256})
    return replace(requirement(), model=ModelChoice(text("model"), shape, "catalogue"))


@cache
def storage() -> StoragePlan:
    return plan_storage(run(), need(), spares=33)


def stored(kind: VolumeKind) -> float:
    return next(volume.stored_bytes for volume in storage().volumes if volume.kind is kind)


def rate(kind: DemandKind) -> float:
    return next(demand.bytes_per_s for demand in storage().demands if demand.kind is kind)


def training_data() -> dict[str, float]:
    return {"tokenised": stored(VolumeKind.TOKENISED), "source": stored(VolumeKind.SOURCE)}


def checkpoints_kept() -> dict[str, float]:
    return {
        "checkpoint": storage().checkpoint_bytes,
        "recovery": stored(VolumeKind.RECOVERY),
        "milestones": stored(VolumeKind.MILESTONES),
    }


def checkpoint_write() -> dict[str, float]:
    slow = replace(run().goodput, checkpoint_write_s=5.0, background_write_s=300.0)
    wish = replace(need(), storage=StorageWish(asynchronous=True))
    plan = plan_storage(replace(run(), goodput=slow), wish)
    assert checkpoint_write_bytes_per_s(5.67e12, 30) == rate(DemandKind.CHECKPOINT)
    return {"synchronous": rate(DemandKind.CHECKPOINT), "asynchronous": plan.write_bytes_per_s}


def restart() -> dict[str, float]:
    return {"once": rate(DemandKind.RESTART), "replicas": rate(DemandKind.REPLICAS)}


def flash_servers() -> dict[str, float]:
    flash = tier_of(storage(), TierKind.PERFORMANCE)
    return {
        "stored": flash.stored_bytes,
        "capacity": flash.servers_for_capacity,
        "write": flash.servers_for_write,
        "read": flash.servers_for_read,
        "least": SERVER_MODELS[TierKind.PERFORMANCE].code.least_servers,
        "servers": flash.servers,
    }


def asynchronous_share() -> dict[str, float]:
    found = goodput(16_384, DAY_S, 405e9, FailureModel(0.474, "src", 5.0, 300.0, 300.0))
    return {
        "interval": found.checkpoint_interval_s,
        "writing": found.checkpoint_share / found.share,
        "repeated": found.lost_work_share / found.share,
        "restarting": found.restart_share / found.share,
        "share": found.share,
    }


def rate_of_llama_3() -> dict[str, float]:
    # The page's normal approximation and the exact Poisson quantiles agree to the whole number.
    return {
        "rate": rate_per_1000_device_days(54 * DAY_S / 419, 16_384),
        "low": poisson_cover(419, 0.1),
        "high": poisson_cover(419, 0.9),
    }


def young_and_daly() -> dict[str, float]:
    mtbf = run().goodput.mtbf_s
    young, daly = young_interval_s(30.0, mtbf), daly_interval_s(30.0, mtbf)
    return {
        "mtbf": mtbf,
        "young": young,
        "daly": daly,
        "cost_young": wall_per_progress(young, 30.0, 300.0, mtbf),
        "cost_daly": wall_per_progress(daly, 30.0, 300.0, mtbf),
    }


@cache
def under_repair() -> float:
    point = goodput(512, DAY_S, 70e9, FAILURES)
    return plan_spares(point, ClusterWish(), 8, 64).under_repair


def waiting() -> dict[str, float]:
    names = ("none", "one", "two", "three")
    mean = under_repair()
    return {
        "mtbf": goodput(512, DAY_S, 70e9, FAILURES).mtbf_s,
        "repair": mean,
        **{name: waiting_share(spares, mean) for spares, name in enumerate(names)},
    }


def number_of_spares() -> dict[str, float]:
    mean = under_repair()
    saved = [1 - wall_factor(count + 1, mean) / wall_factor(count, mean) for count in range(3)]
    point = goodput(512, DAY_S, 70e9, FAILURES)
    bought = plan_spares(point, ClusterWish(), 8, 64)
    assert bought.count == max(poisson_cover(mean, 0.95), paying_spares(mean, 64))
    return {"first": saved[0], "second": saved[1], "third": saved[2], "spares": bought.servers}


COMPUTED: Final[Mapping[str, Callable[[], dict[str, float]]]] = {
    "training-data": training_data,
    "checkpoints-kept": checkpoints_kept,
    "checkpoint-write": checkpoint_write,
    "restart": restart,
    "flash-servers": flash_servers,
    "asynchronous-share": asynchronous_share,
    "rate-of-llama-3": rate_of_llama_3,
    "young-and-daly": young_and_daly,
    "waiting": waiting,
    "number-of-spares": number_of_spares,
}


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_every_line_of_an_example_is_what_its_arithmetic_gives(example: Example) -> None:
    assert wrong_lines(example) == {}


@pytest.mark.parametrize("name", COMPUTED)
def test_an_example_is_what_the_code_computes(name: str) -> None:
    assert differences(EXAMPLES[name], COMPUTED[name]()) == {}


def test_every_example_is_compared_with_the_code() -> None:
    assert sorted(EXAMPLES) == sorted(COMPUTED)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_formula_has_its_parts_and_one_example(page: Path) -> None:
    assert incomplete_formulas(page) == []


def test_what_moves_to_disks_is_what_the_page_says() -> None:
    disks = tier_of(storage(), TierKind.CAPACITY)
    assert disks.stored_bytes == pytest.approx(502e12, abs=0.5e12)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken_links(page) == []
