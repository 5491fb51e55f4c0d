"""The wrappers of the collective tests, run with stand-ins for the tools that print what those print."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from suanli.acceptance.scripts_filled import script_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BASH = shutil.which("bash") or ""
pytestmark = pytest.mark.skipif(not BASH, reason="there is no bash")

NCCL, RCCL = "suanli_nvidia:acceptance/nccl_tests.sh", "suanli_amd:acceptance/rccl_tests.sh"
HCCL, FIO = "suanli_ascend:acceptance/hccl_test.sh", "suanli:acceptance/scripts/storage_fio.sh"
ALL = (NCCL, RCCL, HCCL, FIO)
BUILT = (
    "nccl-tests/build/all_reduce_perf",
    "rccl-tests/build/all_reduce_perf",
    *(f"hccl_test/bin/{one}_test" for one in ("all_reduce", "all_gather", "reduce_scatter")),
)
"""Programs of the tools, where the scripts look for them in a test."""


def start(
    script: str, folder: Path, tools: Mapping[str, str], *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder in which the tools have the bodies given."""
    binaries = folder / "bin"
    binaries.mkdir(exist_ok=True)
    for name, body in tools.items():
        place = binaries / name
        place.write_text(f"#!{BASH}\n{body}\n")
        place.chmod(0o755)
    # mpirun stands in for the tests as well, which only have to be there.
    for tool in BUILT if "mpirun" in tools else ():
        place = folder / tool
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("")
        place.chmod(0o755)
    place = folder / script.rpartition("/")[2]
    place.write_text(script_text(script))
    return subprocess.run(  # noqa: S603 - our own script
        [BASH, str(place), *words],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env={
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "HCCL_TEST": str(folder / "hccl_test"),
            **environment,
        },
    )


@pytest.mark.parametrize("script", ALL)
def test_a_script_is_sound_and_stops_at_the_first_error(script: str, tmp_path: Path) -> None:
    place = tmp_path / "script.sh"
    place.write_text(script_text(script))
    done = subprocess.run([BASH, "-n", str(place)], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
    assert "set -euo pipefail" in script_text(script)


def nccl_output(busbw: float, in_place: float | None = None, wrong: int = 0, tail: str = "") -> str:
    """Return a stand-in for mpirun that prints two sizes as nccl-tests does."""
    second = busbw if in_place is None else in_place
    return f"""cat <<'X'
# size count type redop root time algbw busbw #wrong time algbw busbw #wrong
  8  2  float  sum  -1  20.00  0.00  0.00  0  20.00  0.00  0.00  0
  17179869184  4294967296  float  sum  -1  65500  262.30  {busbw:.2f}  {wrong}  65400  262.70  {second:.2f}  0
# Out of bounds values : 0 OK
{tail}
X"""


@pytest.mark.parametrize("script", [NCCL, RCCL])
@pytest.mark.parametrize(
    ("minimum", "code", "verdict"), [("", 0, "no pass value"), ("450", 0, "passed"), ("470", 1, "below")]
)
def test_the_lower_of_both_columns_at_the_largest_message_is_judged(
    script: str, minimum: str, code: int, verdict: str, tmp_path: Path
) -> None:
    tools = {"mpirun": nccl_output(475.0, in_place=459.0)}
    done = start(script, tmp_path, tools, MIN_BUSBW_GB_PER_S=minimum)
    assert done.returncode == code, done.stderr
    assert "459.00 GB/s" in done.stdout
    assert verdict in done.stdout


def test_the_worst_of_three_runs_counts(tmp_path: Path) -> None:
    count = (
        "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; case $n in 1) v=440.00 ;; *) v=470.00 ;; esac"
    )
    body = f"{count}\n" + nccl_output(470.0).replace("<<'X'", "<<X").replace("470.00", "$v")
    done = start(NCCL, tmp_path, {"mpirun": body}, MIN_BUSBW_GB_PER_S="460")
    assert done.returncode == 1
    assert "worst of 3 runs 440.00 GB/s" in done.stdout


def test_a_wrong_result_outranks_the_bandwidth(tmp_path: Path) -> None:
    done = start(NCCL, tmp_path, {"mpirun": nccl_output(480.0, wrong=2)}, MIN_BUSBW_GB_PER_S="1")
    assert done.returncode == 3
    assert "wrong results" in done.stderr


@pytest.mark.parametrize("body", ["exit 1", "echo nothing"])
def test_a_tool_that_fails_or_prints_nothing_is_no_pass(body: str, tmp_path: Path) -> None:
    done = start(NCCL, tmp_path, {"mpirun": body}, MIN_BUSBW_GB_PER_S="1")
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("script", "binary", "variable"),
    [
        (NCCL, "nccl-tests/build/all_reduce_perf", "NCCL_TESTS"),
        (RCCL, "rccl-tests/build/all_reduce_perf", "RCCL_TESTS"),
        (HCCL, "hccl_test/bin/all_reduce_test", "HCCL_TEST"),
    ],
)
def test_a_missing_tool_is_named_with_an_exit_code_of_its_own(
    script: str, binary: str, variable: str, tmp_path: Path
) -> None:
    done = start(script, tmp_path, {}, MIN_BUSBW_GB_PER_S="1")
    assert done.returncode == 4
    assert f"{binary} is not there" in done.stderr
    assert f"set {variable} to" in done.stderr
    assert not list(tmp_path.glob("*.log"))


@pytest.mark.parametrize("script", [NCCL, RCCL, HCCL])
def test_a_missing_launcher_is_told_apart_from_a_test_that_failed(script: str, tmp_path: Path) -> None:
    start(script, tmp_path, {"mpirun": "exit 1"})
    (tmp_path / "bin" / "mpirun").unlink()
    done = start(script, tmp_path, {}, PATH=str(tmp_path / "bin"))
    assert done.returncode == 4
    assert "mpirun is not there" in done.stderr


