from __future__ import annotations

from types import MappingProxyType

import pytest

from suanli.domain.catalogue import Catalogue, Provenance
from suanli.domain.hardware import Accelerator
from suanli.errors import Fault, InputError, PluginError
from suanli.host.host import Host
from suanli.host.plugins import PluginInfo, PluginStatus


def accelerator(name: str, vendor: str) -> Accelerator:
    figure = {"unit": "GB", "value": 64, "source": "s", "confidence": "datasheet", "check": "direct"}
    text = {"zh": "甲", "en": "A"}
    return Accelerator.model_validate(
        {"id": name, "name": text, "vendor": vendor, "maker": text, "dense_peak": {}, "memory": figure}
    )


def plugin(name: str, status: PluginStatus = PluginStatus.OK) -> PluginInfo:
    faults = (
        (Fault("cannot be imported: boom", where=f"{name}.plugin"),) if status is PluginStatus.FAILED else ()
    )
    return PluginInfo(name, f"suanli-{name}", "1.0", f"{name}.plugin", 1, status, faults=faults)


def host(*plugins: PluginInfo, devices: dict[str, tuple[str, str]] | None = None) -> Host:
    """Make a host; `devices` gives (vendor, plugin) by accelerator id."""
    entries = [
        (accelerator(name, vendor), Provenance(owner, f"suanli-{owner}", "1.0"))
        for name, (vendor, owner) in (devices or {"x1": ("acme", "acme")}).items()
    ]
    return Host(plugins=plugins, catalogue=Catalogue.of(entries), scenarios=MappingProxyType({}))


def test_what_is_there_is_enough() -> None:
    sound = host(plugin("acme"))
    sound.require("vendors", "acme")
    sound.require("accelerators", "x1")


def test_an_unknown_name_is_the_fault_of_the_input_and_the_nearest_is_named() -> None:
    with pytest.raises(InputError, match=r'vendors.consider: "acmee" is not among the vendors') as caught:
        host(plugin("acme")).require("vendors", "acmee", key="vendors.consider")
    assert caught.value.faults[0].cure == 'did you mean "acme"?'
    assert caught.value.faults[0].why == "known: acme"


def test_a_vendor_whose_plugin_failed_is_the_fault_of_the_plugin() -> None:
    with pytest.raises(PluginError, match='vendor "zeta" is needed') as caught:
        host(plugin("acme"), plugin("zeta", PluginStatus.FAILED)).require("vendors", "zeta")
    assert caught.value.exit_code == 3
    assert 'plugin "zeta" (suanli-zeta 1.0): zeta.plugin: cannot be imported: boom' in str(caught.value)


def test_a_vendor_that_is_there_in_part_is_the_fault_of_its_plugin() -> None:
    with pytest.raises(PluginError, match='vendor "acme" is needed'):
        host(plugin("acme", PluginStatus.FAILED)).require("vendors", "acme")


def test_a_strangers_broken_addition_does_not_bar_a_vendor() -> None:
    devices = {"x1": ("acme", "acme"), "x2": ("acme", "addon")}
    host(plugin("acme"), plugin("addon", PluginStatus.FAILED), devices=devices).require("vendors", "acme")


def test_a_vendor_without_a_plugin_of_its_name_depends_on_all_who_give_its_devices() -> None:
    devices = {"x1": ("acme", "one"), "x2": ("acme", "two")}
    with pytest.raises(PluginError):
        host(plugin("one"), plugin("two", PluginStatus.FAILED), devices=devices).require("vendors", "acme")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("zeta-9000", PluginError),  # begins with the name of a failed plugin
        ("something-else", PluginError),  # may have come from it
        ("x11", InputError),  # a misspelling of x1
    ],
)
def test_an_unknown_device_is_laid_to_a_failed_plugin_unless_it_is_a_misspelling(
    name: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        host(plugin("acme"), plugin("zeta", PluginStatus.FAILED)).require("accelerators", name)


def test_a_disabled_plugin_is_mentioned_where_something_is_missing() -> None:
    with pytest.raises(
        InputError, match="known: acme; SUANLI_DISABLE_PLUGINS leaves out zeta, which may have it"
    ):
        host(plugin("acme"), plugin("zeta", PluginStatus.DISABLED)).require("vendors", "zeta")


def test_a_long_list_is_counted_rather_than_printed() -> None:
    devices = {f"d{number}": ("acme", "acme") for number in range(20)}
    with pytest.raises(InputError, match="suanli catalog accelerators lists the 20 known"):
        host(plugin("acme"), devices=devices).require("accelerators", "nothing-like-it")


def test_an_unknown_scenario_and_an_unknown_format_say_what_there_is() -> None:
    with pytest.raises(InputError, match='"distil" is not among the scenarios'):
        host(plugin("acme")).scenario("distil")
    with pytest.raises(InputError, match='--formats: "md" is not among the renderers'):
        host(plugin("acme")).renderer("md")


def test_a_failed_plugin_gives_one_notice_in_both_languages() -> None:
    (notice,) = host(plugin("acme"), plugin("zeta", PluginStatus.FAILED)).notices
    assert notice.en == (
        'Plugin "zeta" (suanli-zeta 1.0) has failed and what is wrong is left out: '
        "zeta.plugin: cannot be imported: boom"
    )
    assert notice.zh.startswith("插件“zeta”（suanli-zeta 1.0）有问题")


def test_an_unknown_plugin_is_said_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match='did you mean "acme"'):
        host(plugin("acme")).plugin("acmo")
