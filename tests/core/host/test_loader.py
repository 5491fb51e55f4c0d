from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from suanli.domain.figure import Source
from suanli.domain.hardware import Accelerator
from suanli.host.loader import disabled_by_environment, load_host
from suanli.host.plugins import PluginStatus

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.planting import Greenhouse

    from suanli.errors import Fault
    from suanli.host.host import Host

GOOD = """
@hookimpl
def suanli_records():
    yield source("good-one")
"""

FIGURES = """
def figure(unit, value, source="sheet"):
    return {"value": value, "unit": unit, "source": source, "confidence": "datasheet", "check": "direct"}

def accelerator(name, memory_source="sheet", **more):
    return Accelerator.model_validate({
        "id": name, "name": {"zh": "甲", "en": "A"}, "vendor": "acme", "maker": {"zh": "甲", "en": "Acme"},
        "dense_peak": {"bf16": figure("TFLOPS", 300)}, "memory": figure("GB", 64, memory_source), **more,
    })

def server(name, device, **more):
    return Server.model_validate({
        "id": name, "name": {"zh": "乙", "en": "B"}, "vendor": "acme", "maker": {"zh": "甲", "en": "Acme"},
        "accelerator": device, "accelerator_count": 8, "scale_up_domain": 8, **more,
    })

def power(name, server):
    share = figure("fraction", 0.8)
    return PowerModel.model_validate({"id": name, "server": server, "training_fraction": share})

def fit(scope, subject):
    return Fit(id=f"fit-{scope}", scope=scope, subject=subject, constants={}, groups=1)
"""


def fault_of(host: Host, plugin: str) -> Fault:
    faults = host.plugin(plugin).faults
    assert len(faults) == 1, faults
    return faults[0]


def ids(host: Host, kind: str = "sources") -> list[str]:
    return list(host.catalogue.records.get(kind, {}))


# One row a way to be wrong: the module, whether it has the usual header, and what the message must say.
BROKEN = {
    "import-error": ("import no_such_module_here", True, "cannot be imported: ModuleNotFoundError"),
    "syntax-error": ("def suanli_records(:", True, "cannot be imported: SyntaxError"),
    "system-exit": ("raise SystemExit(3)", True, "cannot be imported: SystemExit: 3"),
    "no-version": ("", False, "has no API_VERSION"),
    "text-version": ("API_VERSION = '1'", False, "API_VERSION is '1'"),
    "boolean-version": ("API_VERSION = True", False, "API_VERSION is True"),
    "newer-version": ("API_VERSION = 2", False, "speaks contract 2; this host speaks 1; upgrade suanli"),
    "older-version": ("API_VERSION = 0", False, "speaks contract 0; this host speaks 1; upgrade bad-plugin"),
    "unmarked-hook": ("def suanli_records(): yield", True, "has the name of a hook but is not marked as one"),
    "misspelt-hook": ("@hookimpl\ndef suanli_recrods(): yield", True, '"suanli_recrods" is marked as a hook'),
    "arguments": ("@hookimpl\ndef suanli_records(catalogue): yield", True, "takes catalogue"),
    "raises": (
        "@hookimpl\ndef suanli_records(): raise RuntimeError('no data')",
        True,
        "raised RuntimeError: no data",
    ),
    "exits": ("@hookimpl\ndef suanli_records(): raise SystemExit", True, "raised SystemExit"),
    "returns-nothing": ("@hookimpl\ndef suanli_records(): pass", True, "returns nothing"),
    "returns-text": ("@hookimpl\ndef suanli_records(): return 'abc'", True, "returns a str"),
    "yields-text": ("@hookimpl\ndef suanli_records(): yield from 'ab'", True, "yielded 2 × str"),
    "yields-other-type": ("@hookimpl\ndef suanli_scenarios(): yield source('x')", True, "yielded 1 × Source"),
    "id-not-kebab": (
        "@hookimpl\ndef suanli_records(): yield Source.model_construct(id='Not Kebab')",
        True,
        "id 'Not Kebab' is not kebab-case",
    ),
    "unknown-kind": (
        (
            "class Widget(Record):\n    kind = 'acelerators'\n"
            "@hookimpl\ndef suanli_records(): yield Widget(id='w')"
        ),
        True,
        "is of unknown kind 'acelerators'",
    ),
    "own-pending-hook-of-pluggy": (
        "import pluggy\n@pluggy.HookimplMarker('suanli')(specname='suanli_nothing')\ndef f(): yield",
        True,
        '"suanli_nothing" is marked as a hook',
    ),
}


