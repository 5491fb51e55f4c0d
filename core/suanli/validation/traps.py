"""Records that are known to mislead: left out of fits and of clean figures, never of predictions.

The list stands beside the runs, in ``traps/traps.yaml`` of their folder. Reading it is for those who fit or
tell errors; the predictor knows no ids.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from suanli.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["TRAPS_FILE", "read_traps"]

TRAPS_FILE: Final = "traps/traps.yaml"
"""Below the folder of the runs, where it is not taken for a file of runs."""

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_traps(directory: Path) -> Mapping[str, str]:
    """Return the reason by id; nothing where the folder has no list.

    Raises:
        InputError: the file is no list of mappings with an id and a reason; all faults at once.
    """
    path = directory / TRAPS_FILE
    if not path.is_file():
        return MappingProxyType({})
    try:
        root: object = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - safe loaders
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(Fault(f"is not YAML: {str(error).splitlines()[0]}", where=str(path))) from error
    rows: list[object] = cast("list[object]", root) if isinstance(root, list) else [root]
    traps: dict[str, str] = {}
    faults: list[Fault] = []
    for number, row in enumerate(rows, start=1):
        entry = cast("dict[str, object]", row) if isinstance(row, dict) else {}
        name, reason = entry.get("id"), entry.get("reason")
        if isinstance(name, str) and name and isinstance(reason, str) and reason and name not in traps:
            traps[name] = reason
        else:
            why = "expected a list of {id, reason}, each id once"
            faults.append(Fault(f"item {number} is no trap", where=str(path), why=why))
    if faults:
        raise InputError(faults)
    return MappingProxyType(traps)
