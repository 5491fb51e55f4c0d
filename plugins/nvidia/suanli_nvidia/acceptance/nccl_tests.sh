#!/usr/bin/env bash
# Collectives with nccl-tests on one server or several, worst of three runs at the largest message.
#
#   ./nccl_tests.sh                                  # this server alone
#   NODES=16 HOSTS=hosts.txt ./nccl_tests.sh         # 16 servers, Open MPI
#   COLLECTIVE=all_gather_perf NODES=16 HOSTS=hosts.txt ./nccl_tests.sh
#
# hosts.txt: one line for each server, "name slots=8". Exit code 1: below the pass value; 2: misuse or a tool that
# failed; 3: wrong results; 4: the test or mpirun is not there. busbw is in GB/s of 10^9 bytes, for one rank and
# one direction.
set -euo pipefail

: "${NCCL_TESTS:=./nccl-tests/build}"
: "${COLLECTIVE:=all_reduce_perf}"
: "${NODES:=1}"
: "${RANKS_PER_NODE:=8}"
: "${MIN_SIZE:=8}"
: "${MAX_SIZE:=16G}"
: "${RUNS:=3}"
: "${LOGS:=.}"

# Pass values of all-reduce by number of servers; `suanli acceptance` writes the plan's here.
pass_value() {
	case "$1" in
	# PASS_VALUES
	*) ;;
	esac
}
if [ "$COLLECTIVE" = all_reduce_perf ]; then
	: "${MIN_BUSBW_GB_PER_S:=$(pass_value "$NODES")}"
fi
: "${MIN_BUSBW_GB_PER_S:=}"

binary="$NCCL_TESTS/$COLLECTIVE"
if [ ! -x "$binary" ]; then
	echo "$binary is not there or cannot be run: build nccl-tests and set NCCL_TESTS to the folder of its programs" >&2
	exit 4
fi
if ! command -v mpirun >/dev/null; then
	echo "mpirun is not there: install Open MPI or put it on PATH" >&2
	exit 4
fi

ranks=$((NODES * RANKS_PER_NODE))
# One process for each accelerator (-g 1), also on one server: that is how training runs it. Five rounds of
# warm-up, twenty timed ones, results checked (-c 1).
test=("$binary" -b "$MIN_SIZE" -e "$MAX_SIZE" -f 2 -g 1 -w 5 -n 20 -c 1)
launch=(mpirun -np "$ranks" --map-by "ppr:$RANKS_PER_NODE:node" --bind-to numa)
if [ "$NODES" -gt 1 ]; then
	launch+=(--hostfile "${HOSTS:?file with one line for each server, \"name slots=$RANKS_PER_NODE\"}")
fi
# The log names the transport that was chosen: NET/IB is RDMA, NET/Socket is not.
launch+=(-x NCCL_DEBUG=INFO -x NCCL_DEBUG_SUBSYS=INIT,NET)
for name in NCCL_SOCKET_IFNAME NCCL_IB_HCA NCCL_NVLS_ENABLE LD_LIBRARY_PATH; do
	if [ -n "${!name:-}" ]; then launch+=(-x "$name"); fi
done

worst=""
for run in $(seq "$RUNS"); do
	log="$LOGS/$COLLECTIVE.nodes-$NODES.run-$run.log"
	if ! "${launch[@]}" "${test[@]}" >"$log" 2>&1; then
		echo "the test failed, see $log" >&2
		exit 2
	fi
	# Lines of results begin with the size in bytes. The columns count from the end, since a version may add some
	# before them: out of place ... algbw busbw #wrong, in place time algbw busbw #wrong.
	busbw="$(awk '
		$1 ~ /^[0-9]+$/ && NF >= 12 {
			wrong += ($(NF - 4) == "N/A" ? 0 : $(NF - 4)) + ($NF == "N/A" ? 0 : $NF)
			if ($1 + 0 >= size) { size = $1 + 0; slow = ($(NF - 5) < $(NF - 1)) ? $(NF - 5) : $(NF - 1) }
		}
		END { if (size == 0) exit 2; if (wrong > 0) exit 3; print slow }' "$log")" || {
		code=$?
		[ "$code" -eq 3 ] && echo "wrong results, see $log" >&2 || echo "no results in $log" >&2
		exit "$code"
	}
	echo "run $run: busbw $busbw GB/s at the largest message"
	if [ -z "$worst" ] || awk "BEGIN { exit !($busbw < $worst) }"; then worst="$busbw"; fi
done
if [ "$NODES" -gt 1 ] && grep -qE "via NET/Socket|Using network Socket" "$LOGS/$COLLECTIVE.nodes-$NODES.run-1.log"; then
	echo "the library uses sockets: RDMA is not active" >&2
	exit 1
fi
if [ -z "$MIN_BUSBW_GB_PER_S" ]; then
	echo "worst of $RUNS runs $worst GB/s, no pass value given"
elif awk "BEGIN { exit !($worst >= $MIN_BUSBW_GB_PER_S) }"; then
	echo "worst of $RUNS runs $worst GB/s, pass value $MIN_BUSBW_GB_PER_S GB/s: passed"
else
	echo "worst of $RUNS runs $worst GB/s, pass value $MIN_BUSBW_GB_PER_S GB/s: below"
	exit 1
fi
