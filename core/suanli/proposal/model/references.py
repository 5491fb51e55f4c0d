"""What figures refer to: assumptions, sources, formulas, notices."""

from __future__ import annotations

from datetime import date

from suanli.domain.record import Part, Text

__all__ = ["AssumptionView", "FormulaView", "NoticeView", "SourceView"]


class AssumptionView(Part):
    """A default that the tool chose."""

    key: str
    """A1, A2 ..."""
    setting: str
    """Key path in the project file or name of the planning rule."""
    value: str
    reason: Text
    refs: tuple[str, ...] = ()


class SourceView(Part):
    """A source that some figure refers to."""

    key: str
    """S1, R1, C1 ..."""
    id: str
    title: str
    publisher: str
    published: str
    ref: str
    retrieved: date
    weak: bool = False
    """True where figures of it were not read in the named document."""


class FormulaView(Part):
    """A formula that some figure refers to; name and equation are found by id in the message catalogue."""

    key: str
    """F1, F2 ..."""
    id: str
    source: str = ""
    """Key of the source, or a citation."""


class NoticeView(Part):
    """Something the reader must know: a plugin that failed, a setting without effect, an unusual input."""

    text: Text
