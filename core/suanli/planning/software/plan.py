"""The software of an option: needed features, rules of the launcher, launch arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from suanli.domain.software import Launcher
from suanli.domain.vendor import SoftwareVersions
from suanli.planning.software.job import launch_job
from suanli.planning.software.launch_accelerate import accelerate_launch
from suanli.planning.software.launch_deepspeed import deepspeed_launch
from suanli.planning.software.launch_megatron import megatron_launch
from suanli.planning.software.launch_mindspeed import mindspeed_launch
from suanli.planning.software.launch_primus import primus_launch
from suanli.planning.software.launch_torchtitan import torchtitan_launch
from suanli.planning.software.needs import needed_features
from suanli.planning.software.results import SoftwarePlan
from suanli.planning.software.structure import structural_rules
from suanli.planning.software.support import conflicts, judge, matrix_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.domain.catalogue import Catalogue
    from suanli.domain.software import StackFeatures
    from suanli.domain.workload import Requirement
    from suanli.estimation.results import Sizing
    from suanli.planning.software.job import LaunchJob
    from suanli.planning.software.results import Launch

__all__ = ["launch", "plan_software"]

_LAUNCHERS: Final[dict[Launcher, Callable[[LaunchJob, StackFeatures], Launch | None]]] = {
    Launcher.MEGATRON_LM: megatron_launch,
    Launcher.MINDSPEED_LLM: mindspeed_launch,
    Launcher.PRIMUS: primus_launch,
    Launcher.DEEPSPEED: deepspeed_launch,
    Launcher.ACCELERATE: accelerate_launch,
    Launcher.TORCHTITAN: torchtitan_launch,
}


def plan_software(sizing: Sizing, requirement: Requirement, catalogue: Catalogue) -> SoftwarePlan:
    """Return what an option asks of its framework, whether that is there, and how it is launched.

    Args:
        sizing: the feasible cluster, whose stack and layout are judged.
        requirement: the project: model and kind of training.
        catalogue: feature matrices and versions.
    """
    matrix = matrix_of(sizing.device.stack, catalogue)
    needs = needed_features(sizing, requirement.workload.task, requirement.model.architecture)
    job = launch_job(sizing, requirement)
    vendor = sizing.device.accelerator.vendor
    return SoftwarePlan(
        matrix=matrix,
        versions=tuple(one for one in catalogue.all(SoftwareVersions) if one.vendor == vendor),
        findings=judge(needs, matrix),
        conflicts=conflicts(needs, matrix),
        rules=() if matrix is None else structural_rules(job, matrix.launcher, matrix.source),
        launch=launch(job, matrix),
    )


def launch(job: LaunchJob, matrix: StackFeatures | None) -> Launch | None:
    """Return a job as arguments of its framework, or None where they have not been mapped for it."""
    if matrix is None or matrix.launcher is None:
        return None
    found = _LAUNCHERS[matrix.launcher](job, matrix)
    if found is None or job.layout.loss_chunks == 1:
        return found
    return replace(found, notes=(*found.notes, "chunked-loss"))
