"""How a quotation names what it prices: one key for each thing that a line of a bill asks a price for.

A key is ``KIND:NAME``: ``server:ID+ACCELERATOR`` a whole server with a device, ``switch:ID`` a switch,
``software:ACCELERATOR`` a subscription for each device, ``class:BASIS`` a class of things, and
``line:ID@ACCELERATOR`` one line of the bill of the option with that device, for what has no class or is a
lump sum.
"""

from __future__ import annotations

__all__ = ["class_key", "line_key", "server_key", "software_key", "switch_key"]


def server_key(server: str, accelerator: str) -> str:
    """Return the key of a server with a device in it.

    >>> server_key("atlas-800t-a2", "ascend-910b2")
    'server:atlas-800t-a2+ascend-910b2'
    """
    return f"server:{server}+{accelerator}"


def switch_key(switch: str) -> str:
    """Return the key of a switch."""
    return f"switch:{switch}"


def software_key(accelerator: str) -> str:
    """Return the key of a subscription that is paid for each device."""
    return f"software:{accelerator}"


def class_key(basis: str) -> str:
    """Return the key of a class of things."""
    return f"class:{basis}"


def line_key(line: str, accelerator: str) -> str:
    """Return the key of one line of the bill of the option with a device."""
    return f"line:{line}@{accelerator}"
