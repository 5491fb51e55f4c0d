"""The renderers that come with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suanli.plugin import Renderer, Text, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from suanli.errors import Fault
    from suanli.plugin import ReadBack, RenderJob

__all__ = ["API_VERSION", "RENDERERS", "suanli_renderers"]

API_VERSION = 1


def _pdf(job: RenderJob) -> bytes:
    """Return the document as PDF; templates and fonts are loaded when they are needed."""
    from suanli_reports.pdf import render  # noqa: PLC0415 - listing the renderers must stay cheap

    return render(job)


def _html(job: RenderJob) -> bytes:
    """Return the document for a browser."""
    from suanli_reports.html import render  # noqa: PLC0415 - listing the renderers must stay cheap

    return render(job)


def _docx(job: RenderJob) -> bytes:
    """Return the document for word processors."""
    from suanli_reports.docx import render  # noqa: PLC0415 - listing the renderers must stay cheap

    return render(job)


def _markdown(job: RenderJob) -> bytes:
    """Return the summary for e-mail."""
    from suanli_reports.markdown import render  # noqa: PLC0415 - listing the renderers must stay cheap

    return render(job)


def _xlsx(job: RenderJob) -> bytes:
    """Return the cost sheet; the spreadsheet library is imported when it is needed."""
    from suanli_reports.xlsx import render_xlsx  # noqa: PLC0415 - listing the renderers must stay cheap

    return render_xlsx(job)


def _read_xlsx(job: RenderJob, content: bytes, name: str) -> ReadBack:
    """Read an edited cost sheet back; the library that reads spreadsheets is imported when it is needed."""
    from suanli_reports.workbook_reading import read_xlsx  # noqa: PLC0415 - listing the renderers stays cheap

    return read_xlsx(job, content, name)


def _json(job: RenderJob) -> bytes:
    """Return the proposal as JSON."""
    from suanli_reports.json_output import render_json  # noqa: PLC0415 - listing the renderers must stay cheap

    return render_json(job)


def _theme_faults(root: Path) -> tuple[Fault, ...]:
    """Return what is wrong with a theme; its checks are imported when there is one."""
    from suanli_reports.theme.opening import theme_faults  # noqa: PLC0415 - listing the renderers stays cheap

    return theme_faults(root)


RENDERERS: list[Renderer] = [
    Renderer(
        id="pdf",
        name=Text(zh="PDF 文档", en="PDF document"),
        stem="proposal",
        suffix=".pdf",
        per_language=True,
        render=_pdf,
        slow=True,
        theme_faults=_theme_faults,
        attaches=("json", "project", "xlsx"),
    ),
    Renderer(
        id="html",
        name=Text(zh="网页文档", en="Web document"),
        stem="proposal",
        suffix=".html",
        per_language=True,
        render=_html,
        theme_faults=_theme_faults,
        slow=True,
    ),
    Renderer(
        id="xlsx",
        name=Text(zh="成本测算表", en="Cost sheet"),
        stem="cost-sheet",
        suffix=".xlsx",
        per_language=True,
        render=_xlsx,
        slow=True,
        read=_read_xlsx,
        theme_faults=_theme_faults,
    ),
    Renderer(
        id="docx",
        name=Text(zh="Word 文档", en="Word document"),
        stem="proposal",
        suffix=".docx",
        per_language=True,
        render=_docx,
        slow=True,
        default=False,
    ),
    Renderer(
        id="md",
        name=Text(zh="邮件摘要", en="Summary for e-mail"),
        stem="proposal",
        suffix=".md",
        per_language=True,
        render=_markdown,
        default=False,
    ),
    Renderer(
        id="json",
        name=Text(zh="数据文件", en="Data"),
        stem="proposal",
        suffix=".json",
        per_language=False,
        render=_json,
    ),
]


@hookimpl
def suanli_renderers() -> Iterable[Renderer]:
    """Yield the renderers."""
    yield from RENDERERS
