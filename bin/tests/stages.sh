#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# stages.sh BUILD MAKE STAGE...: runs every stage of the tests, also after one has failed, and says at the end which
# failed and in what, and how long each took. A stage leaves a name a line in BUILD/failed/STAGE, and may leave what the
# failed ones said in BUILD/failed/STAGE.said, of which the last lines are shown.
set -u

build=$1
make=$2
shift 2
rm -rf "$build/failed"
mkdir -p "$build/failed"

most_said=60

failed=
times=
for stage in "$@"; do
	began=$(date +%s)
	$make --no-print-directory "$stage" || failed="$failed $stage"
	times="$times $stage $(($(date +%s) - began)) s,"
done
echo "stages took:${times%,}"
[ -n "$failed" ] || {
	echo "all stages passed: $*"
	exit 0
}
echo "failed:"
for stage in $failed; do
	if [ -s "$build/failed/$stage" ]; then
		sed "s/^/  $stage: /" "$build/failed/$stage"
	else
		echo "  $stage"
	fi
done
for stage in $failed; do
	if [ -s "$build/failed/$stage.said" ]; then
		echo "what $stage said last:"
		tail -n "$most_said" "$build/failed/$stage.said"
	fi
done
exit 1
