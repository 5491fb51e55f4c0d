#!/usr/bin/env bash
# Collectives with hccl_test on one server or several, worst of three runs at the largest message.
#
#   ./hccl_test.sh                                  # this server alone
#   NODES=16 HOSTS=hosts.txt ./hccl_test.sh         # 16 servers, MPICH; a line of hosts.txt is "address:8"
#
# The tool prints algorithm bandwidth (bytes / time). This script converts it to bus bandwidth: times 2(n-1)/n for
# all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all. Bandwidth is measured in BF16 without result
# check; results are checked by a run in FP32, since beyond 63 ranks the tool cannot check a BF16 sum and prints
# NULL, which is no pass. Exit code 1: below the pass value; 2: misuse or a tool that failed; 3: wrong results; 4: the
# test or mpirun is not there.
set -euo pipefail

: "${HCCL_TEST:=${ASCEND_TOOLKIT_HOME:-/usr/local/Ascend/ascend-toolkit/latest}/tools/hccl_test}"
: "${COLLECTIVE:=all_reduce_test}"
: "${NODES:=1}"
: "${RANKS_PER_NODE:=8}"
: "${MIN_SIZE:=8K}"
: "${MAX_SIZE:=4G}"
: "${RUNS:=3}"
: "${LOGS:=.}"

# Pass values of all-reduce by number of servers; `suanli acceptance` writes the plan's here.
pass_value() {
	case "$1" in
	# PASS_VALUES
	*) ;;
	esac
}
if [ "$COLLECTIVE" = all_reduce_test ]; then
	: "${MIN_BUSBW_GB_PER_S:=$(pass_value "$NODES")}"
fi
: "${MIN_BUSBW_GB_PER_S:=}"

ranks=$((NODES * RANKS_PER_NODE))
if [ "$ranks" -lt 2 ]; then
	echo "a collective needs at least two ranks" >&2
	exit 2
fi
launch=(mpirun -n "$ranks")
if [ "$NODES" -gt 1 ]; then
	launch+=(-f "${HOSTS:?file with one line for each server, \"address:$RANKS_PER_NODE\"}")
fi
case "$COLLECTIVE" in
all_reduce_test) factor="2 * ($ranks - 1) / $ranks" operator=(-o sum) ;;
reduce_scatter_test) factor="($ranks - 1) / $ranks" operator=(-o sum) ;;
all_gather_test | alltoall_test) factor="($ranks - 1) / $ranks" operator=() ;;
*)
	echo "no conversion to bus bandwidth is known for $COLLECTIVE" >&2
	exit 2
	;;
esac

binary="$HCCL_TEST/bin/$COLLECTIVE"
if [ ! -x "$binary" ]; then
	echo "$binary is not there or cannot be run: build hccl_test and set HCCL_TEST to its folder" >&2
	exit 4
fi
if ! command -v mpirun >/dev/null; then
	echo "mpirun is not there: install MPICH or put it on PATH" >&2
	exit 4
fi

run_test() { # log, type, check, smallest, largest
	if ! "${launch[@]}" "$binary" -p "$RANKS_PER_NODE" -b "$4" -e "$5" -f 2 \
		"${operator[@]}" -d "$2" -w 10 -n 20 -c "$3" >"$1" 2>&1; then
		echo "the test failed, see $1" >&2
		exit 2
	fi
}

check="$LOGS/$COLLECTIVE.nodes-$NODES.check.log"
run_test "$check" fp32 1 1M 64M
# Lines of results: size | time in us | algorithm bandwidth in GB/s | result.
if ! awk '$1 ~ /^[0-9]+$/ { found = 1; if ($NF != "success") bad = 1 } END { exit (!found || bad) }' \
	<(tr '|:' '  ' <"$check"); then
	echo "results were not confirmed, see $check" >&2
	exit 3
fi
echo "results in FP32 are right"

worst=""
for run in $(seq "$RUNS"); do
	log="$LOGS/$COLLECTIVE.nodes-$NODES.run-$run.log"
	run_test "$log" bfp16 0 "$MIN_SIZE" "$MAX_SIZE"
	algbw="$(tr '|:' '  ' <"$log" |
		awk '$1 ~ /^[0-9]+$/ && NF >= 3 { if ($1 + 0 >= size) { size = $1 + 0; value = $3 } }
			END { if (size == 0) exit 2; print value }')" || {
		echo "no results in $log" >&2
		exit 2
	}
	busbw="$(awk "BEGIN { printf \"%.2f\", $algbw * $factor }")"
	echo "run $run: algbw $algbw GB/s, busbw $busbw GB/s at the largest message"
	if [ -z "$worst" ] || awk "BEGIN { exit !($busbw < $worst) }"; then worst="$busbw"; fi
done
if [ -z "$MIN_BUSBW_GB_PER_S" ]; then
	echo "worst of $RUNS runs $worst GB/s, no pass value given"
elif awk "BEGIN { exit !($worst >= $MIN_BUSBW_GB_PER_S) }"; then
	echo "worst of $RUNS runs $worst GB/s, pass value $MIN_BUSBW_GB_PER_S GB/s: passed"
else
	echo "worst of $RUNS runs $worst GB/s, pass value $MIN_BUSBW_GB_PER_S GB/s: below"
	exit 1
fi
