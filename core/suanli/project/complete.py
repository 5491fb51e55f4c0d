"""A project file completed to a requirement: every choice made, and every choice that was made listed.

Scenario plugins call `complete_project` with their defaults; what they need beyond it they do to the
requirement that it returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.regions import country
from suanli.domain.workload import Requirement
from suanli.errors import InputError
from suanli.project.completion.commerce import complete_commercial, complete_info
from suanli.project.completion.devices import complete_claims, complete_measured, complete_vendors
from suanli.project.completion.draft import Draft, ScenarioDefaults
from suanli.project.completion.edits import complete_edits
from suanli.project.completion.layouts import complete_cluster, complete_pins
from suanli.project.completion.models import complete_model
from suanli.project.completion.sites import complete_site
from suanli.project.completion.storage import complete_reliability, complete_storage
from suanli.project.completion.workloads import (
    advise,
    complete_objective,
    complete_unknown,
    complete_workload,
)
from suanli.project.writing import requirement_yaml

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.project.schema import Project

__all__ = ["ScenarioDefaults", "complete_project", "requirement_yaml"]


def complete_project(project: Project, catalogue: Catalogue, defaults: ScenarioDefaults) -> Requirement:
    """Return the requirement that a project file and a scenario's defaults make.

    Raises:
        InputError: the file contradicts itself, the scenario or the catalogue; all faults at once.
    """
    draft = Draft(project, catalogue)
    info = complete_info(draft)
    model = complete_model(draft)
    unknown = complete_unknown(draft)
    objective = complete_objective(draft)
    site = complete_site(draft)
    region = site.region if site else project.file.site.region or ""
    vendors = complete_vendors(draft, country(region))
    claims = complete_claims(draft)
    if model is None or site is None or unknown is None:
        raise InputError(draft.faults)
    workload = complete_workload(draft, defaults, model)
    pins = complete_pins(draft, model.architecture, workload)
    cluster = complete_cluster(draft, pins)
    storage, reliability = complete_storage(draft), complete_reliability(draft)
    commercial = complete_commercial(draft, region, site.electricity)
    measured = complete_measured(draft, model, workload)
    edits = complete_edits(draft)
    if draft.faults:
        raise InputError(draft.faults)
    advise(draft, defaults, model, workload)
    return Requirement(
        project=info,
        scenario=project.scenario,
        model=model,
        workload=workload,
        solve_for=unknown,
        objective=objective,
        pins=pins,
        cluster=cluster,
        site=site,
        vendors=vendors,
        commercial=commercial,
        measured=measured,
        claims=claims,
        assumptions=tuple(sorted(draft.assumptions, key=lambda assumption: assumption.key)),
        notices=tuple(draft.notices),
        storage=storage,
        reliability=reliability,
        edits=edits,
    )
