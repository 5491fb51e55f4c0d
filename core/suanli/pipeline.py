"""The pipeline, whole: from a project file to the documents.

requirement → model profile (parameters, FLOPs) → memory, network, time (the sizing of every device) →
cluster plan → ledger → energy, carbon → proposal → renderers. Infeasible is a result that goes through to
the document.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from suanli.claiming import audit_claims
from suanli.costing.build import build_ledger
from suanli.costing.edits import unedited_plan
from suanli.costing.spreads import spread_assumptions
from suanli.domain.record import Text
from suanli.domain.workload import ProposalType
from suanli.errors import InputError, SuanliError
from suanli.estimation.flops import model_profile
from suanli.expanding import with_expansion
from suanli.files import make_folder, path_from, write_atomic
from suanli.manifest import Written, manifest
from suanli.planning.defaults import planning_assumptions
from suanli.prices.overlay import Quoted, check_convertible, quote_paths, read_quotes
from suanli.project.writing import requirement_yaml
from suanli.proposal.build import Decided, assemble
from suanli.proposal.contributions import Attachment, RenderJob
from suanli.rendering import Task, render_all
from suanli.stages import choose, failures_of, plan_all, size_all
from suanli.theming import check_theme, theme_folder, with_written_theme

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from suanli.costing.ledger import Ledger
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement
    from suanli.errors import Fault
    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.proposal.contributions import Renderer
    from suanli.proposal.edits_view import ProjectChange
    from suanli.proposal.model import Proposal
    from suanli.stages import Choice

__all__ = ["EditedSheet", "Order", "build_proposal", "complete", "complete_quoted", "decide", "propose"]

Progress = Callable[[str], None]

_USED = Text(zh="实际使用的项目文件", en="Project file as used")


def complete(project: Project, host: Host) -> Requirement:
    """Return the requirement that the project's scenario makes of it.

    Raises:
        InputError: the scenario is unknown, or the project contradicts itself.
        PluginError: the plugin that has the scenario failed.
    """
    try:
        scenario = host.scenario(project.scenario)
    except SuanliError as error:
        place = project.origin.place("scenario")
        raise type(error)([replace(fault, where=place) for fault in error.faults]) from None
    return scenario.complete(project, host.catalogue)


def build_proposal(
    project: Project,
    host: Host,
    progress: Progress = lambda _: None,
    changes: tuple[ProjectChange, ...] = (),
) -> Proposal:
    """Return the proposal of a project.

    Args:
        project: the loaded project file.
        host: plugins and catalogue.
        progress: told the name of each stage and device as it starts.
        changes: keys of the project that a cost sheet changed, for the documents to say so.
    """
    decided = replace(decide(project, host, progress), changes=changes)
    return assemble(decided, decided.catalogue)


def complete_quoted(project: Project, host: Host) -> tuple[Requirement, Quoted]:
    """Return the requirement of a project, and the catalogue with the prices of its quotations.

    Raises:
        InputError: the project or a quotation is wrong; the faults of both together.
        PluginError: the plugin that has the scenario failed.
    """
    faults: list[Fault] = []
    quoted = Quoted(host.catalogue)
    try:
        quoted = read_quotes(project, host.catalogue)
    except InputError as error:
        faults += error.faults
    try:
        requirement = complete(project, replace(host, catalogue=quoted.catalogue))
    except InputError as error:
        raise InputError([*error.faults, *faults]) from None
    faults += check_convertible(quoted, requirement.commercial)
    if faults:
        raise InputError(faults)
    return requirement, quoted


def decide(project: Project, host: Host, progress: Progress = lambda _: None) -> Decided:
    """Return everything that is worked out of a project, before it is rounded for a proposal.

    Args:
        project: the loaded project file.
        host: plugins and catalogue.
        progress: told the name of each stage and device as it starts.
    """
    requirement, quoted = complete_quoted(project, host)
    catalogue = quoted.catalogue
    profile = model_profile(requirement.model.architecture, requirement.workload)
    progress("sizing")
    sized, failed = size_all(requirement, catalogue, progress)
    progress("planning")
    plans = plan_all(sized, requirement, catalogue, host.cost_lines)
    progress("costing")
    choice = choose(plans, requirement, catalogue)
    progress("expansion")
    grown = with_expansion(choice, requirement, catalogue)
    tokens = requirement.workload.tokens or next((sizing.tokens for sizing in sized), None)
    claims = audit_claims(requirement, profile, tokens, catalogue)
    progress("proposal")
    return Decided(
        requirement=requirement,
        profile=profile,
        plans=grown,
        verdicts=choice.verdicts,
        failed=failed,
        ledger=choice.ledger,
        claims=claims,
        assumptions=(*requirement.assumptions, *planning_assumptions(), *spread_assumptions()),
        notices=(*requirement.notices, *quoted.notices, *host.notices),
        catalogue=catalogue,
        failures=failures_of(catalogue, requirement),
        unedited=_unedited(choice, requirement, catalogue),
    )


def _unedited(choice: Choice, requirement: Requirement, catalogue: Catalogue) -> Ledger | None:
    """Return the ledger without the figures that were changed by hand, to show beside them."""
    if not requirement.edits:
        return None
    plans = [(key, unedited_plan(plan)) for key, plan in choice.plans.items()]
    return build_ledger(plans, replace(requirement, edits=()), catalogue)


@dataclass(frozen=True, slots=True)
class EditedSheet:
    """A cost sheet that was read back."""

    name: str
    content: bytes
    changes: tuple[ProjectChange, ...]
    """Keys of the project that it changed."""


@dataclass(frozen=True, slots=True)
class Order:
    """What `propose` is asked to write."""

    out: Path
    languages: tuple[str, ...] = ()
    """Empty: the project's."""
    formats: tuple[str, ...] = ()
    """Empty: every renderer that is on by default."""
    edited: EditedSheet | None = None
    """The cost sheet that the project was changed by."""