@pytest.mark.parametrize(("code", "header", "expected"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_is_named_and_its_neighbour_goes_on(
    greenhouse: Greenhouse,
    code: str,
    header: bool,  # noqa: FBT001 - a row of the table
    expected: str,
) -> None:
    greenhouse.plant("bad", code, header=header, version="3.4")
    greenhouse.plant("good", GOOD)
    host = greenhouse.load()
    bad = host.plugin("bad")
    assert bad.status is PluginStatus.FAILED
    assert bad.label == 'plugin "bad" (bad-plugin 3.4)'
    assert expected in fault_of(host, "bad").what
    assert host.plugin("good").status is PluginStatus.OK
    assert ids(host) == ["good-one"]
    assert host.problems == ((bad, bad.faults[0]),)


@pytest.mark.parametrize(
    ("case", "cure"),
    [
        ("import-error", "SUANLI_DISABLE_PLUGINS=bad leaves it out"),
        ("newer-version", "SUANLI_DISABLE_PLUGINS=bad leaves it out"),
        ("no-version", "add API_VERSION = 1"),
        ("misspelt-hook", 'did you mean "suanli_records"?'),
        ("arguments", "write def suanli_records():"),
        ("unknown-kind", 'did you mean "accelerators"?'),
    ],
)
def test_the_message_says_what_to_do_next(greenhouse: Greenhouse, case: str, cure: str) -> None:
    code, header, _ = BROKEN[case]
    greenhouse.plant("bad", code, header=header)
    assert cure in fault_of(greenhouse.load(), "bad").cure


def test_what_a_hook_yielded_before_it_raised_is_kept(greenhouse: Greenhouse) -> None:
    greenhouse.plant(
        "half",
        GOOD + "    yield source('two')\n    raise ValueError('disk gone')\n    yield source('three')\n",
    )
    host = greenhouse.load()
    assert ids(host) == ["good-one", "two"]
    fault = fault_of(host, "half")
    assert "raised ValueError: disk gone at planted_half_plugin_half:" in fault.what
    assert fault.why == "the 2 that it yielded before are kept"
    assert host.plugin("half").counts == {"sources": 2}


def test_all_faults_of_a_plugin_error_are_kept(greenhouse: Greenhouse) -> None:
    greenhouse.plant(
        "many",
        """
        from suanli.errors import Fault, PluginError
        @hookimpl
        def suanli_records():
            raise PluginError([Fault("one", where="a.yaml"), Fault("two", where="b.yaml")])
        """,
    )
    assert [fault.what for fault in greenhouse.load().plugin("many").faults] == ["one", "two"]


def test_the_good_hooks_of_a_plugin_with_a_misspelt_one_are_kept(greenhouse: Greenhouse) -> None:
    greenhouse.plant("mixed", GOOD + "@hookimpl\ndef suanli_scenario(): yield\n")
    host = greenhouse.load()
    assert ids(host) == ["good-one"]
    assert host.plugin("mixed").hooks == ("suanli_records",)
    assert fault_of(host, "mixed").cure == 'did you mean "suanli_scenarios"?'


def test_a_keyboard_interrupt_is_not_taken_for_a_fault(greenhouse: Greenhouse) -> None:
    greenhouse.plant("stop", "@hookimpl\ndef suanli_records(): raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        greenhouse.load()


def test_a_disabled_plugin_is_listed_but_not_imported(greenhouse: Greenhouse) -> None:
    greenhouse.plant("bad", "raise RuntimeError")
    info = greenhouse.load("bad").plugin("bad")
    assert (info.status, info.faults, info.api_version) == (PluginStatus.DISABLED, (), None)


def test_the_environment_names_disabled_plugins_between_commas() -> None:
    assert disabled_by_environment({"SUANLI_DISABLE_PLUGINS": " a, b ,,"}) == {"a", "b"}
    assert disabled_by_environment({}) == frozenset()


def test_disabling_a_plugin_that_is_not_there_is_said_with_the_nearest_name(greenhouse: Greenhouse) -> None:
    greenhouse.plant("good", GOOD)
    (fault,) = greenhouse.load("goood").settings_faults
    assert (fault.what, fault.cure) == ('no plugin is named "goood"', 'did you mean "good"?')


def test_two_distributions_that_claim_one_name_are_both_named_and_neither_is_loaded(
    greenhouse: Greenhouse,
) -> None:
    greenhouse.plant("twin", GOOD, distribution="first-twin")
    greenhouse.plant("twin", GOOD, distribution="second-twin", version="2.0")
    host = greenhouse.load()
    assert fault_of(host, "twin").what == 'the name "twin" is claimed by first-twin 0.1, second-twin 2.0'
    assert ids(host) == []


def test_records_that_differ_under_one_id_are_both_left_out_and_both_plugins_named(
    greenhouse: Greenhouse,
) -> None:
    greenhouse.plant("one", GOOD)
    greenhouse.plant(
        "two", GOOD.replace("source(", "Source(title='Other', publisher='B', retrieved=date(2026, 1, 1), id=")
    )
    host = greenhouse.load()
    assert ids(host) == []
    assert 'by plugin "two" (two-plugin 0.1)' in fault_of(host, "one").what
    fault = fault_of(host, "two")
    assert 'by plugin "one" (one-plugin 0.1)' in fault.what
    assert fault.key == "sources[good-one]"
    assert "SUANLI_DISABLE_PLUGINS=one leaves it out" in fault.cure


def test_equal_records_under_one_id_are_a_fault_but_one_is_kept(greenhouse: Greenhouse) -> None:
    greenhouse.plant("one", GOOD)
    greenhouse.plant("two", GOOD)
    host = greenhouse.load()
    assert ids(host) == ["good-one"]
    assert {plugin.name for plugin, _ in host.problems} == {"one", "two"}


def test_a_record_given_twice_by_one_plugin_says_so(greenhouse: Greenhouse) -> None:
    greenhouse.plant("one", GOOD + "    yield source('good-one')\n")
    assert fault_of(greenhouse.load(), "one").what == "is given 2 times by this plugin"


@pytest.mark.parametrize(
    ("records", "left", "keys"),
    [
        (
            "source('sheet'), accelerator('x1', 'shett')",
            {"sources": ["sheet"]},
            ["accelerators[x1].memory.source"],
        ),
        (
            "source('sheet'), accelerator('x1', 'shett'), server('s1', 'x1'), power('p1', 's1')",
            {"sources": ["sheet"]},
            ["accelerators[x1].memory.source", "servers[s1].accelerator", "power-models[p1].server"],
        ),
        (
            "source('sheet'), accelerator('x1'), server('s1', 'x1'), server('s2', 'x2')",
            {"accelerators": ["x1"], "servers": ["s1"], "sources": ["sheet"]},
            ["servers[s2].accelerator"],
        ),
        (
            "source('sheet'), fit('stack', 'nowhere'), fit('device', 'x1'), fit('shared', 'all')",
            {"fits": ["fit-device", "fit-shared"], "sources": ["sheet"]},
            ["fits[fit-stack].subject"],
        ),
        (
            "source('sheet'), accelerator('x1'), server('s1', 'x1', text_sources={'cpus': 'nowhere'})",
            {"accelerators": ["x1"], "sources": ["sheet"]},
            ["servers[s1].text_sources.cpus"],
        ),
    ],
    ids=["source", "what-depends-on-it-falls-too", "accelerator", "stack-of-a-fit", "source-of-a-text"],
)
def test_a_record_that_refers_to_nothing_is_left_out(
    greenhouse: Greenhouse, records: str, left: dict[str, list[str]], keys: list[str]
) -> None:
    greenhouse.plant("acme", f"{FIGURES}\n@hookimpl\ndef suanli_records(): yield from [{records}]\n")
    host = greenhouse.load()
    assert {kind: list(found) for kind, found in host.catalogue.records.items()} == left
    assert [fault.key for fault in host.plugin("acme").faults] == keys


def test_one_missing_source_is_one_fault_however_many_records_name_it(greenhouse: Greenhouse) -> None:
    records = "yield from [accelerator(f'x{n}', 'shett') for n in range(6)]"
    greenhouse.plant("acme", f"{FIGURES}\n@hookimpl\ndef suanli_records(): {records}\n")
    faults = {fault.what: fault for fault in greenhouse.load().plugin("acme").faults}
    assert set(faults) == {
        f'names source "{name}", which no loaded plugin has' for name in ("sheet", "shett")
    }
    fault = faults['names source "shett", which no loaded plugin has']
    assert fault.key == "accelerators[x0].memory.source"
    assert "accelerators[x1], accelerators[x2], accelerators[x3] and 2 more, which name it too" in fault.why


@pytest.mark.parametrize(
    ("amount", "currency", "kept"),
    [
        ("1200000", "CNY", True),
        ("0", "CNY", False),
        ("-5", "USD", False),
        ("0", "%", True),
        ("-2", "%", True),
    ],
)
def test_a_price_that_is_not_above_zero_never_reaches_a_total(
    greenhouse: Greenhouse, amount: str, currency: str, *, kept: bool
) -> None:
    price = {
        "id": "p1", "item": {"zh": "甲", "en": "A"}, "what": "server", "basis": "server", "amount": amount,
        "currency": currency, "per": "server", "dated": "2026", "valid_from": "2026-01-01",
        "valid_to": "2026-12-31", "source": "sheet", "confidence": "list", "check": "direct",
    }  # fmt: skip
    code = f"yield from [source('sheet'), Price.model_validate({price!r})]"
    greenhouse.plant("acme", f"@hookimpl\ndef suanli_records(): {code}\n")
    host = greenhouse.load()
    assert ids(host, "prices") == (["p1"] if kept else [])
    assert kept or fault_of(host, "acme").what == f"{amount} is not positive"


def test_a_missing_source_is_said_with_the_nearest_one(greenhouse: Greenhouse) -> None:
    records = "yield from [source('sheet'), accelerator('x1', 'shett')]"
    greenhouse.plant("acme", f"{FIGURES}\n@hookimpl\ndef suanli_records(): {records}\n")
    fault = fault_of(greenhouse.load(), "acme")
    assert fault.what == 'names source "shett", which no loaded plugin has'
    assert fault.cure == 'did you mean "sheet"?'


def test_a_reference_into_another_plugin_is_good(greenhouse: Greenhouse) -> None:
    greenhouse.plant("sources", "@hookimpl\ndef suanli_records(): yield source('sheet')")
    greenhouse.plant("acme", f"{FIGURES}\n@hookimpl\ndef suanli_records(): yield accelerator('x1')")
    host = greenhouse.load()
    assert host.problems == ()
    assert host.catalogue.get(Accelerator, "x1").vendor == "acme"


def test_what_refers_to_a_disabled_plugin_is_left_out_and_counted(
    greenhouse: Greenhouse,
) -> None:
    greenhouse.plant("sources", "@hookimpl\ndef suanli_records(): yield source('sheet')")
    greenhouse.plant("acme", f"{FIGURES}\n@hookimpl\ndef suanli_records(): yield accelerator('x1')")
    host = greenhouse.load("sources")
    assert host.problems == ()
    assert host.plugin("acme").left_out == 1
    assert host.plugin("acme").counts == {}


def test_a_missing_reference_blames_the_plugin_that_failed(greenhouse: Greenhouse) -> None:
    greenhouse.plant("sources", "import no_such_module_here")
    greenhouse.plant("acme", f"{FIGURES}\n@hookimpl\ndef suanli_records(): yield server('s1', 'x1')")
    assert "sources failed and may have had it" in fault_of(greenhouse.load(), "acme").why


def test_the_result_does_not_depend_on_the_order_in_which_plugins_are_found(greenhouse: Greenhouse) -> None:
    for name in "dbeca":
        greenhouse.plant(
            name, f"@hookimpl\ndef suanli_records(): yield from [source('{name}-2'), source('{name}-1')]"
        )
    entries = greenhouse.entry_points()
    hosts: list[Host] = []
    for seed in range(4):
        random.Random(seed).shuffle(entries)  # noqa: S311 - not for secrets
        hosts.append(load_host(entries, disabled=()))
    assert all(host == hosts[0] for host in hosts)
    assert [plugin.name for plugin in hosts[0].plugins] == list("abcde")
    assert [record.id for record in hosts[0].catalogue.all(Source)] == [
        f"{name}-{n}" for name in "abcde" for n in "12"
    ]


def test_what_a_plugin_prints_does_not_reach_stdout(
    greenhouse: Greenhouse, capsys: pytest.CaptureFixture[str]
) -> None:
    greenhouse.plant("loud", "print('hello from import')\n" + GOOD + "    print('hello from hook')\n")
    greenhouse.load()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hello from import" in captured.err
    assert "hello from hook" in captured.err


def test_the_record_remembers_plugin_distribution_and_version(greenhouse: Greenhouse) -> None:
    greenhouse.plant("good", GOOD, version="1.2.3")
    origin = greenhouse.load().catalogue.provenance["sources", "good-one"]
    assert (origin.plugin, origin.distribution, origin.version) == ("good", "good-plugin", "1.2.3")


def test_a_module_whose_attributes_raise_is_a_fault(greenhouse: Greenhouse) -> None:
    greenhouse.plant("odd", GOOD + "\ndef __dir__(): raise RuntimeError('no listing')\n")
    assert "no listing" in fault_of(greenhouse.load(), "odd").what


def test_loading_twice_gives_the_same_host(greenhouse: Greenhouse) -> None:
    greenhouse.plant("good", GOOD)
    load: Callable[[], Host] = greenhouse.load
    assert load() == load()