def test_sockets_between_nodes_are_no_rdma(tmp_path: Path) -> None:
    tail = "node:1:2 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/Socket/0"
    tools = {"mpirun": nccl_output(480.0, tail=tail)}
    done = start(NCCL, tmp_path, tools, NODES="2", HOSTS="hosts", MIN_BUSBW_GB_PER_S="1")
    assert done.returncode == 1
    assert "RDMA is not active" in done.stderr


def test_several_nodes_need_a_list_of_hosts(tmp_path: Path) -> None:
    done = start(NCCL, tmp_path, {"mpirun": nccl_output(480.0)}, NODES="2")
    assert done.returncode != 0
    assert "HOSTS" in done.stderr


def test_ranks_are_servers_times_devices(tmp_path: Path) -> None:
    tools = {"mpirun": 'echo "$@" >words\n' + nccl_output(300.0)}
    start(NCCL, tmp_path, tools, NODES="4", HOSTS="hosts", RANKS_PER_NODE="8")
    words = (tmp_path / "words").read_text()
    assert words.startswith("-np 32 --map-by ppr:8:node")
    assert "all_reduce_perf -b 8 -e 16G -f 2 -g 1 -w 5 -n 20 -c 1" in words


def hccl_output(algbw: float, result: str = "success") -> str:
    """Return a stand-in for mpirun that prints as hccl_test does; the check is asked for by -c 1."""
    return f"""case "$*" in *"-c 1"*) r={result} ;; *) r=NULL ;; esac
cat <<X
data_size(Bytes):  |  aveg_time(us):  |  alg_bandwidth(GB/s):  |  check_result:
1048576            |  100.00          |  10.48                 |  $r
4294967296         |  50000.00        |  {algbw:.5f}               |  $r
X"""


@pytest.mark.parametrize(
    ("collective", "busbw"),
    [("all_reduce_test", "140.00"), ("all_gather_test", "70.00"), ("reduce_scatter_test", "70.00")],
)
def test_algorithm_bandwidth_is_converted_to_bus_bandwidth(
    collective: str, busbw: str, tmp_path: Path
) -> None:
    done = start(HCCL, tmp_path, {"mpirun": hccl_output(80.0)}, COLLECTIVE=collective)
    assert done.returncode == 0, done.stderr
    assert f"busbw {busbw} GB/s" in done.stdout


@pytest.mark.parametrize(("minimum", "code"), [("140", 0), ("140.1", 1)])
def test_the_converted_value_is_the_one_that_is_judged(minimum: str, code: int, tmp_path: Path) -> None:
    done = start(HCCL, tmp_path, {"mpirun": hccl_output(80.0)}, MIN_BUSBW_GB_PER_S=minimum)
    assert done.returncode == code


@pytest.mark.parametrize("result", ["failed", "NULL"])
def test_a_result_that_the_tool_did_not_confirm_is_no_pass(result: str, tmp_path: Path) -> None:
    done = start(HCCL, tmp_path, {"mpirun": hccl_output(80.0, result)}, MIN_BUSBW_GB_PER_S="1")
    assert done.returncode == 3


def test_a_collective_without_a_conversion_is_refused(tmp_path: Path) -> None:
    done = start(HCCL, tmp_path, {"mpirun": hccl_output(80.0)}, COLLECTIVE="broadcast_test")
    assert done.returncode == 2


def fio_output(read_kib: int, write_kib: int) -> str:
    fields = ["0"] * 130
    fields[0], fields[6], fields[47] = "3", str(read_kib), str(write_kib)
    return f"echo '{';'.join(fields)}'"


@pytest.mark.parametrize(("mode", "expected"), [("read", "1.024"), ("write", "2.048")])
def test_a_client_prints_its_bandwidth_in_ten_to_the_ninth_bytes(
    mode: str, expected: str, tmp_path: Path
) -> None:
    tools = {"fio": fio_output(1_000_000, 2_000_000)}
    done = start(FIO, tmp_path, tools, mode, TARGET=str(tmp_path / "fs"), SIZE="64M", PEER="peer")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{mode} {expected} GB/s of this client\n"


@pytest.mark.parametrize(("minimum", "code"), [("", 0), ("7.5", 0), ("7.6", 1)])
def test_the_sum_of_all_clients_is_judged(minimum: str, code: int, tmp_path: Path) -> None:
    for name, rate in (("a", 2.5), ("b", 5.0)):
        (tmp_path / f"write.{name}").write_text(f"write {rate} GB/s of this client\n")
    done = start(FIO, tmp_path, {}, "sum", "write", "write.a", "write.b", MIN_WRITE_GB_PER_S=minimum)
    assert done.returncode == code
    assert "write 7.500 GB/s of 2 clients" in done.stdout


@pytest.mark.parametrize("words", [[], ["erase"], ["sum", "write"], ["sum", "both", "x"]])
def test_misuse_of_the_storage_script_is_told(words: list[str], tmp_path: Path) -> None:
    done = start(FIO, tmp_path, {}, *words)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_the_scripts_of_both_forks_of_the_same_tool_stay_in_step() -> None:
    # Plugins of vendors do not know one another, so each carries its script whole.
    nvidia = _common(script_text(NCCL))
    amd = _common(script_text(RCCL).replace("RCCL", "NCCL").replace("rccl", "nccl"))

    assert amd == nvidia
    assert len(nvidia) > 50


def _common(script: str) -> list[str]:
    """Return the lines that must agree: the largest message and NVLink's own variable are NVIDIA's."""
    lines = script.replace(" NCCL_NVLS_ENABLE", "").splitlines()
    return [line for line in lines if not line.startswith(': "${MAX_SIZE:=')]
