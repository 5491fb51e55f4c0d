"""What an archive document says beside its tags, added before the engine writes its file.

The engine tags what it paints, but does not say in which language a run is, gives pictures their title
alone, and names each embedded file twice. `Tagging` notes, while a page is painted, which tag belongs to
which box, and completes the tags in the end.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Tagging"]

_TEXTS = {"/P", *(f"/H{level}" for level in range(1, 7))}
_SVG = "{http://www.w3.org/2000/svg}"


class Tagging:
    """Completes the tags of one document: made before it is written, called as the engine's finisher."""

    def __init__(self, document: Any) -> None:  # noqa: ANN401 - a library without types
        """Listen to the painting of a document's pages."""
        self._language = str(document.metadata.lang or "")
        self._languages: defaultdict[int, dict[int, str]] = defaultdict(dict)
        self._texts: defaultdict[int, dict[int, str]] = defaultdict(dict)
        for number, page in enumerate(document.pages):
            page.paint = self._painter(number, page.paint)

    def _painter(self, number: int, paint: Callable[[Any, float], None]) -> Callable[[Any, float], None]:
        def painted(stream: Any, scale: float = 1) -> None:  # noqa: ANN401 - a library without types
            paint(stream, scale)
            for box, tag in cast("Mapping[Any, dict[str, int]]", stream._tags).items():  # noqa: SLF001 - nothing else tells tags from boxes
                language = box.style["lang"]
                if language and language != self._language:
                    self._languages[number][tag["mcid"]] = str(language)
                if text := _stands_for(box.element):
                    self._texts[number][tag["mcid"]] = text

        return painted

    def finish(self, _: Any, pdf: Any) -> None:  # noqa: ANN401 - a library without types
        """Complete the tags of a PDF that is about to be written."""
        root = _found(pdf, pdf.catalog["StructTreeRoot"])
        numbers: list[Any] = _found(pdf, root["ParentTree"])["Nums"]
        for page, elements in zip(numbers[::2], numbers[1::2], strict=True):
            if isinstance(elements, list):
                self._complete(pdf, page, cast("list[str]", elements))
        _flatten(pdf)
        if "AF" in pdf.catalog:
            # Each file once: ISO 19005-3 has no rule for one that is associated twice.
            pdf.catalog["AF"][:] = dict.fromkeys(pdf.catalog["AF"])

    def _complete(self, pdf: Any, page: int, elements: list[str]) -> None:  # noqa: ANN401 - as above
        for mcid, reference in enumerate(elements):
            if language := self._languages[page].get(mcid):
                _found(pdf, reference)["Lang"] = _string(pdf, language)
            if text := self._texts[page].get(mcid):
                _found(pdf, reference)["Alt"] = _string(pdf, text)


def _stands_for(element: Any) -> str:  # noqa: ANN401 - an element of an untyped library
    """Return the text that stands for a drawing: its title and what it says; empty for anything else."""
    if element is None or element.tag != f"{_SVG}svg":
        return ""
    parts = (element.findtext(f"{_SVG}{name}") for name in ("title", "desc"))
    return "\n".join(part for part in parts if part)


def _flatten(pdf: Any) -> None:  # noqa: ANN401 - as above
    """Take the role from what stands in a heading or paragraph and claims to be one: boxes without a tag."""
    for one in pdf.objects:
        if isinstance(one, dict) and (role := cast("dict[str, Any]", one).get("S")) in _TEXTS:
            above = cast("dict[str, Any]", one)
            while (above := _found(pdf, above["P"])).get("S") in {"/NonStruct", "/Span"}:
                pass
            if above.get("S") == role:
                one["S"] = "/NonStruct"


def _found(pdf: Any, reference: str) -> Any:  # noqa: ANN401 - as above
    """Return the object of an indirect reference such as ``12 0 R``."""
    return pdf.objects[int(reference.split(maxsplit=1)[0])]


def _string(pdf: Any, text: str) -> Any:  # noqa: ANN401 - as above
    """Return a text as the library writes it."""
    return type(pdf.catalog["Lang"])(text)
