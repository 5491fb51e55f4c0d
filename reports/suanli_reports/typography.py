"""Small typography that templates must not care about: gaps in Chinese text, breaks in addresses."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

__all__ = ["breakable", "tightened"]

_HAN = "\u4e00-\u9fff"
_GAP = re.compile(
    rf"(?<=[{_HAN}，。；：、）”])(?P<before>(?:</[a-z]+>)*) (?P<after>(?:<[a-z][^>]*>)*)(?=[{_HAN}（“《])"
)
_BREAKS = re.compile(r"(?<=[/_?&-])(?=[A-Za-z0-9%])")
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
