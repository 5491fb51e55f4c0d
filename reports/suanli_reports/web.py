"""What makes a document a page that stands alone: its script, its rules, and a policy that allows no others.

The page carries one style sheet and one script. Both are named in its policy by their digest, so that nothing
else runs or styles, whatever a text of the proposal holds, and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["SCRIPTS", "digest", "framed", "page", "script", "without_style_attributes"]

SCRIPTS = ("tools", "compare", "options", "contents", "sources", "copy", "scroll", "start")
"""Parts of the page's script, in the order in which they need each other."""

_STYLE_ATTRIBUTE = re.compile(r'(<[a-z][^<>]*?) style="([^"]*)"')
_FRAMED = re.compile(r"<table\b.*?</table>|<svg\b.*?</svg>", re.DOTALL)
_SHEET = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_HEAD = '<meta charset="utf-8">'


def script(source: Callable[[str], str]) -> str:
    """Return the script of the page, put together from its parts.

    Args:
        source: returns the text of a template by its name.
    """
    parts = "\n".join(source(f"web/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


def digest(text: str) -> str:
    """Return the digest of an inline text as a policy names it.

    >>> digest("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    found = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(found).decode('ascii')}'"


def without_style_attributes(document: str) -> str:
    """Return the document with each style attribute as a rule of its style sheet, as the policy allows none.

    >>> print(without_style_attributes('<style>p{}</style><th style="width:5%">'))
    <style>p{}
    [data-look="1"]{width:5%}
    </style><th data-look="1">
    """
    looks: dict[str, int] = {}

    def named(found: re.Match[str]) -> str:
        number = looks.setdefault(found[2], len(looks) + 1)
        return f'{found[1]} data-look="{number}"'

    body = _STYLE_ATTRIBUTE.sub(named, document)
    rules = "".join(f'[data-look="{number}"]{{{look}}}\n' for look, number in looks.items())
    return body.replace("</style>", f"\n{rules}</style>", 1)


def framed(document: str) -> str:
    """Return the document with each table and drawing in a frame that can scroll where the screen is narrow.

    >>> framed("<p></p><table></table>")
    '<p></p><div class="scroll"><table></table></div>'
    """
    return _FRAMED.sub(lambda found: f'<div class="scroll">{found[0]}</div>', document)


def _policy(sheets: Iterable[str], code: str) -> str:
    styles = " ".join(digest(sheet) for sheet in sheets)
    return (
        f"default-src 'none'; script-src {digest(code)}; style-src {styles}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def page(document: str, code: str) -> str:
    """Return the document with its script, in frames, under a policy that allows this script and style only.

    Args:
        document: the composed document; its one style sheet is complete.
        code: the script of the page.
    """
    whole = framed(without_style_attributes(document))
    whole = whole.replace("</body>", f"<script>{code}</script>\n</body>", 1)
    policy = _policy(_SHEET.findall(whole), code)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return whole.replace(_HEAD, f"{_HEAD}\n{meta}", 1)
