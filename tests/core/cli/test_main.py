from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import click
import pytest

from suanli import __version__
from suanli.cli.main import COMMANDS, LazyGroup, run
from suanli.errors import Fault, InputError, PluginError, RenderError

if TYPE_CHECKING:
    from collections.abc import Callable

Capture = pytest.CaptureFixture[str]

HEAVY = ("pydantic", "numpy", "yaml", "rich", "jinja2", "pluggy", "weasyprint", "xlsxwriter", "suanli.host")


def process(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "suanli", *words],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom suanli.cli.main import run\nrun(['--help'])\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    for name, text in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(text)}$", done.stdout, re.MULTILINE)
    assert set(HEAVY).isdisjoint(done.stderr.split())


def test_help_is_there_within_a_third_of_a_second() -> None:
    times: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        assert process("--help").returncode == 0
        times.append(time.perf_counter() - start)
    assert min(times) < 0.3


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: Capture) -> None:
    assert run([name, "--help"]) == 0
    assert f"suanli {name}" in capsys.readouterr().out


def test_the_version_is_printed(capsys: Capture) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"suanli {__version__}\n"


def test_an_unknown_command_is_answered_with_the_nearest(capsys: Capture) -> None:
    assert run(["propse"]) == 2
    assert 'no command "propse"; did you mean "propose"?' in capsys.readouterr().err


def test_an_unknown_option_is_wrong_input(capsys: Capture) -> None:
    assert run(["verify", "--jsn", "."]) == 2
    assert "--jsn" in capsys.readouterr().err


def raiser(error: BaseException) -> Callable[..., click.Command]:
    def get_command(_group: LazyGroup, _context: click.Context, _name: str) -> click.Command:
        @click.command()
        def fail() -> None:
            raise error

        return fail

    return get_command


FAULTS = [Fault("first", where="acme.yaml:3", key="workload.tokens", cure="mend it"), Fault("second")]


@pytest.mark.parametrize(
    ("error", "code", "expected"),
    [
        (InputError(FAULTS), 2, "error: acme.yaml:3: workload.tokens: first\n  mend it\nerror: second\n"),
        (PluginError(FAULTS[1]), 3, "error: second\n"),
        (RenderError(FAULTS[1]), 4, "error: second\n"),
        (
            OSError(errno.ENOSPC, "No space left on device", "/out/a.pdf"),
            4,
            "/out/a.pdf: cannot be read or written",
        ),
        (ValueError("odd"), 1, "this is a fault of suanli"),
        (OSError(errno.EBADF, "bad"), 1, "this is a fault of suanli"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
    ],
    ids=["input", "plugin", "render", "disk", "internal", "internal-os", "interrupt", "abort"],
)
def test_each_error_has_its_exit_code_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, error: BaseException, code: int, expected: str
) -> None:
    monkeypatch.setattr(LazyGroup, "get_command", raiser(error))
    monkeypatch.delenv("SUANLI_DEBUG", raising=False)
    assert run(["verify"]) == code
    captured = capsys.readouterr()
    assert expected in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_the_traceback_of_an_unexpected_error_is_shown_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(LazyGroup, "get_command", raiser(ValueError("odd")))
    monkeypatch.setenv("SUANLI_DEBUG", "1")
    assert run(["verify"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_reader_that_goes_away_is_no_fault() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        words = [sys.executable, "-m", "suanli", "catalog", "prices"]
        done = subprocess.run(words, stdout=pipe, stderr=subprocess.PIPE, check=False)  # noqa: S603
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.skipif(os.name == "nt", reason="shells of POSIX")
@pytest.mark.parametrize(
    ("closing", "words", "code"),
    [(">&-", "model llama-2-7b", 0), ("2>&-", "model llama-2-7b", 0), ("2>&-", "model nothing-like-it", 2)],
)
def test_a_stream_that_the_caller_closed_is_no_fault(closing: str, words: str, code: int) -> None:
    line = f"exec {sys.executable} -m suanli {words} {closing}"
    assert subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=False).returncode == code  # noqa: S603


def test_json_is_one_valid_document_even_where_stdout_cannot_carry_chinese() -> None:
    done = process("catalog", "models", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert done.returncode == 0
    names = [row["name"]["zh"] for row in json.loads(done.stdout.decode("ascii"))["records"]]
    assert names
