"""Facts that no vendor owns: models, generic links, prices, sites, rules."""

from collections.abc import Iterable

from suanli.plugin import Record, hookimpl, load_records

API_VERSION = 1


@hookimpl
def suanli_records() -> Iterable[Record]:
    """Yield every record of the data files."""
    yield from load_records("suanli_common")
