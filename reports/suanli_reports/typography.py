"""Small matters of text that templates must not care about: gaps in Chinese, breaks in addresses, heads."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

__all__ = ["breakable", "english", "row_headed", "tightened"]

_HAN = "\u4e00-\u9fff"
_GAP = re.compile(
    rf"(?<=[{_HAN}，。；：、）”])(?P<before>(?:</[a-z]+>)*) (?P<after>(?:<[a-z][^>]*>)*)(?=[{_HAN}（“《])"
)
_BREAKS = re.compile(r"(?<=[/_?&-])(?=[A-Za-z0-9%])")
_HEADS = re.compile(r"(<thead.*?</thead>)|<th(?=[ >])(?![^>]*scope=)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{3}")
_SCHEME = re.compile(r"^[a-z]+://")


def tightened(text: Markup) -> Markup:
    """Return Chinese text without the spaces that stand between two Chinese characters.

    Templates write a space on both sides of whatever they put in; between a Latin letter or a digit and a
    Chinese character it stays, between two Chinese characters it would be a hole.

    >>> tightened(Markup("由 86.3 天 延长至 120 天"))
    Markup('由 86.3 天延长至 120 天')
    """
    return Markup(_GAP.sub(r"\g<before>\g<after>", str(text)))  # noqa: S704 - the text is escaped already


def breakable(address: str) -> Markup:
    """Return an address that breaks after its slashes, hyphens and underscores.

    >>> breakable("https://a.org/b-c")
    Markup('https://a.org/<wbr>b-<wbr>c')
    """
    scheme = _SCHEME.match(address)
    head = scheme[0] if scheme else ""
    parts = _BREAKS.split(address.removeprefix(head))
    return escape(head) + Markup("<wbr>").join(escape(part) for part in parts)


def english(text: str) -> Markup:
    """Return a text, marked as English where it has words and no Chinese character.

    >>> english("Guide (2024)"), english("910B3"), english("《指南》")
    (Markup('<span lang="en">Guide (2024)</span>'), Markup('910B3'), Markup('《指南》'))
    """
    if re.search(f"[{_HAN}]", text) or not _WORD.search(text):
        return escape(text)
    return Markup('<span lang="en">{}</span>').format(text)


def row_headed(document: str) -> str:
    """Return an HTML document in which a head outside a table's head is said to be that of its row.

    >>> row_headed("<thead><tr><th>a</th></thead><tr><th class=x>b</th>")
    '<thead><tr><th>a</th></thead><tr><th scope="row" class=x>b</th>'
    """
    return _HEADS.sub(lambda found: found[1] or '<th scope="row"', document)
