"""The workbook in the look of a house."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import openpyxl

from suanli.proposal.contributions import RenderJob
from suanli_reports.xlsx import render_xlsx

if TYPE_CHECKING:
    from suanli.proposal.model import Proposal

CONSULTANCY = Path(__file__).parents[3] / "examples" / "themes" / "consultancy"


def test_the_example_changes_the_workbook_and_renders_the_same_bytes_twice(costed: Proposal) -> None:
    job = RenderJob(costed, "en", CONSULTANCY)
    content = render_xlsx(job)
    cover = cast("Any", openpyxl.load_workbook(BytesIO(content))).worksheets[0]
    assert cover["A1"].value == "Cost of buying computing, by Plumb & Level"
    assert cover["A1"].font.color.rgb == "FF22395B"
    assert cover.sheet_properties.tabColor.rgb == "FF22395B"
    assert render_xlsx(job) == content
