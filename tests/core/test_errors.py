"""Errors carry every fault, say where it is and what to do, and survive a worker process."""

from __future__ import annotations

import pickle

import pytest

from suanli.errors import Fault, InputError, PluginError, RenderError, SuanliError, nearest


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault("is missing"), "is missing"),
        (Fault("is missing", where="p.yaml:3"), "p.yaml:3: is missing"),
        (
            Fault("is missing", where="p.yaml:3", key="workload.tokens"),
            "p.yaml:3: workload.tokens: is missing",
        ),
        (Fault("x", why="allowed: y", cure="write y"), "x\n  allowed: y\n  write y"),
        (Fault("x", cure="write y"), "x\n  write y"),
    ],
)
def test_a_fault_reads_place_first_and_cure_last(fault: Fault, text: str) -> None:
    assert str(fault) == text


def test_a_plain_text_is_a_fault_without_a_place() -> None:
    assert InputError("broken").faults == (Fault("broken"),)


def test_every_fault_is_in_the_message() -> None:
    error = InputError([Fault("one"), Fault("two", key="b")])
    assert str(error) == "one\nb: two"


@pytest.mark.parametrize(
    ("kind", "code"), [(SuanliError, 1), (InputError, 2), (PluginError, 3), (RenderError, 4)]
)
def test_an_error_keeps_its_kind_and_its_faults_across_processes(kind: type[SuanliError], code: int) -> None:
    error = kind([Fault("one", where="here"), Fault("two")])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(again) is kind
    assert again.faults == error.faults
    assert again.exit_code == code


@pytest.mark.parametrize(("name", "hint"), [("tokns", 'did you mean "tokens"?'), ("zzz", ""), ("", "")])
def test_only_a_near_name_is_suggested(name: str, hint: str) -> None:
    assert nearest(name, ["tokens", "epochs"]) == hint
