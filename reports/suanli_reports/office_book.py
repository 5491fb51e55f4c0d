"""What a Word document collects while it is written: bookmarks, pictures, lists, numbers of its parts."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suanli.errors import Fault, RenderError
from suanli_reports.office_ink import Layout, paragraph

if TYPE_CHECKING:
    from suanli_reports.drawing import Palette

__all__ = ["Book"]

_LONGEST_NAME = 40
"""Characters of a bookmark's name that Word accepts."""
_OWN_LISTS = 5
"""First list number that is not one of the styles'."""
_DATA_URL = re.compile(r"data:image/(png|jpeg);base64,(.*)", re.DOTALL)


@dataclass(slots=True)
class Book:
    """One document in the making."""

    palette: Palette
    language: str
    lists: list[int] = field(default_factory=list[int])
    """Numbers of the numbered lists, each of which starts anew."""
    media: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Pictures by file name."""
    drawings: int = 0
    _names: dict[str, str] = field(default_factory=dict[str, str])
    _marked: set[str] = field(default_factory=set[str])
    _waiting: list[str] = field(default_factory=list[str])

    @property
    def bilingual(self) -> bool:
        """Tell whether the document has both languages."""
        return self.language == "bilingual"

    def colour(self, name: str) -> str:
        """Return a colour of the palette as six hexadecimal digits."""
        return str(getattr(self.palette, name)).removeprefix("#").upper()

    def new_list(self) -> int:
        """Return the number of a numbered list that starts at 1."""
        self.lists.append(_OWN_LISTS + len(self.lists))
        return self.lists[-1]

    def bookmark(self, target: str) -> str:
        """Return the name of the bookmark of an element's id, one that Word accepts."""
        if target not in self._names:
            name = re.sub(r"[^A-Za-z0-9]", "_", target)
            if len(name) > _LONGEST_NAME or not name[:1].isalpha() or name in self._names.values():
                name = f"b{zlib.crc32(target.encode()):08x}_{name}"[:_LONGEST_NAME]
            self._names[target] = name
        return self._names[target]

    def mark(self, target: str) -> None:
        """Bookmark the next paragraph."""
        if target:
            self._waiting.append(target)

    def paragraph(self, content: str, layout: Layout) -> str:
        """Return a paragraph with the bookmarks that wait for it."""
        for target in self._waiting:
            number = len(self._marked)
            self._marked.add(target)
            content = (
                f'<w:bookmarkStart w:id="{number}" w:name="{self.bookmark(target)}"/>{content}'
                f'<w:bookmarkEnd w:id="{number}"/>'
            )
        self._waiting.clear()
        return paragraph(content, layout)

    def keep_picture(self, url: str) -> tuple[str, bytes]:
        """Return file name and content of a picture that is part of the document.

        Raises:
            RenderError: it is not, or is of another kind than PNG and JPEG.
        """
        found = _DATA_URL.fullmatch(url)
        try:
            content = base64.b64decode(found[2], validate=True) if found else b""
        except binascii.Error:
            content = b""
        if found is None or not content:
            raise RenderError(
                Fault(
                    "a picture that a Word document cannot hold",
                    where=url[:60],
                    why="pictures are PNG or JPEG and part of the document",
                    cure="put logo.png or logo.jpg into the theme",
                )
            )
        return self.keep(content, "jpeg" if found[1] == "jpeg" else "png"), content

    def keep(self, content: bytes, suffix: str) -> str:
        """Return the file name under which a picture is kept."""
        name = f"image{len(self.media) + 1}.{suffix}"
        self.media[name] = content
        return name

    def check(self) -> None:
        """Check that every link leads to a bookmark.

        Raises:
            RenderError: some do not; one fault for each.
        """
        lost = [target for target in self._names if target not in self._marked]
        if lost:
            raise RenderError(
                [Fault(f'link to "{target}" leads nowhere', where="document") for target in lost]
            )
