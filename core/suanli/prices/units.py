"""Units that things are quoted by, with their names, and the unit of each class of things."""

from __future__ import annotations

import re
from typing import Final

from suanli.domain.market import PriceKind
from suanli.domain.record import Text
from suanli.project.quantities import normalise

__all__ = ["UNIT_NAMES", "class_unit", "line_unit", "read_unit", "unit_name"]

UNIT_NAMES: Final[dict[str, Text]] = {
    "set": Text(zh="台", en="set"),
    "piece": Text(zh="只", en="piece"),
    "TB": Text(zh="TB", en="TB"),
    "kW": Text(zh="kW", en="kW"),
    "kVA": Text(zh="kVA", en="kVA"),
    "rack": Text(zh="个", en="rack"),
    "port": Text(zh="口", en="port"),
    "item": Text(zh="项", en="item"),
    "licence": Text(zh="份", en="licence"),
    "cable": Text(zh="根", en="cable"),
    "person-day": Text(zh="人日", en="person-day"),
    "device": Text(zh="卡", en="device"),
    "device-year": Text(zh="卡·年", en="device-year"),
    "device-hour": Text(zh="卡时", en="device-hour"),
}
"""Units by their key in price records, as a sheet shows them; another unit is shown by its key."""

_GBIT: Final = "(10|25|40|50|100|200|400|800|1600)g"
"""Rates of ports."""
_CLASSES: Final[tuple[tuple[str, str, PriceKind], ...]] = (
    (rf"optic(-ib)?-{_GBIT}(-sm)?", "piece", PriceKind.OPTIC),
    (rf"optical-link-{_GBIT}", "piece", PriceKind.OPTIC),
    (r"cable-(dac|aoc|fibre|fibre-sm|patch)", "piece", PriceKind.CABLE),
    (r"fabric-cabling-\dl", "port", PriceKind.CABLE),
    (rf"nic-{_GBIT}(-connectx-\d+)?", "piece", PriceKind.NIC),
    (rf"switch-{_GBIT}-\d+p|management-switch", "set", PriceKind.SWITCH),
    (r"storage-(flash|hdd)-tb", "TB", PriceKind.STORAGE),
    (r"storage-server|capacity-server", "set", PriceKind.STORAGE),
    (r"management-server", "set", PriceKind.SERVER),
    (r"rack", "rack", PriceKind.RACK),
    (r"pdu", "piece", PriceKind.FACILITY),
    (r"cdu-kw", "kW", PriceKind.FACILITY),
    (r"(ups|transformers)-kva", "kVA", PriceKind.FACILITY),
    (r"cluster-software", "licence", PriceKind.SOFTWARE),
    (r"cabling-works", "cable", PriceKind.CONSTRUCTION),
    (r"operator-training", "person-day", PriceKind.SUPPORT),
)
"""Classes that bills ask for: pattern of the name, unit, kind of price."""
_LINES: Final[dict[str, tuple[str, PriceKind]]] = {
    "installation": ("item", PriceKind.CONSTRUCTION),
    "commissioning": ("item", PriceKind.SUPPORT),
    "compute-network": ("item", PriceKind.SWITCH),
    "storage-network": ("item", PriceKind.SWITCH),
    "compute-nics": ("item", PriceKind.NIC),
    "racks": ("item", PriceKind.RACK),
    "spare-trays": ("set", PriceKind.SERVER),
}
"""Lines of a bill that are quoted by themselves: unit and kind of price."""


def class_unit(basis: str) -> tuple[str, PriceKind] | None:
    """Return unit and kind of a class that bills ask for, or None for one that they do not.

    >>> class_unit("optic-400g")[0], class_unit("ups-kva")[0]
    ('piece', 'kVA')
    """
    return next((row[1:] for row in _CLASSES if re.fullmatch(row[0], basis)), None)


def line_unit(line: str) -> tuple[str, PriceKind] | None:
    """Return unit and kind of a line that is quoted by itself; None for a line that a plugin added."""
    return _LINES.get(line)


def unit_name(unit: str, language: str) -> str:
    """Return a unit as a sheet shows it.

    >>> unit_name("set", "zh"), unit_name("set", "bilingual"), unit_name("TB", "bilingual")
    ('台', '台 / set', 'TB')
    """
    name = UNIT_NAMES.get(unit)
    if name is None:
        return unit
    if language == "bilingual" and name.zh != name.en:
        return f"{name.zh} / {name.en}"
    return name.zh if language == "zh" else name.en


def read_unit(text: str) -> str:
    """Return the key of a unit that a sheet names in any of its languages; the text itself if it is none.

    >>> read_unit("台 / set"), read_unit("人日"), read_unit("kg")
    ('set', 'person-day', 'kg')
    """
    text = normalise(text)
    for unit in UNIT_NAMES:
        names = {unit, *(unit_name(unit, language) for language in ("zh", "en", "bilingual"))}
        if text.casefold() in {normalise(name).casefold() for name in names}:
            return unit
    return text
