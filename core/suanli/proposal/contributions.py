"""What plugins contribute to a proposal: renderers, chapters and cost lines."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import date
    from decimal import Decimal
    from pathlib import Path

    from suanli.domain.record import Text
    from suanli.domain.workload import Requirement
    from suanli.errors import Fault
    from suanli.planning.results import BillItem, ClusterPlan
    from suanli.proposal.model import Proposal

__all__ = ["Attachment", "CellEdit", "CostLines", "ReadBack", "RenderJob", "Renderer", "Section", "Theme"]


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter that a plugin adds to the document."""

    id: str
    after: str
    """Id of the chapter it follows."""
    title: Text
    package: str
    """Importable package whose ``templates`` folder holds the template."""
    template: str


@dataclass(frozen=True, slots=True)
class Theme:
    """A look of the documents that a plugin brings: a folder of its package that renderers read."""

    id: str
    """Name in ``project.theme`` and ``--theme``."""
    name: Text
    package: str
    """Importable package that holds the folder as package data."""
    folder: str = "theme"
    """Folder inside the package."""


@dataclass(frozen=True, slots=True)
class CostLines:
    """Lines that a plugin adds to the bill of every option it knows."""

    id: str
    items: Callable[[ClusterPlan, Requirement], Iterable[BillItem]]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that a document carries inside itself."""

    id: str
    """Id of the format that made it; ``project`` is the project file as it was used."""
    name: str
    """Its file name, in ASCII."""
    content: bytes
    about: Text
    """What it is."""
    source: bool = False
    """True if the document was made from it; else it holds the document's figures."""

    @property
    def size_bytes(self) -> int:
        """Return its length."""
        return len(self.content)

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of its bytes."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class RenderJob:
    """Everything a renderer needs to make one file."""

    proposal: Proposal
    language: str
    """``zh``, ``en`` or ``bilingual``; empty for a format without languages."""
    theme: Path | None = None
    """Folder of a theme, which the renderer reads beside what it ships."""
    sections: tuple[Section, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    """Files to carry, sorted by name; only for a renderer that asks for them."""


@dataclass(frozen=True, slots=True)
class CellEdit:
    """An input that somebody changed in a file that a renderer wrote."""

    entry: str
    """Id of the ledger's input."""
    value: Decimal
    place: str
    """Where it stands in the file, such as ``Inputs!B7``."""


@dataclass(frozen=True, slots=True)
class ReadBack:
    """What an edited file says."""

    language: str
    """Language of the file."""
    edits: tuple[CellEdit, ...]
    """In the order of the ledger; empty where nothing that counts was changed."""
    ignored: tuple[Text, ...]
    """What was changed without effect, said for a reader."""
    saved: date | None
    """When the file says that it was saved last."""


@dataclass(frozen=True, slots=True)
class Renderer:
    """Makes one output format from a proposal.

    `render` is pure: it returns the file's bytes, and the pipeline writes them in one move. It raises
    `suanli.errors.RenderError` where a font or a library is missing.
    """

    id: str
    """Name in ``--formats``."""
    name: Text
    stem: str
    """File name without language and suffix: ``proposal`` or ``cost-sheet``."""
    suffix: str
    per_language: bool
    render: Callable[[RenderJob], bytes]
    slow: bool = False
    """True if a rendering deserves a process of its own; `render` is then a function of a module."""
    default: bool = True
    """True if written without being asked for."""
    read: Callable[[RenderJob, bytes, str], ReadBack] | None = None
    """Reads an edited file of this format back; None where the format cannot be read.

    It gets the job of the unedited proposal (in any language), the file's bytes and its name, and raises
    `suanli.errors.InputError` with every fault of the file, or `WrittenForAnother` where the file was
    written for another proposal.
    """
    attaches: tuple[str, ...] = ()
    """Ids of formats whose files it carries, and ``project`` for the project file as used.

    They are rendered before it, for it alone where nobody asked for them, and come as
    `RenderJob.attachments`. Such a format is not carried itself; one that is not installed is left out.
    """
    theme_faults: Callable[[Path], tuple[Fault, ...]] | None = None
    """Returns what is wrong with a theme's folder, before anything is computed; None where it reads none."""
