#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh FAILED [WATCH...] TEST: runs a unit test and prints what it said in one piece, as others run at the same
# time; the name of one that fails goes into the file FAILED.
failed=$1
shift
for test in "$@"; do :; done
said=$("$@" 2>&1) || echo "$test" >>"$failed"
printf '== %s\n%s\n' "$test" "$said"
