"""The PDF engine behind one narrow door.

WeasyPrint has no type stubs and needs system libraries, so only this module and `suanli_reports.tagging`,
which completes what it writes, know it.
"""

from __future__ import annotations

import gc
import hashlib
import io
import logging
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from suanli.errors import Fault, RenderError
from suanli_reports.fonts import face
from suanli_reports.tagging import Tagging

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

__all__ = ["LIBRARIES", "VARIANT", "Embedded", "laid_out", "listening", "painted", "write_pdf"]

LIBRARIES = "apt-get install --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
"""What a Debian or Ubuntu machine needs beside the Python packages."""

VARIANT = "pdf/a-3a"
"""ISO 19005-3, level A: an archive document with tags, which may carry files of any kind."""

_IDENTIFIER_BYTES = 16
_LOGGER = "weasyprint"


@dataclass(frozen=True, slots=True)
class Embedded:
    """A file inside the PDF."""

    name: str
    content: bytes
    description: str
    relationship: str
    """``Source`` or ``Data``, as ISO 19005-3 names them."""
    day: datetime
    """When it was made, by the project's date: no clock is read."""


def _library() -> Any:  # noqa: ANN401 - a library without types
    """Return the WeasyPrint package.

    Raises:
        RenderError: it, or a system library that it needs, is not installed.
    """
    try:
        import weasyprint  # type: ignore[import-untyped]  # noqa: PLC0415 - slow, and absent on some machines
    except (ImportError, OSError) as error:
        raise RenderError(
            Fault(
                f"the PDF engine cannot start: {error}",
                why="WeasyPrint needs the Pango libraries of the system",
                cure=f"{LIBRARIES}; or ask for --formats html,xlsx,json",
            )
        ) from error
    return cast("Any", weasyprint)


class _Listener(logging.Handler):
    """Keeps what the engine complains of."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def listening() -> Generator[None, None, None]:
    """Turn every complaint of the engine into an error, and let it work undisturbed by the collector."""
    listener, logger = _Listener(), logging.getLogger(_LOGGER)
    logger.addHandler(listener)
    collecting = gc.isenabled()
    # A layout is hundreds of thousands of live objects: looking for cycles among them takes a quarter of the
    # time and finds none.
    gc.disable()
    try:
        with warnings.catch_warnings():
            # The engine leaves the file of its colour profile to the interpreter to close.
            warnings.simplefilter("ignore", ResourceWarning)
            yield
    finally:
        logger.removeHandler(listener)
        if collecting:
            gc.enable()
    if listener.messages:
        raise RenderError(
            [Fault(message, where="PDF engine") for message in dict.fromkeys(listener.messages)]
        )


def _fetcher(library: Any, fonts: Iterable[Path] = ()) -> Any:  # noqa: ANN401 - a library without types
    """Return a fetcher that serves the font files and pictures inside the document, and nothing else."""
    urls = {path.resolve().as_uri() for path in (face().path, face(bold=True).path, *fonts)}

    def fetch(self: Any, url: str, headers: Any = None) -> Any:  # noqa: ANN401 - as in the base class
        if url not in urls and not url.startswith("data:image/"):
            raise ValueError(f"a document loads packaged files only, not {url}")
        return base.fetch(self, url, headers)

    base: Any = library.urls.URLFetcher
    # The base class is untyped, so the class is made by hand rather than by a statement.
    return type("PackagedFiles", (base,), {"fetch": fetch})()


def laid_out(document: str, fonts: Iterable[Path] = ()) -> Any:  # noqa: ANN401 - a library without types
    """Return an HTML document set into pages, as the library's document; what it complains of is logged.

    Args:
        document: the HTML.
        fonts: font files beside the packaged ones that it may load.

    Raises:
        RenderError: the engine is missing.
    """
    library = _library()
    return library.HTML(string=document, url_fetcher=_fetcher(library, fonts), base_url=None).render()


def write_pdf(document: str, files: Sequence[Embedded] = (), fonts: Iterable[Path] = ()) -> bytes:
    """Return an HTML document as PDF/A-3a; the same document and files give the same bytes.

    Args:
        document: the HTML; each of its pictures has a text to stand for it.
        files: to embed, sorted by name.
        fonts: font files beside the packaged ones that it may load.

    Raises:
        RenderError: the engine is missing, or it could not show or load something.
    """
    with listening():
        return painted(laid_out(document, fonts), _identifier(document, files), files)


def painted(pages: Any, identifier: bytes, files: Sequence[Embedded] = ()) -> bytes:  # noqa: ANN401 - as above
    """Return pages of `laid_out` as PDF/A-3a.

    Args:
        pages: the library's document.
        identifier: what tells this document from others, in hexadecimal digits.
        files: to embed, sorted by name.
    """
    library = _library()
    content = pages.write_pdf(
        finisher=Tagging(pages).finish,
        pdf_identifier=identifier,
        pdf_variant=VARIANT,
        attachments=[_attachment(library, file) for file in files],
        uncompressed_pdf=False,
    )
    return cast("bytes", content)


def _identifier(document: str, files: Sequence[Embedded]) -> bytes:
    digest = hashlib.sha256(document.encode())
    for file in files:
        digest.update(file.name.encode() + hashlib.sha256(file.content).digest())
    return digest.digest()[:_IDENTIFIER_BYTES].hex().encode()


def _attachment(library: Any, file: Embedded) -> Any:  # noqa: ANN401 - a library without types
    return library.Attachment(
        file_obj=io.BytesIO(file.content),
        name=file.name,
        description=file.description,
        relationship=file.relationship,
        created=file.day,
        modified=file.day,
    )
