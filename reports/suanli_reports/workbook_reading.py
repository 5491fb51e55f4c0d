"""Reads an edited cost sheet back: the mirror of writing it.

The workbook of the unedited proposal is written once more, in the language of the file, and the two are held
against each other cell by cell. A changed input is an edit; a changed formula, a missing sheet or a row that
pushes others down is refused, because what the reader saw would not be what the ledger computes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from suanli.domain.record import Text
from suanli.errors import Fault, InputError, WrittenForAnother
from suanli.proposal.contributions import CellEdit, ReadBack
from suanli.proposal.fingerprint import fingerprint
from suanli_reports.workbook_alignment import Alignment, align
from suanli_reports.workbook_cells import Formula, address, decimal, open_book, same_number, shift
from suanli_reports.workbook_grid import arrange
from suanli_reports.workbook_rules import input_rule, keeps_rule, never_zero
from suanli_reports.workbook_template import load_layout
from suanli_reports.workbook_text import say, sheet_names
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from suanli.costing.ledger import Input
    from suanli.proposal.contributions import RenderJob
    from suanli_reports.workbook_cells import Book, Content
    from suanli_reports.workbook_grid import Grid

__all__ = ["read_xlsx"]

_LANGUAGES: Final = ("zh", "en", "bilingual")
_MARK: Final = re.compile(r"[0-9a-f]{4}(?:-[0-9a-f]{4}){3}")
_MOST_FAULTS: Final = 60
_MOST_TEXTS: Final = 5
"""Changed texts that are named one by one."""
_SHOWN: Final = 40
"""Characters of a changed content that a message shows."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """One sheet as written and as edited, with what the reader has to know of it."""

    name: str
    written: Mapping[tuple[int, int], Content]
    edited: Mapping[tuple[int, int], Content]
    inputs: Mapping[tuple[int, int], Input]
    """Inputs that live on this sheet, by cell."""
    units: frozenset[tuple[int, int]]
    """Cells that say in which unit an input is."""
    labels: Mapping[int, str]
    """Name of each row."""
    living: bool
    """Whether any entry of the ledger lives here; otherwise the sheet only repeats."""
    alignment: Alignment

    def where(self, row: int, column: int) -> str:
        return f"{self.name}!{address(row, column)}"


@dataclass(slots=True)
class _Findings:
    faults: list[Fault] = field(default_factory=list[Fault])
    edits: dict[str, CellEdit] = field(default_factory=dict[str, CellEdit])
    texts: list[Text] = field(default_factory=list[Text])


def read_xlsx(job: RenderJob, content: bytes, name: str) -> ReadBack:
    """Return what an edited cost sheet changes.

    Args:
        job: the unedited proposal, with the theme that the sheet was written with; its language is not used.
        content: the file.
        name: its name, for messages.

    Raises:
        InputError: the file is none of ours, or holds what cannot be used; every fault at once.
        WrittenForAnother: it is the cost sheet of another proposal.
    """
    edited = open_book(content, name)
    own, grid = _own_language(job, edited, name)
    written = open_book(render_xlsx(own), name)
    _refuse_another(own, written, edited, name)
    sheets, missing = _paired(own, grid, written, edited)
    findings = _Findings([_missing(sheet, written, edited, name) for sheet in missing])
    moved = [fault for sheet in sheets if sheet.living for fault in _moved(sheet)]
    findings.faults += moved
    _compare_inputs(own, grid, [sheet for sheet in sheets if not sheet.alignment.shifted], findings)
    if not moved and not missing:
        # Where cells moved, programs rewrite every formula that reads them: one cause, hundreds of faults.
        for sheet in sheets:
            _compare_rest(sheet, findings)
        findings.faults += _changed_names(written, edited, name)
    if findings.faults:
        raise InputError(_limited(findings.faults, name))
    order = {entry.id: place for place, entry in enumerate(own.proposal.ledger.entries)}
    edits = tuple(sorted(findings.edits.values(), key=lambda edit: order[edit.entry]))
    return ReadBack(own.language, edits, _said(findings.texts), edited.saved)


def _limited(faults: list[Fault], name: str) -> list[Fault]:
    if len(faults) <= _MOST_FAULTS:
        return faults
    more = Fault(f"and {len(faults) - _MOST_FAULTS} more", where=name, cure="write the cost sheet again")
    return [*faults[:_MOST_FAULTS], more]


def _own_language(job: RenderJob, edited: Book, name: str) -> tuple[RenderJob, Grid]:
    """Return the job in the language of the file, which its sheet names tell.

    Raises:
        InputError: no sheet has a name that a cost sheet has.
    """
    specs = load_layout(replace(job, language=_LANGUAGES[0])).sheets
    named = {
        language: set(sheet_names(say(spec.name, language) for spec in specs)) for language in _LANGUAGES
    }
    best = max(_LANGUAGES, key=lambda language: len(named[language] & set(edited.sheets)))
    if not named[best] & set(edited.sheets):
        why = f"its sheets are {', '.join(edited.sheets) or 'none'}"
        cure = "give a cost-sheet.*.xlsx that suanli propose wrote"
        raise InputError(Fault("is no cost sheet of suanli", where=name, why=why, cure=cure))
    own = replace(job, language=best)
    return own, arrange(load_layout(own), own.proposal.ledger, best)


def _refuse_another(job: RenderJob, written: Book, edited: Book, name: str) -> None:
    """Refuse a cost sheet that was written for another proposal.

    Raises:
        InputError: the mark that tells this was removed.
        WrittenForAnother: the mark is another one.
    """
    cover = next(iter(written.sheets))
    mark = fingerprint(job.proposal)
    place = next(address(*cell) for cell, content in written.sheets[cover].items() if content == mark)
    texts = [text for sheet in edited.sheets.values() for text in sheet.values() if isinstance(text, str)]
    marks = [text for text in texts if _MARK.fullmatch(text)]
    if mark in marks:
        return
    if not marks:
        why = f"it should hold {mark}, which tells for which proposal the cost sheet was written"
        raise InputError(Fault("the fingerprint was changed or removed", where=f"{cover}!{place}", why=why))
    told = _told_apart(written.sheets[cover], edited.sheets.get(cover, {}))
    why = "; ".join(told) if told else "prices, formulas or settings were changed since it was written"
    cure = (
        "give the project.yaml that was written beside the cost sheet, with the settings of then, or write "
        "the cost sheet again and repeat the changes in it"
    )
    what = f"was written for another state of the project: its fingerprint is {marks[0]}, not {mark}"
    raise WrittenForAnother(Fault(what, where=name, why=why, cure=cure))


def _told_apart(
    written: Mapping[tuple[int, int], Content], edited: Mapping[tuple[int, int], Content]
) -> list[str]:
    """Return the facts of the cover that differ, such as project, client, date and version."""
    ours, theirs = _facts(written), _facts(edited)
    return [
        f"{label}: {theirs[label]} there, {text} here"
        for label, text in ours.items()
        if label in theirs and theirs[label] != text and not _MARK.fullmatch(text)
    ][:_MOST_TEXTS]


def _facts(cells: Mapping[tuple[int, int], Content]) -> dict[str, str]:
    return {
        label: text
        for (row, column), label in sorted(cells.items())
        if column == 0 and isinstance(label, str) and isinstance(text := cells.get((row, 1)), str)
    }


def _paired(job: RenderJob, grid: Grid, written: Book, edited: Book) -> tuple[list[_Sheet], list[str]]:
    """Return every sheet as written and as edited, and the names of those that are missing."""
    inputs = {entry.id: entry for entry in job.proposal.ledger.inputs}
    found: list[_Sheet] = []
    for number, sheet in enumerate(grid.sheets):
        if sheet.name not in edited.sheets:
            continue
        homes = [place for place in grid.homes.values() if place.sheet == number]
        own = {
            (place.row, place.column): inputs[name]
            for name, place in grid.homes.items()
            if place.sheet == number and name in inputs
        }
        unit_columns = [n for n, column in enumerate(sheet.spec.columns) if column.key == "unit"]
        before, after = written.sheets[sheet.name], edited.sheets[sheet.name]
        rows = {row for row, _ in own}
        found.append(
            _Sheet(
                name=sheet.name,
                written=before,
                edited=after,
                inputs=own,
                units=frozenset((row, column) for row in rows for column in unit_columns),
                labels=_labels(before),
                living=bool(homes),
                alignment=align(before, after),
            )
        )
    return found, [sheet.name for sheet in grid.sheets if sheet.name not in edited.sheets]


def _labels(cells: Mapping[tuple[int, int], Content]) -> dict[int, str]:
    """Return the name of each row: its first text that is no number such as 1.2."""
    found: dict[int, str] = {}
    for (row, _), content in sorted(cells.items()):
        if isinstance(content, str) and not re.fullmatch(r"[\d.]+", content):
            found.setdefault(row, content)
    return found


def _missing(sheet: str, written: Book, edited: Book, name: str) -> Fault:
    """Return the fault of a missing sheet; one that stands in its place was renamed."""
    place = list(written.sheets).index(sheet)
    others = list(edited.sheets)
    there = others[place] if place < len(others) and others[place] not in written.sheets else ""
    cure = f'rename the sheet "{there}" back' if there else "write the cost sheet again"
    return Fault(f'the sheet "{sheet}" is missing', where=name, cure=cure)


def _moved(sheet: _Sheet) -> Iterator[Fault]:
    """Yield a fault for each row and column that was put in or taken out."""
    cure = "undo it: rows and columns must stand where they were written"
    aligned = sheet.alignment
    for row in aligned.added_rows:
        yield Fault(f"row {row + 1} was added", where=sheet.name, cure=cure)
    for row in aligned.lost_rows:
        label = sheet.labels.get(row, "")
        yield Fault(f"row {row + 1} was removed", where=sheet.name, key=label, cure=cure)
    for column in aligned.added_columns:
        yield Fault(f"column {address(0, column)[:-1]} was added", where=sheet.name, cure=cure)
    for column in aligned.lost_columns:
        yield Fault(f"column {address(0, column)[:-1]} was removed", where=sheet.name, cure=cure)


def _compare_inputs(job: RenderJob, grid: Grid, sheets: list[_Sheet], findings: _Findings) -> None:
    """Find the inputs that were changed, and refuse what cannot be one."""
    positive = never_zero(job.proposal.ledger)
    for sheet in sheets:
        for (row, column), entry in sheet.inputs.items():
            content = sheet.edited.get((row, column))
            where, label = sheet.where(row, column), say(entry.label, job.language, between=" / ")
            if not isinstance(content, float):
                cure = "type a number; a share may be typed as 6%"
                findings.faults.append(Fault(_no_number(content), where=where, key=label, cure=cure))
                continue
            if same_number(content, float(entry.value)):
                continue
            value = decimal(content)
            rule = input_rule(entry, grid.layout, job.language, positive=entry.id in positive)
            if not keeps_rule(value, rule):
                what = f"{value:f} cannot be used"
                findings.faults.append(Fault(what, where=where, key=label, why=str(rule["error_message"])))
                continue
            findings.edits[entry.id] = CellEdit(entry.id, value, where)


def _no_number(content: Content | None) -> str:
    if content is None:
        return "is blank where a number is meant"
    if isinstance(content, Formula):
        return f"holds a formula, {_short(content)}, where a number is meant"
    if isinstance(content, str):
        kind = "an error" if content.startswith("#") else "the text"
        return f'holds {kind} "{_short(content)}" where a number is meant'
    return f"holds {_short(content)} where a number is meant"


def _short(content: Content | None) -> str:
    text = content.text if isinstance(content, Formula) else "" if content is None else str(content)
    text = text.removesuffix(".0") if isinstance(content, float) else text
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _compare_rest(sheet: _Sheet, findings: _Findings) -> None:
    """Refuse changed formulas and printed figures; note changed texts, which are not read.

    A sheet without ledger entries is for reading: what was changed by hand, or the distribution as issued,
    moves with every edit, and the change log is there to be written into.
    """
    if not sheet.living and not any(isinstance(content, Formula) for content in sheet.written.values()):
        return
    rows = sheet.alignment.rows
    for (row, column), before in sheet.written.items():
        if (row, column) in sheet.inputs or row not in rows:
            continue
        there = (rows[row], column)
        after = sheet.edited.get(there)
        if not isinstance(before, str):
            findings.faults += _changed_figure(sheet, (row, column), there, before, after)
        elif isinstance(after, float | Formula):
            what = f'{_short(after)} stands in place of "{_short(before)}"'
            cure = "only the blue cells are read; undo the change"
            key = sheet.labels.get(row, "")
            findings.faults.append(Fault(what, where=sheet.where(*there), key=key, cure=cure))
        elif after != before:
            _note_text(sheet, (row, column), before, after, findings)
    if sheet.living:
        extra = [cell for cell in sheet.edited if cell not in sheet.written]
        findings.texts += [_extra(sheet, extra)] if extra else []


def _changed_figure(
    sheet: _Sheet, cell: tuple[int, int], there: tuple[int, int], before: Content, after: Content | None
) -> Iterator[Fault]:
    """Yield a fault where a formula or a printed figure is no longer what was written."""
    cure = "undo the change; only the blue cells may be changed"
    where, key = sheet.where(*there), sheet.labels.get(cell[0], "")
    if isinstance(before, Formula):
        if not isinstance(after, Formula):
            what = "is blank" if after is None else f"holds {_short(after)}"
            yield Fault(f"{what} where the formula {_short(before)} is meant", where, key, "", cure)
        elif after.plain != shift(before, cell, there).plain:
            yield Fault(
                f"the formula was changed to {_short(after)}", where, key, f"it was {before.text}", cure
            )
    elif isinstance(before, float) and not (isinstance(after, float) and same_number(before, after)):
        what = "is blank" if after is None else f"was changed to {_short(after)}"
        why = f"it was {_short(before)}, a figure for reading, and nothing is computed from it"
        yield Fault(what, where, key, why, cure)


def _note_text(
    sheet: _Sheet, cell: tuple[int, int], before: str, after: Content | None, findings: _Findings
) -> None:
    where = sheet.where(*cell)
    if cell in sheet.units:
        what, key = f'the unit "{before}" was changed to "{_short(after)}"', sheet.labels.get(cell[0], "")
        cure = f"give the input in {before}"
        findings.faults.append(Fault(what, where=where, key=key, cure=cure))
    elif sheet.living:
        change = f"{where} “{_short(before)}” → “{_short(after)}”"
        findings.texts.append(Text(zh=f"文字 {change}", en=f"the text {change}"))


def _extra(sheet: _Sheet, cells: list[tuple[int, int]]) -> Text:
    first = sheet.where(*min(cells))
    return Text(
        zh=f"{first} 等 {len(cells)} 个表外单元格",
        en=f"{len(cells)} cells beside the tables, {first} the first",
    )


def _said(texts: list[Text]) -> tuple[Text, ...]:
    """Return the first few of what was not read, and how many more there are."""
    more = len(texts) - _MOST_TEXTS
    rest = (Text(zh=f"另有 {more} 处", en=f"{more} more"),) if more > 0 else ()
    return (*texts[:_MOST_TEXTS], *rest)


def _changed_names(written: Book, edited: Book, name: str) -> Iterator[Fault]:
    for key, target in written.names.items():
        now = edited.names.get(key)
        if now != target:
            what = "is missing" if now is None else f"stands for {now.removeprefix('=')}"
            why = f"it stood for {target.removeprefix('=')}, and formulas read it"
            yield Fault(f'the defined name "{key}" {what}', where=name, why=why, cure="undo the change")
