"""Figures changed by hand: what they name must exist, and each stands once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.domain.hardware import Accelerator
from suanli.domain.workload import HandEdit
from suanli.errors import nearest

if TYPE_CHECKING:
    from suanli.project.completion.draft import Draft

__all__ = ["complete_edits"]


def complete_edits(draft: Draft) -> tuple[HandEdit, ...]:
    """Return the figures in order of device and input, so that the order in the file decides nothing."""
    found: dict[tuple[str, str], HandEdit] = {}
    for number, keys in enumerate(draft.project.file.edits):
        edit = HandEdit(keys.input, keys.value, keys.date, keys.accelerator or "")
        _check(draft, number, edit)
        if (edit.accelerator, edit.input) in found:
            draft.fault(f"edits.{number}.input", f'"{edit.input}" stands twice', "one figure for each input")
        found[edit.accelerator, edit.input] = edit
    return tuple(found[key] for key in sorted(found))


def _check(draft: Draft, number: int, edit: HandEdit) -> None:
    devices = [one.id for one in draft.catalogue.all(Accelerator)]
    if edit.accelerator and edit.accelerator not in devices:
        what, cure = f'"{edit.accelerator}" is no accelerator', nearest(edit.accelerator, devices)
        draft.fault(f"edits.{number}.accelerator", what, "see suanli catalog accelerators", cure)
