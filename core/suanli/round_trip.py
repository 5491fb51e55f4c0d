"""The way back: a cost sheet that somebody edited becomes a changed project.

An edited input that is a key of the project file is set there, as ``--set`` would; any other one becomes a
figure changed by hand, in the project's section ``edits``. What is computed afterwards depends on the changed
project alone, so that proposing the written project file again gives the same figures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from suanli.costing.edits import EDITED_SOURCE, scoped
from suanli.costing.project_keys import project_key, spelled
from suanli.errors import Fault, InputError, WrittenForAnother
from suanli.pipeline import EditedSheet, build_proposal, complete
from suanli.proposal.contributions import RenderJob
from suanli.proposal.edits_view import ProjectChange
from suanli.theming import theme_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from suanli.costing.ledger import Input
    from suanli.domain.record import Text
    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.proposal.contributions import CellEdit, ReadBack
    from suanli.proposal.model import Proposal

__all__ = ["Changed", "Errand", "SheetChange", "apply_sheet"]


@dataclass(frozen=True, slots=True)
class Errand:
    """A project and the edited cost sheet that is to change it."""

    load: Callable[[Sequence[str]], Project]
    """Loads the project with settings ``KEY=VALUE``."""
    settings: tuple[str, ...]
    """Those of the command line."""
    sheet: Path
    look: tuple[str, ...] = ()
    """Those of them that choose the theme, which the sheet was written with whatever the others were."""


@dataclass(frozen=True, slots=True)
class SheetChange:
    """One edited cell, for the reader of the terminal."""

    place: str
    entry: Input
    """The input as the project file gives it."""
    value: Decimal


@dataclass(frozen=True, slots=True)
class Changed:
    """A project with the edits of a cost sheet in it."""

    project: Project
    changes: tuple[SheetChange, ...]
    """In the order of the ledger; empty where nothing that counts was changed."""
    kept: tuple[Text, ...]
    """Names of what stays as the sheet shows it although a default of the program would have moved."""
    ignored: tuple[Text, ...]
    """What was changed in the sheet without effect."""
    language: str
    sheet: EditedSheet | None
    """None where nothing that counts was changed."""


@dataclass(frozen=True, slots=True)
class _Base:
    """The project that a sheet was written for, and what the sheet says."""

    proposal: Proposal
    settings: tuple[str, ...]
    found: ReadBack

    @property
    def inputs(self) -> Mapping[str, Input]:
        return {entry.id: entry for entry in self.proposal.ledger.inputs}


@dataclass(frozen=True, slots=True)
class _Setting:
    """A key of the project that an edited cell sets."""

    edit: CellEdit
    key: str
    text: str


def apply_sheet(errand: Errand, host: Host, progress: Callable[[str], None] = lambda _: None) -> Changed:
    """Return a project changed as a cost sheet says.

    The sheet may have been written with the settings of this run or without any. In the first case an edit
    wins over a setting of the same key, because it was made after; in the second the two are a conflict.

    Args:
        errand: the project, the settings and the sheet.
        host: plugins and catalogue.
        progress: told the name of each stage.

    Raises:
        InputError: the file or a value in it cannot be used; every fault at once.
    """
    content = _bytes(errand.sheet)
    base = _base(errand, content, host, progress)
    found, name = base.found, errand.sheet.name
    if not found.edits:
        return Changed(errand.load(errand.settings), (), (), found.ignored, found.language, None)
    inputs = base.inputs
    keyed = [(edit, project_key(inputs[edit.entry], base.proposal.requirement)) for edit in found.edits]
    set_here = [_Setting(edit, key, spelled(inputs[edit.entry], edit.value)) for edit, key in keyed if key]
    by_hand = [edit for edit, key in keyed if key is None]
    _refuse_conflicts(set_here, [one for one in errand.settings if one not in base.settings])
    set_here += _rest_of_milestones(set_here, base)
    project, kept = _changed_project(errand, set_here, _section(by_hand, base), base, host)
    changes = [ProjectChange(edit.entry, key, inputs[edit.entry].value) for edit, key in keyed if key]
    return Changed(
        project=project,
        changes=tuple(SheetChange(edit.place, inputs[edit.entry], edit.value) for edit in found.edits),
        kept=kept,
        ignored=found.ignored,
        language=found.language,
        sheet=EditedSheet(name, content, tuple(changes)),
    )


def _changed_project(
    errand: Errand, edits: Sequence[_Setting], section: Sequence[str], base: _Base, host: Host
) -> tuple[Project, tuple[Text, ...]]:
    """Return the changed project, and the names of what was kept in it against a default that would move."""
    settings = [
        *errand.settings,
        *(f"{one.key}={one.text}" for one in edits),
        *_sources(edits, base),
        *section,
    ]
    project = _loaded(errand, settings, edits, host)
    kept = _moved_defaults(project, edits, base, host)
    if kept:
        pinned = [f"{key}={spelled(entry, entry.value)}" for key, entry in kept]
        project = _loaded(errand, [*settings, *pinned], edits, host)
    return project, tuple(entry.label for _, entry in kept)


def _sources(edits: Sequence[_Setting], base: _Base) -> list[str]:
    """Return settings that give edited exchange rates the day of the sheet, and the sheet as their source.

    A rate without a source keeps none. No rate may be later than the document, so that one of a sheet that
    was saved after the document's date has the document's date.
    """
    day = min(_saved(base), base.proposal.requirement.project.day).isoformat()
    rates = base.proposal.requirement.commercial.exchange_rates
    edited = [
        (number, rate)
        for number, rate in enumerate(rates)
        if any(one.key == f"commercial.fx.{number}.rate" for one in edits)
    ]
    dated = [f"commercial.fx.{number}.date={day}" for number, _ in edited]
    return dated + [
        f"commercial.fx.{number}.source={EDITED_SOURCE}" for number, rate in edited if rate.source
    ]


def _saved(base: _Base) -> date:
    """Return the day on which the sheet was saved; that of the document where the file does not say."""
    return base.found.saved or base.proposal.requirement.project.day


def _bytes(sheet: Path) -> bytes:
    if not sheet.is_file():
        raise InputError(Fault("is no file", where=str(sheet), key="--inputs"))
    return sheet.read_bytes()


def _reader(sheet: Path, host: Host) -> Callable[[RenderJob, bytes, str], ReadBack]:
    """Return what reads such files: of the renderer with the file's suffix, else the first that reads any.

    Raises:
        InputError: no renderer reads anything back.
    """
    readers = {one.suffix: one.read for one in host.renderers.values() if one.read is not None}
    if not readers:
        raise InputError(Fault("no renderer can read a file back", where=str(sheet), key="--inputs"))
    return readers.get(sheet.suffix.lower(), next(iter(readers.values())))


def _base(errand: Errand, content: bytes, host: Host, progress: Callable[[str], None]) -> _Base:
    """Return what the sheet says, held against the project with the settings, else without them."""
    read, name = _reader(errand.sheet, host), errand.sheet.name
    refused: list[WrittenForAnother] = []
    for settings in dict.fromkeys((errand.settings, errand.look)):
        project = errand.load(settings)
        theme = theme_folder(project, host)
        proposal = build_proposal(project, host, progress)
        job = RenderJob(proposal, proposal.project.languages[0], theme, host.sections)
        try:
            return _Base(proposal, settings, read(job, content, name))
        except WrittenForAnother as error:
            refused.append(error)
    raise refused[0]


def _refuse_conflicts(edits: Iterable[_Setting], settings: Sequence[str]) -> None:
    """Refuse a key that both the command line and a sheet which was written without it set differently."""
    stated = dict(setting.split("=", 1) for setting in settings if "=" in setting)
    faults = [
        Fault(
            f"sets {one.key} to {one.text}, --set sets it to {stated[one.key]}",
            where=one.edit.place,
            key=one.key,
            cure="leave one of them out",
        )
        for one in edits
        if one.key in stated and stated[one.key].strip() != one.text
    ]
    if faults:
        raise InputError(faults)


def _rest_of_milestones(edits: Sequence[_Setting], base: _Base) -> list[_Setting]:
    """Return the last milestone's share, which is what the others leave.

    Raises:
        InputError: they leave less than nothing.
    """
    milestones = base.proposal.requirement.commercial.milestones
    changed = [one for one in edits if one.key.startswith("commercial.milestones.")]
    if not changed:
        return []
    shares = {
        f"commercial.milestones.{number}.share": one.share for number, one in enumerate(milestones[:-1])
    }
    shares |= {one.key: one.edit.value for one in changed}
    rest = 1 - sum(shares.values(), Decimal(0))
    if rest < 0:
        raise InputError(
            [
                Fault(
                    f"{one.edit.value:%} makes the shares of the payments more than 100%",
                    where=one.edit.place,
                    key=one.key,
                    cure="lower a share: the last payment takes what the others leave",
                )
                for one in changed
            ]
        )
    last = f"commercial.milestones.{len(milestones) - 1}.share"
    return [_Setting(changed[0].edit, last, f"{(rest * 100).normalize():f}%")]


def _section(by_hand: Sequence[CellEdit], base: _Base) -> list[str]:
    """Return the setting of the section ``edits``: those of the project, and the new ones in their place."""
    if not by_hand:
        return []
    day = _saved(base)
    devices = {option.key: option.accelerator for option in base.proposal.options}
    rows = {
        (edit.input, edit.accelerator): (edit.value, edit.day) for edit in base.proposal.requirement.edits
    }
    rows |= {scoped(edit.entry, devices): (edit.value, day) for edit in by_hand}
    section = [
        {"input": name, "value": f"{value:f}", "date": when.isoformat()}
        | ({"accelerator": device} if device else {})
        for (name, device), (value, when) in sorted(rows.items())
    ]
    return [f"edits={json.dumps(section, ensure_ascii=False)}"]


def _loaded(errand: Errand, settings: Sequence[str], edits: Sequence[_Setting], host: Host) -> Project:
    """Return the changed project, checked whole; a fault of an edited key names its cell.

    Raises:
        InputError: the project file does not take a value.
    """
    try:
        project = errand.load(settings)
        complete(project, host)
    except InputError as error:
        raise InputError([_placed(fault, edits) for fault in error.faults]) from None
    return project


def _placed(fault: Fault, edits: Sequence[_Setting]) -> Fault:
    """Return a fault with the cells that set its key, or keys below it, in place of the settings."""
    places = [
        one.edit.place
        for one in edits
        if one.key == fault.key or (fault.key and one.key.startswith(f"{fault.key}."))
    ]
    # Faults of the whole section, such as shares that do not add up, carry the key of the section.
    return replace(fault, where=", ".join(dict.fromkeys(places))) if places else fault


def _moved_defaults(
    project: Project, edits: Sequence[_Setting], base: _Base, host: Host
) -> list[tuple[str, Input]]:
    """Return keys that the sheet shows and nobody edited, but whose default would follow an edited one.

    The resale share is one: it is chosen by the horizon. Whoever edits a sheet sees all of it, so that what
    stays there stays.
    """
    given = {one.key for one in edits}
    after = complete(project, host)
    moved = {item.key: item.value for item in after.assumptions}
    before = {item.key: item.value for item in base.proposal.requirement.assumptions}
    keys = {key: entry for entry in base.inputs.values() if (key := project_key(entry, after)) is not None}
    return [
        (key, entry)
        for key, entry in keys.items()
        if key not in given and key in before and key in moved and moved[key] != before[key]
    ]
