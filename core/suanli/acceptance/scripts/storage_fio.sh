#!/usr/bin/env bash
# Sequential write and read-back of a shared file system. Start it on every compute node at the same time (srun,
# pdsh), keep what each prints, and add the results: the pass value is for all clients together.
#
#   TARGET=/shared/acceptance SIZE=2T ./storage_fio.sh write >write.$(hostname -s)
#   TARGET=/shared/acceptance SIZE=2T PEER=node-17 ./storage_fio.sh read >read.$(hostname -s)
#   ./storage_fio.sh sum write write.*
#
# SIZE is at least twice the memory of the node, so that no cache can hold it. "read" reads the files of PEER, which
# another node wrote. Exit code 1: below the pass value; 2: misuse or fio failed.
set -euo pipefail

: "${JOBS:=16}"
: "${RUNTIME_S:=300}"
: "${MIN_WRITE_GB_PER_S:=}"
: "${MIN_READ_GB_PER_S:=}"

add_results() { # mode, files
	local mode="$1" minimum="$MIN_READ_GB_PER_S"
	shift
	[ "$mode" = write ] && minimum="$MIN_WRITE_GB_PER_S"
	awk -v mode="$mode" -v minimum="$minimum" '
		$1 == mode && $3 == "GB/s" { total += $2; clients++ }
		END {
			if (!clients) { print "no results of clients" > "/dev/stderr"; exit 2 }
			printf "%s %.3f GB/s of %d clients", mode, total, clients
			if (minimum == "") { print ", no pass value given"; exit 0 }
			printf ", pass value %s GB/s: %s\n", minimum, (total >= minimum + 0) ? "passed" : "below"
			exit (total >= minimum + 0) ? 0 : 1
		}' "$@"
}

mode="${1:-}"
case "$mode" in
write | read) ;;
sum)
	if [ "$#" -lt 3 ] || { [ "$2" != write ] && [ "$2" != read ]; }; then
		echo "usage: storage_fio.sh sum write|read FILE..." >&2
		exit 2
	fi
	add_results "${@:2}"
	exit
	;;
*)
	echo "usage: storage_fio.sh write|read, or sum write|read FILE..." >&2
	exit 2
	;;
esac

: "${TARGET:?folder on the file system under test}"
: "${SIZE:?size of the file set, at least twice the memory of this node, such as 2T}"
: "${PEER:=$(hostname -s)}"
extra=()
folder="$TARGET/$PEER"
if [ "$mode" = write ]; then
	folder="$TARGET/$(hostname -s)"
	extra=(--end_fsync=1)
fi
mkdir -p "$folder"
per_job=$(($(numfmt --from=iec "$SIZE") / JOBS))
result="$(mktemp)"
trap 'rm -f "$result"' EXIT
# Direct I/O and files above the size of memory: what is measured is the storage, not the page cache.
if ! fio --name=acceptance --directory="$folder" --rw="$mode" --bs=4M --size="$per_job" --numjobs="$JOBS" \
	--direct=1 --ioengine=libaio --iodepth=16 --time_based --runtime="$RUNTIME_S" --group_reporting \
	--output-format=terse --terse-version=3 "${extra[@]}" >"$result"; then
	echo "fio failed" >&2
	exit 2
fi

# Terse version 3: field 7 is the read and field 48 the write bandwidth, both in KiB/s.
awk -F';' -v mode="$mode" '
	NF >= 48 { kib = (mode == "read") ? $7 : $48; found = 1 }
	END {
		if (!found) { print "no result of fio" > "/dev/stderr"; exit 2 }
		printf "%s %.3f GB/s of this client\n", mode, kib * 1024 / 1e9
	}' "$result"
