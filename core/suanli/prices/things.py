"""What the key of a quoted row stands for: the records or the class that its price is for, and the unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.hardware import Accelerator, Server, Switch
from suanli.domain.market import Price, PriceKind
from suanli.domain.record import Text
from suanli.errors import Fault, InputError, nearest
from suanli.planning.price_keys import class_key, server_key, software_key, switch_key
from suanli.prices.units import class_unit, line_unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from suanli.domain.catalogue import Catalogue

__all__ = ["Thing", "known_keys", "thing_of"]

_FORMS: Final = (
    "server:ID+ACCELERATOR, accelerator:ID, switch:ID, software:ACCELERATOR, rent:ACCELERATOR, class:BASIS "
    "or line:ID@ACCELERATOR"
)
_RATES: Final = frozenset({"%", "fraction"})
_LINE: Final = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_CURE: Final = "suanli prices template writes the keys; leave them as they are"


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that can be quoted, in the terms of a price record."""

    key: str
    what: PriceKind
    per: str
    """Unit of the price; empty where only the sheet knows it."""
    prices: tuple[str, ...] = ()
    basis: str = ""
    name: Text | None = None
    """None for what has no record and so no name but that of the sheet."""


def thing_of(key: str, catalogue: Catalogue) -> Thing:
    """Return what a key stands for.

    Raises:
        InputError: it has no known form, or names something that no plugin has.
    """
    kind, colon, name = key.partition(":")
    reader = _READERS.get(kind)
    found = reader(name, catalogue) if reader is not None and colon else None
    if found is not None:
        return found
    why = f"keys are {_FORMS}" if reader is None else f"no plugin knows what {name or 'it'} names"
    raise InputError(Fault(f'"{key}" is not a known key', why=why, cure=_nearest(key, catalogue)))


def known_keys(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the keys of everything that has a record, and of the classes that have a price."""
    servers = (server_key(one.id, one.accelerator) for one in catalogue.all(Server))
    switches = (switch_key(one.id) for one in catalogue.all(Switch))
    devices = [
        key
        for one in catalogue.all(Accelerator)
        for key in (f"accelerator:{one.id}", software_key(one.id), f"rent:{one.id}")
    ]
    classes = {class_key(price.basis) for price in catalogue.all(Price) if _class(price.basis, catalogue)}
    return (*servers, *switches, *devices, *sorted(classes))


def _nearest(key: str, catalogue: Catalogue) -> str:
    return nearest(key, known_keys(catalogue)) or _CURE


def _server(name: str, catalogue: Catalogue) -> Thing | None:
    server_id, _, device_id = name.partition("+")
    server, device = catalogue.find(Server, server_id), catalogue.find(Accelerator, device_id)
    if server is None or device is None:
        return None
    text = server.name
    if server.accelerator != device.id:
        text = Text(zh=f"{text.zh}（{device.name.zh}）", en=f"{text.en} ({device.name.en})")
    return Thing(f"server:{name}", PriceKind.SERVER, "set", (server.id, device.id), name=text)


def _device(kind: PriceKind, prefix: str, per: str, tail: Text) -> Callable[[str, Catalogue], Thing | None]:
    def read(name: str, catalogue: Catalogue) -> Thing | None:
        device = catalogue.find(Accelerator, name)
        if device is None:
            return None
        text = Text(zh=f"{device.name.zh}{tail.zh}", en=f"{device.name.en}{tail.en}")
        return Thing(f"{prefix}:{name}", kind, per, (device.id,), name=text)

    return read


def _software(name: str, catalogue: Catalogue) -> Thing | None:
    """Return the subscription for a device, by the unit that its vendor charges."""
    device = catalogue.find(Accelerator, name)
    if device is None:
        return None
    own = (
        price for price in catalogue.all(Price) if name in price.prices and price.what is PriceKind.SOFTWARE
    )
    per = next((price.per for price in own), "device-year")
    text = Text(zh=f"{device.name.zh} 软件订阅", en=f"Software subscription, {device.name.en}")
    return Thing(software_key(name), PriceKind.SOFTWARE, per, (device.id,), name=text)


def _switch(name: str, catalogue: Catalogue) -> Thing | None:
    switch = catalogue.find(Switch, name)
    if switch is None:
        return None
    return Thing(switch_key(name), PriceKind.SWITCH, "set", (switch.id,), name=switch.name)


def _class(name: str, catalogue: Catalogue) -> Thing | None:
    """Return a class that bills ask for, or one that has prices of one unit and kind."""
    known = class_unit(name)
    if known is None and name:
        rows = [price for price in catalogue.all(Price) if price.basis == name]
        kinds = {(price.per, price.what) for price in rows if price.currency not in _RATES}
        known = kinds.pop() if len(kinds) == 1 else None
    return None if known is None else Thing(class_key(name), known[1], known[0], basis=name)


def _line(name: str, catalogue: Catalogue) -> Thing | None:
    line, _, device = name.partition("@")
    if not _LINE.fullmatch(line) or catalogue.find(Accelerator, device) is None:
        return None
    unit, kind = line_unit(line) or ("", PriceKind.SUPPORT)
    return Thing(f"line:{name}", kind, unit, (device,), basis=line)


_READERS: Final[dict[str, Callable[[str, Catalogue], Thing | None]]] = {
    "server": _server,
    "accelerator": _device(PriceKind.ACCELERATOR, "accelerator", "device", Text(zh=" 板卡", en=", board")),
    "rent": _device(PriceKind.CLOUD, "rent", "device-hour", Text(zh=" 租赁", en=", rental")),
    "switch": _switch,
    "software": _software,
    "class": _class,
    "line": _line,
}
