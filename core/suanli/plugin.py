"""All that a plugin imports: the hook marker, the record types and the loader of data files.

A vendor plugin is a folder of data files and a module of three lines:

    from suanli.plugin import API_VERSION, Record, hookimpl, load_records  # noqa

    API_VERSION = 1

    @hookimpl
    def suanli_records():
        yield from load_records("suanli_acme")

Everything exported here is covered by `suanli.API_VERSION`.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from suanli.domain.architecture import Architecture, LatentAttention, MixtureOfExperts, ModelRecord
from suanli.domain.export import CountryGroup, ExportControl
from suanli.domain.figure import Check, Confidence, Source
from suanli.domain.hardware import Accelerator, Collective, Link, Server, Switch
from suanli.domain.market import GridCarbon, Price, PueDefault, Reliability, SiteFigure, Tariff
from suanli.domain.record import Record, Text
from suanli.domain.software import StackFeatures
from suanli.domain.vendor import (
    AcceptanceTest,
    Calibration,
    ComplianceEvent,
    Fit,
    PowerModel,
    ProcurementRule,
    SkuStatus,
    SoftwareStack,
    SoftwareVersions,
)
from suanli.errors import Fault, PluginError, nearest
from suanli.host.hookspecs import hookimpl
from suanli.host.record_faults import file_fault, record_faults
from suanli.project.scenario import Scenario
from suanli.proposal.contributions import (
    Attachment,
    CellEdit,
    CostLines,
    ReadBack,
    Renderer,
    RenderJob,
    Section,
    Theme,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

__all__ = [
    "RECORD_TYPES",
    "Accelerator",
    "AcceptanceTest",
    "Architecture",
    "Attachment",
    "Calibration",
    "CellEdit",
    "Check",
    "Collective",
    "ComplianceEvent",
    "Confidence",
    "CostLines",
    "CountryGroup",
    "ExportControl",
    "Fit",
    "GridCarbon",
    "LatentAttention",
    "Link",
    "MixtureOfExperts",
    "ModelRecord",
    "PowerModel",
    "Price",
    "ProcurementRule",
    "PueDefault",
    "ReadBack",
    "Record",
    "Reliability",
    "RenderJob",
    "Renderer",
    "Scenario",
    "Section",
    "Server",
    "SiteFigure",
    "SkuStatus",
    "SoftwareStack",
    "SoftwareVersions",
    "Source",
    "StackFeatures",
    "Switch",
    "Tariff",
    "Text",
    "Theme",
    "hookimpl",
    "load_records",
]

RECORD_TYPES: dict[str, type[Record]] = {
    record_type.kind: record_type
    for record_type in (
        Source,
        Accelerator,
        Server,
        Link,
        Switch,
        Collective,
        SoftwareVersions,
        SoftwareStack,
        StackFeatures,
        Calibration,
        Fit,
        PowerModel,
        AcceptanceTest,
        SkuStatus,
        CountryGroup,
        ExportControl,
        ComplianceEvent,
        ProcurementRule,
        Price,
        ModelRecord,
        Tariff,
        GridCarbon,
        PueDefault,
        Reliability,
        SiteFigure,
    )
}
"""Record class by catalogue kind: the top-level keys that a data file may have."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's safe loader where it was built; ten times faster."""


def load_records(package: str, folder: str = "data") -> Iterator[Record]:
    """Yield the records of every ``*.yaml`` in a folder of a package, in order of file name.

    Good records are yielded first, whatever is wrong with others; then all faults are raised together.

    Args:
        package: importable package that holds the folder as package data.
        folder: name of the folder.

    Raises:
        PluginError: there is no such folder, or a file or record is wrong; one fault for each, with file,
            kind, id and key.
    """
    faults: list[Fault] = []
    root = _folder(package, folder)
    for entry in sorted(root.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".yaml"):
            yield from _load_file(entry, f"{package}/{folder}/{entry.name}", faults)
    if faults:
        raise PluginError(faults)


def _folder(package: str, folder: str) -> Traversable:
    try:
        root = files(package).joinpath(folder)
    except ModuleNotFoundError as error:
        why = "load_records takes the name of the package that holds the data folder"
        raise PluginError(Fault(f'there is no package "{package}"', why=why)) from error
    if not root.is_dir():
        cure = "make it, and see to it that the build puts it into the package"
        raise PluginError(Fault(f'the package "{package}" has no folder "{folder}"', cure=cure))
    return root


def _load_file(entry: Traversable, where: str, faults: list[Fault]) -> Iterator[Record]:
    try:
        text = entry.read_text(encoding="utf-8")
        content: object = yaml.load(text, Loader=_LOADER)  # noqa: S506 - both loaders are safe
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        faults.append(file_fault(error, where))
        return
    if content is None:
        # Nothing but comments, as in a file that is still to be filled in.
        return
    if not isinstance(content, dict):
        faults.append(
            Fault(
                "a data file holds lists of records by kind",
                where=where,
                why=f"kinds: {', '.join(RECORD_TYPES)}",
            )
        )
        return
    for kind, rows in content.items():  # pyright: ignore[reportUnknownVariableType]
        yield from _load_kind(str(kind), rows, where, faults)  # pyright: ignore[reportUnknownArgumentType]


def _load_kind(kind: str, rows: object, where: str, faults: list[Fault]) -> Iterator[Record]:
    record_type = RECORD_TYPES.get(kind)
    if record_type is None or not isinstance(rows, list):
        why = "expected a list of records" if record_type else f"known kinds: {', '.join(RECORD_TYPES)}"
        what = f'"{kind}" is no kind of record' if record_type is None else f'"{kind}" is no list'
        cure = "" if record_type else nearest(kind, RECORD_TYPES)
        faults.append(Fault(what, where=where, why=why, cure=cure))
        return
    for number, row in enumerate(rows):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        name = row.get("id", number) if isinstance(row, dict) else number  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        try:
            record = record_type.model_validate(row)
        except ValidationError as error:
            faults.extend(record_faults(error, f"{kind}[{name}]", where, record_type))
        else:
            yield record
