"""The PDF engine behind one narrow door.

WeasyPrint has no type stubs and needs system libraries, so only this module touches it.
"""

from __future__ import annotations

import gc
import hashlib
import logging
from typing import TYPE_CHECKING, Any, cast

from suanli.errors import Fault, RenderError
from suanli_reports.fonts import face

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["LIBRARIES", "write_pdf"]

LIBRARIES = "apt-get install --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
"""What a Debian or Ubuntu machine needs beside the Python packages."""

_IDENTIFIER_BYTES = 16
_LOGGER = "weasyprint"


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


def _fetcher(library: Any, fonts: Iterable[Path]) -> Any:  # noqa: ANN401 - a library without types
    """Return a fetcher that serves the font files and pictures inside the document, and nothing else."""
    urls = {path.resolve().as_uri() for path in (face().path, face(bold=True).path, *fonts)}

    def fetch(self: Any, url: str, headers: Any = None) -> Any:  # noqa: ANN401 - as in the base class
        if url not in urls and not url.startswith("data:image/"):
            raise ValueError(f"a document loads packaged files only, not {url}")
        return base.fetch(self, url, headers)

    base: Any = library.urls.URLFetcher
    # The base class is untyped, so the class is made by hand rather than by a statement.
    return type("PackagedFiles", (base,), {"fetch": fetch})()


def write_pdf(document: str, fonts: Iterable[Path] = ()) -> bytes:
    """Return an HTML document as PDF; the same document gives the same bytes.

    Args:
        document: the document.
        fonts: font files beside the packaged ones that it may load.

    Raises:
        RenderError: the engine is missing, or it could not show or load something.
    """
    library = _library()
    listener, logger = _Listener(), logging.getLogger(_LOGGER)
    logger.addHandler(listener)
    collecting = gc.isenabled()
    # A layout is hundreds of thousands of live objects: looking for cycles among them takes a quarter of the
    # time and finds none.
    gc.disable()
    try:
        identifier = hashlib.sha256(document.encode()).digest()[:_IDENTIFIER_BYTES]
        content = library.HTML(
            string=document, url_fetcher=_fetcher(library, fonts), base_url=None
        ).write_pdf(pdf_identifier=identifier.hex().encode(), uncompressed_pdf=False)
    finally:
        logger.removeHandler(listener)
        if collecting:
            gc.enable()
    if listener.messages:
        raise RenderError(
            [Fault(message, where="PDF engine") for message in dict.fromkeys(listener.messages)]
        )
    return cast("bytes", content)