def propose(
    project: Project, host: Host, order: Order, progress: Progress = lambda _: None
) -> tuple[Proposal, tuple[Path, ...]]:
    """Write every file of a proposal and return it with the paths.

    Everything is rendered before anything is written, and each file appears whole or not at all.

    Raises:
        InputError: the project or the order is wrong; nothing was written.
        RenderError: the environment cannot render; nothing was written.
    """
    renderers = _renderers(order, host)
    theme = theme_folder(project, host)
    check_theme(project, host, theme, renderers)
    changes = order.edited.changes if order.edited else ()
    proposal = build_proposal(project, host, progress, changes)
    renderers = _sealed(renderers, proposal.project.type)
    languages = order.languages or proposal.project.languages
    tasks = [
        Task(renderer, RenderJob(proposal, language, theme, host.sections), renderer in renderers)
        for renderer in (*renderers, *_carried(renderers, host))
        for language in (languages if renderer.per_language else ("",))
    ]
    written = _moved(with_written_theme(proposal.requirement, project, order.out), project, order.out)
    used = Attachment(
        "project", "project.yaml", requirement_yaml(project, written).encode(), _USED, source=True
    )
    rendered = render_all(tasks, progress, given=(used,))
    contents = rendered.files | {used.name: used.content}
    contents["manifest.json"] = manifest(Written(contents, rendered.attached, _inputs(order)), project, host)
    return proposal, write_all(order.out, contents)


def _sealed(renderers: tuple[Renderer, ...], kind: ProposalType) -> tuple[Renderer, ...]:
    """Return renderers that carry nothing where the document leaves the house.

    Cost sheet, data and project file name every option, its prices and what was weighed; a buyer's
    requirement and a bid must not carry them.
    """
    if kind is ProposalType.INTERNAL_APPROVAL:
        return renderers
    return tuple(replace(one, attaches=()) for one in renderers)


def _moved(requirement: Requirement, project: Project, out: Path) -> Requirement:
    """Return the requirement with its files of quotations named from the folder that it is written into."""
    paths = quote_paths(project)
    quotes = tuple(path_from(out, paths[name]) for name in requirement.commercial.quotes)
    return replace(requirement, commercial=replace(requirement.commercial, quotes=quotes))


def _carried(renderers: Sequence[Renderer], host: Host) -> tuple[Renderer, ...]:
    """Return the renderers of formats that nobody asked for and that others carry."""
    ids = dict.fromkeys(name for renderer in renderers for name in renderer.attaches)
    found = (host.renderers[name] for name in ids if name in host.renderers)
    return tuple(renderer for renderer in found if renderer not in renderers)


def _inputs(order: Order) -> dict[str, bytes]:
    """Return what was read beside the project file."""
    return {order.edited.name: order.edited.content} if order.edited else {}


def _renderers(order: Order, host: Host) -> tuple[Renderer, ...]:
    if not order.formats:
        return tuple(renderer for renderer in host.renderers.values() if renderer.default)
    return tuple(host.renderer(name) for name in order.formats)


def write_all(out: Path, contents: dict[str, bytes]) -> tuple[Path, ...]:
    """Write files into a folder that is made if need be, the manifest last."""
    created = not out.exists()
    try:
        make_folder(out)
        return tuple(write_atomic(out / name, content) for name, content in contents.items())
    except (OSError, SuanliError):
        if created:
            shutil.rmtree(out, ignore_errors=True)
        raise
