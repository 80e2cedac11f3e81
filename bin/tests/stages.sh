#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# stages.sh BUILD MAKE STAGE...: runs every stage of the tests, also after one has failed, and says at the end which
# failed and in what. A stage leaves a name a line in BUILD/failed/STAGE.
set -u

build=$1
make=$2
shift 2
rm -rf "$build/failed"
mkdir -p "$build/failed"

failed=
for stage in "$@"; do
	$make --no-print-directory "$stage" || failed="$failed $stage"
done
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
exit 1
