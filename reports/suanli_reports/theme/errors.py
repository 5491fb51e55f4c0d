"""A mistake of a theme's template, said with the template and the line."""

from __future__ import annotations

from dataclasses import replace
from traceback import walk_tb
from typing import TYPE_CHECKING, Final

from jinja2 import TemplateError
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError

from suanli.errors import Fault, InputError, RenderError, SuanliError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MISTAKES", "as_fault", "place_of"]

MISTAKES: Final = (
    TemplateError,
    RenderError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a wrong template may raise; anything else is a fault of ours."""

_TEMPLATES: Final = (".j2", ".yaml")


def place_of(error: BaseException, root: Path | None) -> str:
    """Return the template and line that an error came from; the theme's own where one is on the way.

    Args:
        error: what a template raised.
        root: the theme's folder; None without a theme.
    """
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename or error.name or 'template'}:{error.lineno}"
    found = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if frame.f_code.co_filename.endswith(_TEMPLATES)
    ]
    own = [place for place in found if root is not None and place[0].startswith(str(root))]
    path, line = (own or found or [("", 0)])[-1]
    return f"{path}:{line}" if path else ""


def as_fault(error: Exception, root: Path | None) -> SuanliError | None:
    """Return what a template raised as an error for the reader; None where it is none of a template.

    A theme's mistake is wrong input; one of a shipped template or of a plugin's chapter cannot be mended by
    whoever wrote the project.

    Args:
        error: one of `MISTAKES`.
        root: the theme's folder; None without a theme.
    """
    place = place_of(error, root)
    themed = root is not None and place.startswith(str(root))
    if isinstance(error, SuanliError):
        if not themed:
            return error
        return InputError(
            [replace(fault, where=f"{place}: {fault.where}".removesuffix(": ")) for fault in error.faults]
        )
    if not themed and not isinstance(error, TemplateError):
        return None
    kind = InputError if themed else RenderError
    if isinstance(error, TemplateNotFound):
        return kind(Fault(f'no template "{error.name}"', where=place))
    return kind(Fault(f"template failed: {_said(error)}", where=place))


def _said(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it calls itself without end"
    if isinstance(error, MemoryError):
        return "it makes more than the memory holds"
    if isinstance(error, TemplateError):
        return str(error.message or error)
    if isinstance(error, OverflowError):
        return str(error)
    return f"{type(error).__name__}: {error}"
