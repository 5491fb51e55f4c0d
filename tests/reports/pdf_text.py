"""What stands on the pages of a PDF of ours: texts with their places, and the tags in reading order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import pikepdf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Matrix = tuple[float, float, float, float, float, float]

_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)
_PAIR = re.compile(rb"<([0-9a-fA-F]{4})> <([0-9a-fA-F]+)>")


@dataclass(frozen=True)
class Run:
    """A text on a page, in points from the lower left corner; `tag` is its number in the page's tags."""

    page: int
    text: str
    left: float
    right: float
    base: float
    size: float
    tag: int | None


@dataclass(frozen=True)
class Tag:
    """A node of the structure tree: role, language and alternative text where stated, and what is in it."""

    role: str
    page: int
    language: str
    alternative: str
    parts: tuple[Tag | int, ...]
    bottom: float | None = None
    """Where a drawing ends, in pixels from the top of its page."""

    def walk(self, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Tag]]:
        """Yield this node and all below, in reading order, with the roles above each."""
        yield above, self
        for part in self.parts:
            if isinstance(part, Tag):
                yield from part.walk((*above, self.role))


def _product(one: Matrix, two: Matrix) -> Matrix:
    a, b, c, d, e, f = one
    g, h, i, j, k, m = two
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


class Font:
    """A composite font of two-byte codes: what each glyph says, and how wide it is in thousandths."""

    def __init__(self, font: pikepdf.Object) -> None:
        pairs = _PAIR.findall(font.ToUnicode.read_bytes().partition(b"beginbfchar")[2])
        self.texts = {int(code, 16): bytes.fromhex(text.decode()).decode("utf-16-be") for code, text in pairs}
        self.widths: dict[int, float] = {}
        given = list(cast("Any", font.DescendantFonts)[0].W)
        for first, widths in zip(given[::2], given[1::2], strict=True):
            self.widths.update({int(first) + place: float(width) for place, width in enumerate(widths)})

    def read(self, shown: list[Any]) -> tuple[str, float]:
        """Return text and width, in thousandths, of an array of strings and gaps."""
        text, width = "", 0.0
        for part in shown:
            if not isinstance(part, pikepdf.String):
                width -= float(part)
                continue
            content = bytes(part)
            for place in range(0, len(content), 2):
                code = int.from_bytes(content[place : place + 2], "big")
                text += self.texts.get(code, "")
                width += self.widths.get(code, 1000.0)
        return text, width


def _numbers(operands: Any) -> Matrix:  # noqa: ANN401 - operands of any kind
    return cast("Matrix", tuple(float(value) for value in operands))


def runs(document: pikepdf.Pdf) -> Iterator[Run]:
    """Yield every text of a document in the order in which it is painted."""
    fonts: dict[str, Font] = {}
    for number, page in enumerate(document.pages, start=1):
        for name, font in cast("Mapping[str, pikepdf.Object]", page.obj.Resources.Font).items():
            fonts.setdefault(name, Font(font))
        yield from _page_runs(page, number, fonts)


def _page_runs(  # noqa: C901 - a branch an operator
    page: pikepdf.Page, number: int, fonts: Mapping[str, Font]
) -> Iterator[Run]:
    matrices, text_matrix, tags = [_IDENTITY], _IDENTITY, list[int | None]()
    font, size = next(iter(fonts.values())), 0.0
    for instruction in pikepdf.parse_content_stream(page):
        operands = list(instruction.operands)
        match str(instruction.operator):
            case "q":
                matrices.append(matrices[-1])
            case "Q":
                matrices.pop()
            case "cm":
                matrices[-1] = _product(_numbers(operands), matrices[-1])
            case "BT":
                text_matrix = _IDENTITY
            case "Tm":
                text_matrix = _numbers(operands)
            case "Tf":
                font, size = fonts[str(operands[0])], float(operands[1])
            case "BMC":
                tags.append(None)
            case "BDC":
                tags.append(int(operands[1].MCID))
            case "EMC":
                tags.pop()
            case "TJ" | "Tj":
                shown = list(operands[0]) if str(instruction.operator) == "TJ" else [operands[0]]
                text, width = font.read(shown)
                a, _, _, d, left, base = _product(text_matrix, matrices[-1])
                tag = next((tag for tag in reversed(tags) if tag is not None), None)
                yield Run(number, text, left, left + width / 1000 * size * a, base, size * abs(d), tag)
            case _:
                pass


def structure(document: pikepdf.Pdf) -> Tag:
    """Return the structure tree."""
    pages = {page.objgen: number for number, page in enumerate(document.pages, start=1)}

    def read(node: pikepdf.Object) -> Tag:
        kids: Any = node.get("/K", [])
        parts: list[Tag | int] = []
        for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
            if isinstance(kid, int):
                parts.append(kid)
            elif isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
                parts.append(read(kid))
        page = pages[cast("Any", node).Pg.objgen] if "/Pg" in node else 0
        role, language = str(node.S).removeprefix("/"), str(node.get("/Lang", ""))
        bottom = float(cast("Any", node).A.BBox[3]) if role == "Figure" and "/A" in node else None
        return Tag(role, page, language, str(node.get("/Alt", "")), tuple(parts), bottom)

    return read(cast("Any", document.Root.StructTreeRoot).K[0])


def reading(document: pikepdf.Pdf) -> list[tuple[Tag, tuple[str, ...], str]]:
    """Return the tags that hold text, in reading order: tag, roles above it, what it says."""
    texts: dict[tuple[int, int], str] = {}
    for run in runs(document):
        if run.tag is not None:
            texts[run.page, run.tag] = texts.get((run.page, run.tag), "") + run.text
    return [
        (tag, above, said)
        for above, tag in structure(document).walk()
        if (said := "".join(texts.get((tag.page, part), "") for part in tag.parts if isinstance(part, int)))
    ]
