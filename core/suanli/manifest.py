"""The manifest of a proposal: SHA-256 of input, catalogue and every output, and the check against it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from suanli import __version__
from suanli.errors import Fault, InputError
from suanli.prices.overlay import quote_paths

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from suanli.domain.catalogue import Catalogue
    from suanli.host.host import Host
    from suanli.project.schema import Project

__all__ = ["MANIFEST", "Written", "catalogue_digest", "manifest", "verify"]

MANIFEST = "manifest.json"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def catalogue_digest(catalogue: Catalogue) -> str:
    """Return the SHA-256 over every record of the catalogue, in order of kind and id."""
    digest = hashlib.sha256()
    for kind, records in catalogue.records.items():
        for record_id, record in records.items():
            digest.update(f"{kind}/{record_id}\n".encode())
            digest.update(record.model_dump_json().encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Written:
    """What a run of `propose` wrote and read."""

    outputs: Mapping[str, bytes]
    """Bytes of every output by file name."""
    attached: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, "Mapping[str, str]"])
    """SHA-256 of the files that an output carries inside itself, by its name and theirs."""
    read: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Bytes of each file that was read beside the project, by name."""


def manifest(written: Written, project: Project, host: Host) -> bytes:
    """Return the manifest of rendered files as JSON, sorted by name.

    Args:
        written: the files.
        project: the project; its file is hashed as it was read.
        host: the host; its catalogue and plugins are named.
    """
    quotes = {name: _sha256(path.read_bytes()) for name, path in quote_paths(project).items()}
    beside = (
        {"inputs": {name: _sha256(content) for name, content in written.read.items()}} if written.read else {}
    )
    document = {
        "suanli": __version__,
        "input": {"file": project.path.name, "sha256": _sha256(project.path.read_bytes())},
        **beside,
        "catalogue": {
            "sha256": catalogue_digest(host.catalogue),
            "plugins": {plugin.name: plugin.version for plugin in host.plugins},
        },
        # Its own key only where there are any: a manifest without quotations reads as it always did.
        **({"quotes": quotes} if quotes else {}),
        "outputs": {name: _sha256(content) for name, content in sorted(written.outputs.items())},
        **({"attached": dict(sorted(written.attached.items()))} if written.attached else {}),
    }
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def verify(folder: Path) -> tuple[str, ...]:
    """Check every file that a folder's manifest names and return their names.

    Raises:
        InputError: there is no manifest, or a file is missing or was changed; one fault for each.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError(
            Fault("no manifest.json", where=str(folder), cure="verify a folder that suanli propose wrote")
        )
    try:
        document = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        outputs = cast("dict[str, str]", dict(document["outputs"]))
        attached = {name: dict(inner) for name, inner in dict(document.get("attached", {})).items()}
    except (ValueError, KeyError, TypeError) as fault:
        raise InputError(Fault(f"not a manifest: {fault}", where=str(path))) from fault
    faults = [fault for name, digest in outputs.items() for fault in _check(folder / name, digest)]
    faults += [
        Fault("not the file that is attached to " + outer, where=str(folder / name), why=f"SHA-256 {digest}")
        for outer, inner in attached.items()
        for name, digest in inner.items()
        if outputs.get(name, digest) != digest
    ]
    if faults:
        raise InputError(faults)
    return tuple(outputs)


def _check(path: Path, digest: str) -> list[Fault]:
    if not path.is_file():
        return [Fault("missing", where=str(path), why="the manifest names it")]
    if _sha256(path.read_bytes()) != digest:
        return [
            Fault(
                "changed since the proposal was written", where=str(path), why=f"SHA-256 should be {digest}"
            )
        ]
    return []
