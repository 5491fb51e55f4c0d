"""Contact sheets of the examples' documents: every page small, side by side, one picture a document.

    python benchmarks/contact_sheets.py OUT docs/pages

reads ``OUT/EXAMPLE/proposal.LANGUAGE.pdf`` and writes ``docs/pages/EXAMPLE.LANGUAGE.png``. It needs pdftoppm
(Debian's poppler-utils) and Pillow.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

PAGE_PX = 104
"""Width of a page; type is grey texture then, and layout is what is seen."""
COLUMNS = 12
GAP_PX = 4
COLOURS = 32
"""Colours of a picture: the documents use few, and the files stay small."""


def pages(document: Path, folder: Path) -> list[Image.Image]:
    """Return the pages of a document as small pictures."""
    command = ["pdftoppm", "-png", "-scale-to-x", str(PAGE_PX), "-scale-to-y", "-1"]
    subprocess.run([*command, str(document), str(folder / "page")], check=True)  # noqa: S603 - a fixed program
    return [Image.open(path).convert("RGB") for path in sorted(folder.glob("page*.png"))]


def sheet(pictures: list[Image.Image]) -> Image.Image:
    """Return pictures in rows of `COLUMNS` on grey ground."""
    width, height = PAGE_PX + GAP_PX, max(picture.height for picture in pictures) + GAP_PX
    rows = -(-len(pictures) // COLUMNS)
    found = Image.new("RGB", (COLUMNS * width + GAP_PX, rows * height + GAP_PX), "#c9ced4")
    for index, picture in enumerate(pictures):
        row, column = divmod(index, COLUMNS)
        found.paste(picture, (GAP_PX + column * width, GAP_PX + row * height))
    return found.quantize(COLOURS)


def main(out: Path, docs: Path) -> None:
    """Write one sheet for each document."""
    docs.mkdir(parents=True, exist_ok=True)
    for document in sorted(out.glob("*/proposal.*.pdf")):
        language = document.suffixes[0].removeprefix(".")
        with tempfile.TemporaryDirectory() as folder:
            target = docs / f"{document.parent.name}.{language}.png"
            sheet(pages(document, Path(folder))).save(target, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
