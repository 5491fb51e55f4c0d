"""Makes sure that a document with a theme's templates loads nothing and runs nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from suanli_reports.theme.record import House

__all__ = ["check_self_contained"]

_RUNS: Final = re.compile(
    r"<(?:script|iframe|object|embed|link|base|audio|video)\b[^>]*>|<form\b[^>]*\saction\b[^>]*>|<[a-z][^<>]*\son[a-z]+\s*=[^<>]*>|"
    r"javascript:[^\s\"'<>]*",
    re.IGNORECASE,
)
_LOADS: Final = re.compile(
    r"""\b(?:src|srcset|poster|xlink:href)\s*=\s*["']?(?!data:image/|#)[^\s"'>]+|"""
    r"""url\(\s*["']?(?!data:image/|#)[^)]*\)|@import[^;]*""",
    re.IGNORECASE,
)
_LONGEST: Final = 80


def check_self_contained(document: str, house: House) -> None:
    """Check that an HTML document holds no script and names nothing to be fetched.

    Args:
        document: what the templates made.
        house: the theme, for the message.

    Raises:
        InputError: it does; one fault for each thing.
    """
    found = dict.fromkeys(
        match[0][:_LONGEST] for pattern in (_RUNS, _LOADS) for match in pattern.finditer(document)
    )
    if found:
        why = "a document is one file: it runs no script and loads nothing from outside"
        raise InputError(
            [Fault(f"a template writes {text}", where=str(house.root), why=why) for text in found]
        )
