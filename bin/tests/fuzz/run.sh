#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh SECONDS SEED CORPUS TARGET...: each target in turn, for so long, from its inputs in CORPUS/TARGET; a
# target that fails does not keep the others from running. What fails is in build-fuzz/, what was learned in
# build-fuzz/corpus/.
set -u

seconds=$1 seed=$2 tree=$3 failed=
shift 3

# a C target: libFuzzer chooses a seed for 0 and prints it
fuzz_c() {
	mkdir -p "build-fuzz/corpus/$1"
	"build-fuzz/fuzz/fuzz_$1" -max_total_time="$seconds" -seed="$seed" -timeout=25 -max_len=4096 \
		-print_final_stats=1 -artifact_prefix="build-fuzz/$1-" \
		"build-fuzz/corpus/$1" "$tree/$1" >"build-fuzz/$1.log" 2>&1
	status=$?
	sed -n "s/^INFO: Seed: /$1: seed /p; s/^stat::number_of_executed_units: */$1: executions /p; \
		s/^stat::average_exec_per_sec: */$1: each second /p" "build-fuzz/$1.log"
	[ $status -eq 0 ] || {
		echo "$1: FAILED; build-fuzz/$1.log tells how:"
		grep -v '^#[0-9]*[[:space:]]*[A-Z]' "build-fuzz/$1.log" | grep -E \
			'^[a-z/_]+\.[ch]:[0-9]+:|ERROR|SUMMARY|Test unit written' | head -n 8
	}
	return $status
}

for t; do
	echo "== $t"
	if [ -x "build-fuzz/fuzz/fuzz_$t" ]; then
		fuzz_c "$t" || failed="$failed $t"
	else
		(
			ulimit -v 2000000
			exec perl bin/tests/fuzz/perl_fuzz.pl "$t" "$seconds" "$seed" $tree build-fuzz/corpus build-fuzz
		) || failed="$failed $t"
	fi
done
[ -z "$failed" ] || {
	echo "fuzz: failed:$failed (the inputs are in build-fuzz/)"
	exit 1
}
echo "fuzz: nothing found"
