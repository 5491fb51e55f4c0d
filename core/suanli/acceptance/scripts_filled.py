"""The scripts of an acceptance plan, with the plan's pass values written into them."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from suanli.domain.vendor import AcceptanceBasis
from suanli.errors import Fault, PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from suanli.proposal.model import Shown, TestView

__all__ = ["filled_scripts", "script_text"]

_MARK: Final = "# PASS_VALUES"
"""Line of a shell script that is replaced by one ``NODES) echo GB/s ;;`` for each number of servers."""
_RANKS: Final = re.compile(r'^(: "\$\{RANKS_PER_NODE:=)8(\}")$', re.MULTILINE)
"""Line of a shell script that holds the devices of one server."""
_SETTINGS: Final = {
    AcceptanceBasis.GEMM: re.compile(r"^(MINIMUM_TFLOPS: float \| None = )None()$", re.MULTILINE),
    AcceptanceBasis.STORAGE_WRITE: re.compile(r'^(: "\$\{MIN_WRITE_GB_PER_S:=)(\}")$', re.MULTILINE),
    AcceptanceBasis.STORAGE_READ: re.compile(r'^(: "\$\{MIN_READ_GB_PER_S:=)(\}")$', re.MULTILINE),
}
"""Lines that hold a pass value, by what the test measures."""


def script_text(script: str) -> str:
    """Return the text of a script that a test names as ``package:path``.

    Raises:
        PluginError: there is no such package or file.
    """
    package, _, path = script.partition(":")
    try:
        return files(package).joinpath(path).read_text(encoding="utf-8")
    except (ModuleNotFoundError, OSError, ValueError, UnicodeDecodeError) as error:
        cure = "name it as package:path, and see to it that the build puts it into the package"
        raise PluginError(Fault("an acceptance script cannot be read", where=script, cure=cure)) from error


def filled_scripts(tests: Iterable[TestView]) -> dict[str, str]:
    """Return the scripts of the tests by file name, pass values written in.

    Raises:
        PluginError: a script cannot be read.
    """
    by_script: dict[str, list[TestView]] = {}
    for test in tests:
        if test.script:
            by_script.setdefault(test.script, []).append(test)
    return {
        script.rpartition("/")[2]: _filled(script_text(script), named) for script, named in by_script.items()
    }


def _filled(text: str, tests: Iterable[TestView]) -> str:
    rows: dict[int, Decimal] = {}
    for test in tests:
        if test.ranks_per_node is not None:
            text = _written(text, _RANKS, test.ranks_per_node)
        if test.basis is AcceptanceBasis.INTRA_NODE and test.threshold is not None:
            rows[1] = test.threshold.value
        rows |= {rung.nodes: rung.threshold.value for rung in test.rungs}
        pattern = _SETTINGS.get(test.basis) if test.basis is not None else None
        if pattern is not None and test.threshold is not None:
            text = _written(text, pattern, _in_script(test.threshold))
    lines = "\n".join(f"\t{nodes}) echo {value} ;;" for nodes, value in sorted(rows.items()))
    return text.replace(f"\t{_MARK}\n", f"{lines}\n" if lines else "")


def _written(text: str, pattern: re.Pattern[str], value: Decimal | int) -> str:
    """Return a text whose settings line holds a value: what stood before it, the value, what stood after."""
    return pattern.sub(lambda found: f"{found.group(1)}{value}{found.group(2)}", text)


def _in_script(threshold: Shown) -> Decimal:
    """Return a pass value in the unit of the scripts: GB/s where the plan writes MB/s."""
    return threshold.value.scaleb(-3) if threshold.unit == "MB/s" else threshold.value
