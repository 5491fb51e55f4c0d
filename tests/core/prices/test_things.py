"""Keys of quoted things: each stands for what a bill asks a price for, or is refused with the nearest one."""

from __future__ import annotations

import pytest
from tests.core.built_in import host
from tests.core.prices.sheets import asked

from suanli.domain.market import PriceKind
from suanli.errors import InputError
from suanli.prices.things import thing_of
from suanli.prices.units import read_unit, unit_name


@pytest.mark.parametrize(
    ("key", "what", "per", "prices", "basis"),
    [
        ("server:dgx-h100+h100-sxm", PriceKind.SERVER, "set", ("dgx-h100", "h100-sxm"), ""),
        ("switch:qm9700", PriceKind.SWITCH, "set", ("qm9700",), ""),
        ("accelerator:mi300x", PriceKind.ACCELERATOR, "device", ("mi300x",), ""),
        ("rent:mi300x", PriceKind.CLOUD, "device-hour", ("mi300x",), ""),
        ("class:optic-ib-400g-sm", PriceKind.OPTIC, "piece", (), "optic-ib-400g-sm"),
        ("class:ups-kva", PriceKind.FACILITY, "kVA", (), "ups-kva"),
        ("class:colocation-kw-month", PriceKind.COLOCATION, "kW-month", (), "colocation-kw-month"),
        ("line:installation@ascend-910b2", PriceKind.CONSTRUCTION, "item", ("ascend-910b2",), "installation"),
        ("line:own-extra@ascend-910b2", PriceKind.SUPPORT, "", ("ascend-910b2",), "own-extra"),
    ],
)
def test_a_key_stands_for_a_thing(
    key: str, what: PriceKind, per: str, prices: tuple[str, ...], basis: str
) -> None:
    thing = thing_of(key, host().catalogue)
    assert (thing.key, thing.what, thing.per, thing.prices, thing.basis) == (key, what, per, prices, basis)


@pytest.mark.parametrize(
    ("key", "cure"),
    [
        ("server:dgx-h10+h100-sxm", "server:dgx-h100+h100-sxm"),
        ("switch:qm970", "switch:qm9700"),
        ("class:optic-400", "class:optic-400g"),
        ("optic-400g", "class:optic-400g"),
        ("class:vat-goods", ""),
        ("line:installation@nobody", ""),
        ("line:@ascend-910b2", ""),
        ("=1+1", ""),
        ("server:", ""),
    ],
)
def test_an_unknown_key_is_told_the_nearest(key: str, cure: str) -> None:
    with pytest.raises(InputError, match="is not a known key") as raised:
        thing_of(key, host().catalogue)
    assert cure in raised.value.faults[0].cure


@pytest.mark.parametrize("name", ["small", "pretrain-70b"])
def test_every_row_that_is_asked_can_be_read_back_by_its_unit(name: str) -> None:
    for row in asked(name):
        assert thing_of(row.key, host().catalogue).per == row.unit
        for language in ("zh", "en", "bilingual"):
            assert read_unit(unit_name(row.unit, language)) == row.unit
