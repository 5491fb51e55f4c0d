"""What is bought, in functional names: the lines of a bill without make or model, equal ones added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Good", "functional_goods", "functional_key"]

_SPARE = "spare-"

_EXACT: Final = frozenset(
    {
        "capacity-servers",
        "cluster-software",
        "commissioning",
        "compute-nics",
        "core-switches",
        "installation",
        "leaf-switches",
        "login-servers",
        "management-cables",
        "management-servers",
        "management-switches",
        "monitoring-servers",
        "operator-training",
        "pdus",
        "racks",
        "servers",
        "spine-switches",
        "storage-disks",
        "storage-flash",
        "storage-network-links",
        "storage-network-switches",
        "storage-nics",
        "storage-servers",
    }
)
_ENDINGS: Final = {
    "cabling-works": "cabling-works",
    "transceivers": "transceivers",
    "cables": "cables",
    "cabling": "cables",
}


@dataclass(frozen=True, slots=True)
class Good:
    """A kind of goods or services."""

    key: str
    """Key of its functional name; the category of the bill where it has none."""
    unit: str
    quantity: int
    spare: bool


def functional_key(line: str, category: str) -> str:
    """Return the key of the functional name of a line.

    Args:
        line: id of the line without the letter of its option.
        category: block of the bill, taken where nothing else is known of a line.

    >>> functional_key("host-leaf-multimode-cables", "network"), functional_key("acme-fan", "compute")
    ('cables', 'compute')
    """
    bare = line.removeprefix(_SPARE)
    if bare in _EXACT:
        return bare
    return next((key for ending, key in _ENDINGS.items() if bare.endswith(ending)), category)


def functional_goods(lines: Iterable[tuple[str, str, str, int]]) -> tuple[Good, ...]:
    """Return goods in the order of the lines, equal ones added up, spares apart.

    Args:
        lines: id, category, unit and quantity.
    """
    found: dict[tuple[str, str, bool], int] = {}
    for line, category, unit, quantity in lines:
        key = (functional_key(line, category), unit, line.startswith(_SPARE))
        found[key] = found.get(key, 0) + quantity
    return tuple(Good(key, unit, quantity, spare) for (key, unit, spare), quantity in found.items())
