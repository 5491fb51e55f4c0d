"""The software of an option as it is shown, and what the reader is warned of."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from tests.factories import catalogue
from tests.launching import DENSE, feature_matrix, posed

from suanli.domain.figure import Check, Source
from suanli.domain.record import Text
from suanli.domain.software import Launcher, StackFeature, StackFeatures, Support
from suanli.domain.vendor import SoftwareVersions
from suanli.planning.software.plan import plan_software
from suanli.planning.software.results import SoftwarePlan, Status
from suanli.proposal.model.software import VersionOf
from suanli.proposal.references import References
from suanli.proposal.software_notices import software_notices
from suanli.proposal.software_view import software_view

DOCUMENT = Source(
    id="src", title="User guide", publisher="Acme", published="2026-08-01", retrieved=date(2026, 12, 1)
)
PLATFORM = SoftwareVersions(
    id="acme-software",
    name=Text(zh="平台", en="Platform"),
    vendor="nvidia",
    versions={"cuda": "13.0", "matrix CANN 9.1.0": "torch_npu 26.1.0"},
    version_source={"cuda": "src"},
)


def planned(matrix: StackFeatures | None) -> tuple[SoftwarePlan, References]:
    known = catalogue(DOCUMENT, PLATFORM, *([] if matrix is None else [matrix]))
    return plan_software(*posed(DENSE), known), References(known)


def test_a_needed_feature_is_shown_with_its_value_condition_day_and_source() -> None:
    matrix = feature_matrix(Launcher.MEGATRON_LM)
    support = Support(
        supported=True,
        since="v0.5",
        constraint=Text(zh="条件", en="condition"),
        source="src",
        check=Check.DIRECT,
        as_of=date(2026, 7, 1),
    )
    matrix = matrix.model_copy(update={"features": {StackFeature.TENSOR_PARALLEL: support}})
    view = software_view(*planned(matrix))
    rows = {row.feature: row for row in view.features}

    row = rows[StackFeature.TENSOR_PARALLEL]
    assert row.name == Text(zh="张量并行", en="Tensor parallelism")
    assert (row.dimension, row.value, row.status, row.since) == ("tp", 8, Status.SUPPORTED, "v0.5")
    assert (row.as_of, row.refs) == (date(2026, 7, 1), ("S1",))
    assert rows[StackFeature.PIPELINE_PARALLEL].status is Status.UNKNOWN
    assert rows[StackFeature.PIPELINE_PARALLEL].as_of is None
    assert view.unknown == len(view.features) - 1


def test_versions_name_framework_and_platform_with_the_day_of_their_documents() -> None:
    matrix = feature_matrix().model_copy(update={"requires": {"PyTorch": ">= 2.6.0"}})
    rows = [
        (row.of, row.component.en, row.version, row.dated) for row in software_view(*planned(matrix)).versions
    ]

    assert rows == [
        (VersionOf.FRAMEWORK, "Framework", "v1", "2026-08-01"),
        (VersionOf.FRAMEWORK, "PyTorch", ">= 2.6.0", "2026-08-01"),
        (VersionOf.PLATFORM, "CUDA", "13.0", "2026-08-01"),
        # The record does not say where this one was read.
        (VersionOf.PLATFORM, "CANN 9.1.0", "torch_npu 26.1.0", ""),
    ]


def test_the_launch_carries_its_files_and_open_names() -> None:
    view = software_view(*planned(feature_matrix(Launcher.DEEPSPEED)))

    assert view.launch is not None
    assert [one.name for one in view.launch.files] == ["launch.sh", "ds_config.json"]
    assert "training-script" in view.launch.placeholders
    assert view.launch.refs == ("S1",)


def test_without_a_matrix_the_reader_is_told_that_nothing_is_confirmed() -> None:
    plan, references = planned(None)
    view = software_view(plan, references)
    (notice,) = software_notices("A", plan)

    assert (view.framework, view.launch, view.refused) == (None, None, False)
    assert view.unknown == len(view.features)
    assert "no feature list" in notice.en


def test_a_refused_layout_is_named_with_what_refuses_it() -> None:
    tp, zero, pp = StackFeature.TENSOR_PARALLEL, StackFeature.ZERO_1, StackFeature.PIPELINE_PARALLEL
    every = dict.fromkeys(StackFeature, True) | {tp: False}
    matrix = feature_matrix(Launcher.MEGATRON_LM, every, exclusions=((zero, pp),))
    plan = plan_software(*posed(replace(DENSE, micro_batches=30)), catalogue(matrix))
    (notice,) = software_notices("B", plan)
    view = software_view(plan, References(catalogue(matrix)))

    assert (
        "not met: Tensor parallelism; Sharded optimizer states (ZeRO-1) beside Pipeline parallelism; Under "
        "an interleaved pipeline the stages divide the micro-batches)"
    ) in notice.en
    assert "未满足：张量并行；优化器状态分片（ZeRO-1）与流水线并行同用；" in notice.zh
    assert notice.zh.startswith("方案 B，")
    assert (view.refused, view.unsupported, view.broken, view.unknown) == (True, 2, 1, 0)


def test_a_confirmed_layout_is_not_warned_of() -> None:
    matrix = feature_matrix(Launcher.MEGATRON_LM, dict.fromkeys(StackFeature, True))

    assert list(software_notices("A", plan_software(*posed(DENSE), catalogue(matrix)))) == []
    assert list(software_notices("A", None)) == []
