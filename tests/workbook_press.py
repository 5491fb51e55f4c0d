"""What tests of edited cost sheets make again and again, made once: it is the same every time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from suanli.pipeline import build_proposal
from suanli_reports.workbook_cells import open_book
from suanli_reports.workbook_template import load_layout
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from suanli.host.host import Host
    from suanli.project.schema import Project
    from suanli.proposal.contributions import RenderJob
    from suanli.proposal.model import Proposal
    from suanli_reports.workbook_layout import Layout

__all__ = ["PRESS"]


class Press:
    """Proposals, layouts and cost sheets, each made once."""

    def __init__(self) -> None:
        # Kept, so that no other proposal gets the identity of one of these.
        self.proposals: list[Proposal] = []
        self.layouts: dict[tuple[int, str], Layout] = {}
        self.sheets: dict[tuple[int, str], bytes] = {}
        self.opened = lru_cache(maxsize=8)(open_book)
        self._proposed: dict[str, Proposal] = {}

    def layout(self, job: RenderJob) -> Layout:
        self.proposals.append(job.proposal)
        key = (id(job.proposal), job.language)
        if key not in self.layouts:
            self.layouts[key] = load_layout(job)
        return self.layouts[key]

    def sheet(self, job: RenderJob) -> bytes:
        self.proposals.append(job.proposal)
        key = (id(job.proposal), job.language)
        if key not in self.sheets:
            self.sheets[key] = render_xlsx(job)
        return self.sheets[key]

    def proposed(self, project: Project, host: Host, *_: object) -> Proposal:
        """Return the proposal of a project, worked out once."""
        key = repr((project.origin.document.root, project.path))
        if key not in self._proposed:
            self._proposed[key] = build_proposal(project, host)
        return self._proposed[key]


PRESS = Press()
