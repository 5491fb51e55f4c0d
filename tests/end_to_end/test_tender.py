"""A tender drawn from the shipped catalogue names no product, and the design that was sized meets it."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import SMALL, host, proposal

from suanli.domain.figure import Grade
from suanli.domain.hardware import Accelerator, Link, Server, Switch
from suanli.domain.vendor import SoftwareStack
from suanli.pipeline import build_proposal
from suanli.procurement.clauses import MANDATORY_SHARE, Mark
from suanli.procurement.market import ENOUGH_MAKERS
from suanli.project.load import load_project
from suanli.proposal.contributions import RenderJob
from suanli_reports import html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from suanli.domain.record import Text
    from suanli.proposal.model import Option, Proposal, SpecificationView

EXAMPLES = ("lora-13b", "pretrain-70b")
LANGUAGES = ("zh", "en", "bilingual")
CHAPTERS = {"specification", "evaluation", "deviation-technical", "deviation-commercial", "cover"}
BRANDS = frozenset(
    {
        "nvlink",
        "nvswitch",
        "infiniband",
        "roce",
        "hccs",
        "hccl",
        "nccl",
        "rccl",
        "xgmi",
        "cuda",
        "cann",
        "rocm",
    }
    | {"gpudirect", "mindspeed", "mindspore", "megatron", "deepspeed", "pytorch", "slurm", "kubernetes"}
    | {"lustre", "bluefield", "connectx"}
)
"""Names of links, libraries and systems that belong to one maker or one product."""
PLAIN = frozenset(
    {
        "air",
        "dies",
        "inference",
        "llm",
        "parallel",
        "switch",
        "systems",
        "unit",
        "and",
        "class",
        "cloud",
        "cluster",
        "devices",
        "full",
        "mesh",
        "link",
        "management",
        "model",
        "node",
        "nodes",
    }
    | {
        "out-of-band",
        "pcie",
        "per",
        "rack",
        "sequence",
        "server",
        "storage",
        "training",
        "with",
        "cooled",
        "liquid",
    }
)
"""Words in names of the catalogue that name nothing."""


def _texts() -> Iterator[Text]:
    catalogue = host().catalogue
    for device in catalogue.all(Accelerator):
        yield from (device.name, device.maker)
    for server in catalogue.all(Server):
        yield from (server.name, server.maker)
    yield from (switch.name for switch in catalogue.all(Switch))
    yield from (link.name for link in catalogue.all(Link))
    yield from (stack.name for stack in catalogue.all(SoftwareStack))


@cache
def _names() -> frozenset[str]:
    """Return the words that name a maker, a product or a series, in both languages and lower case."""
    aliases = [alias for device in host().catalogue.all(Accelerator) for alias in device.aliases]
    vendors = [device.vendor for device in host().catalogue.all(Accelerator)]
    spelled = [word for text in _texts() for word in (text.zh, text.en)]
    words = {word for name in (*spelled, *aliases, *vendors) for word in _words(name)}
    return frozenset(words - PLAIN | BRANDS)


def _words(text: str) -> set[str]:
    """Return Latin words that are three signs long at least and are no mere figure with a unit."""
    latin = re.findall(r"[a-z0-9][a-z0-9.\-]{2,}", text.lower())
    return {word for word in latin if re.search("[a-z]{2}|[a-z][0-9]{2}|[0-9]{2}[a-z]", word)}


@cache
def _han_names() -> frozenset[str]:
    """Return the Han words that names begin with: makers and series."""
    begins = (re.match(r"[\u4e00-\u9fff]{2,}", text.zh) for text in _texts())
    return frozenset(found.group() for found in begins if found)


def _tender(example: str, track: str) -> Proposal:
    return proposal(example, "project.type=tender-requirement", f"project.track={track}")


def _chapters(made: Proposal, language: str) -> dict[str, str]:
    """Return the text of the cover and of every chapter and annex, by id."""
    document = html.render(RenderJob(proposal=made, language=language)).decode()
    found = dict(
        re.findall(r'<section class="chapter[^"]*" id="([^"]+)">(.*?)</section>', document, re.DOTALL)
    )
    cover = document[document.index('<div class="cover"') : document.index('<section class="chapter')]
    return {name: re.sub(r"<[^>]*>", " ", body) for name, body in (found | {"cover": cover}).items()}


def _named(text: str) -> set[str]:
    return {word for word in _words(text) if word in _names()} | {
        name for name in _han_names() if name in text
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("example", "track"), [("lora-13b", "international"), ("pretrain-70b", "government")]
)
def test_a_tender_names_no_maker_product_series_link_or_framework(
    example: str, track: str, language: str
) -> None:
    chapters = _chapters(_tender(example, track), language)
    assert set(chapters) > CHAPTERS
    assert {name: found for name, text in chapters.items() if (found := _named(text))} == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("每台服务器 8 张昇腾卡", "昇腾"),
        ("at least 8 H100 accelerators", "h100"),
        ("links of InfiniBand class", "infiniband"),
        ("runs CUDA programs", "cuda"),
        ("支持 MI300X 或同等", "mi300x"),
        ("a Huawei device", "huawei"),
    ],
)
def test_a_name_that_slips_into_a_clause_is_found(text: str, name: str) -> None:
    assert name in _named(text)


def test_a_bid_does_name_what_it_offers() -> None:
    bid = proposal("lora-13b", "project.type=vendor-bid")
    text = _chapters(bid, "zh")["deviation-technical"]
    assert bid.subject is not None
    assert bid.subject.accelerator_name.zh in text
    assert "华为" in text


def _subject(made: Proposal) -> tuple[Option, SpecificationView]:
    assert made.subject is not None
    assert made.specification is not None
    return made.subject, made.specification


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_mandatory_clause_has_value_unit_condition_verification_and_a_figure_that_is_no_guess(
    example: str,
) -> None:
    made = proposal(example)
    option, specification = _subject(made)
    strict = [clause for clause in specification.clauses if clause.mark is Mark.MANDATORY]
    assert 0 < len(strict) <= MANDATORY_SHARE * len(specification.clauses)
    text = _chapters(_tender(example, "enterprise"), "zh")["specification"]
    for clause in strict:
        assert clause.threshold is not None
        assert clause.threshold.unit
        assert clause.threshold.value > 0
        assert clause.basis is None or clause.basis.grade not in {Grade.WEAK, Grade.SIBLING}
        # Sourced: drawn from the sizing or the storage plan, or given by the project.
        assert clause.basis is not None or option.power is not None
        assert clause.number in text
        assert clause.key in {"delivered-rate", "device-memory", "capacity", "local-capacity", "rack-power"}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_design_that_was_sized_meets_every_clause_that_states_what_it_has(example: str) -> None:
    _, specification = _subject(proposal(example))
    for clause in specification.clauses:
        if clause.threshold is None or clause.offered is None:
            continue
        assert clause.offered.unit == clause.threshold.unit
        have, asked = clause.offered.value, clause.threshold.value
        assert have <= asked if clause.at_most else have >= asked, clause.key


@pytest.mark.parametrize("example", EXAMPLES)
def test_memory_that_voids_a_bid_is_what_the_job_needs_not_what_the_product_has(example: str) -> None:
    option, specification = _subject(proposal(example))
    (memory,) = [clause for clause in specification.clauses if clause.key == "device-memory"]
    assert memory.threshold is not None
    assert option.memory_total is not None
    assert memory.threshold.value <= option.memory_total.value


@pytest.mark.parametrize("example", EXAMPLES)
def test_rate_and_effective_time_together_meet_the_deadline_and_no_more_than_a_percent_above(
    example: str,
) -> None:
    made = proposal(example)
    option, specification = _subject(made)
    asked = {clause.key: clause.threshold for clause in specification.clauses}
    rate, share = asked["delivered-rate"], asked["effective-time"]
    job = made.requirement.workload
    assert rate is not None
    assert share is not None
    assert job.deadline_s is not None
    assert job.tokens is not None
    needed = Decimal(job.tokens) / Decimal(job.deadline_s)
    assert needed <= rate.value * share.value <= needed * Decimal("1.011")
    assert option.tokens_per_s_per_accelerator is not None
    assert option.accelerators is not None
    assert option.tokens_per_s_per_accelerator.value * option.accelerators >= rate.value


def test_a_tender_that_few_makers_can_deliver_to_says_so() -> None:
    """Two of three makers need an export licence for the site: the thresholds are open on paper only."""
    _, specification = _subject(proposal("pretrain-70b"))
    market = specification.market
    assert market.deliverable < ENOUGH_MAKERS <= market.makers
    assert market.exclusive
    for language, words in (("zh", "可能构成排他性条款"), ("en", "Potentially exclusive")):
        assert words in _chapters(_tender("pretrain-70b", "enterprise"), language)["specification"]


def test_the_cooling_asked_for_is_the_halls_not_the_products() -> None:
    made = proposal("pretrain-70b")
    option, specification = _subject(made)
    assert option.power is not None
    assert option.power.cooling != made.requirement.site.cooling
    assert f"cooling-{made.requirement.site.cooling}" in {clause.key for clause in specification.clauses}


def test_a_rack_limit_that_the_tool_assumed_voids_no_bid(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    for settings, mark in (((), Mark.GENERAL), (("site.rack_power=20 kW",), Mark.MANDATORY)):
        _, specification = _subject(build_proposal(load_project(path, settings), host()))
        (rack,) = [clause for clause in specification.clauses if clause.key == "rack-power"]
        assert rack.mark is mark


@pytest.mark.parametrize("example", EXAMPLES)
def test_functions_are_passed_or_failed_and_carry_no_points(example: str) -> None:
    _, specification = _subject(proposal(example))
    functions = [clause for clause in specification.clauses if clause.threshold is None]
    assert functions
    assert {clause.mark for clause in functions} == {Mark.GENERAL}
    text = _chapters(_tender(example, "enterprise"), "en")
    assert "P/F requirements are not scored" in text["evaluation"]
    assert text["specification"].count("P/F") >= len(functions)
