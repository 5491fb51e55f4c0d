"""The examples in the docstrings of the finance library are what its functions return."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import suanli.finance

MODULES = [one.name for one in pkgutil.iter_modules(suanli.finance.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"suanli.finance.{name}"))

    assert found.attempted > 0
    assert found.failed == 0
