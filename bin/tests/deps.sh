#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that are missing: deps-build (what the build needs), deps (and the
# tests), deps-long (and the tests of make check-long), deps-deb, deps-fuzz or deps-bench. Nothing is installed, and nothing is asked for, when all are there.
set -eu

build="gcc g++ libc6-dev binutils make perl pkg-config libevent-dev libsodium-dev libxxhash-dev"
hosts="openssh-client openssh-server iproute2"
tests="$hosts gfortran check procps strace valgrind gdb man-db ncurses-base xxhash spin
	cmake meson ninja-build autoconf automake autoconf-archive
	slurm-wlm munge tmux debhelper dpkg-dev python3 python3-numpy"

debian="gfortran debhelper dpkg-dev lintian"

fuzz="clang libclang-rt-dev"

peers="libopenmpi-dev openmpi-bin mpich libmpich-dev"

case "${1:-deps}" in
deps-build) wanted=$build ;;
deps-deb) wanted="$build $debian" ;;
deps-long) wanted="$build $tests $debian debootstrap" ;;
deps-fuzz) wanted="$build $fuzz" ;;
deps-bench) wanted="$build $peers $hosts" ;;
*) wanted="$build $tests" ;;
esac

missing=
for p in $wanted; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)
	[ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || {
		echo "these packages are missing, and there is no sudo to install them:$missing" >&2
		exit 1
	}
	as_root=sudo
fi
# Another installation may hold the lock of the packages, as on a machine that has just been started: ten minutes at most.
apt() {
	tries=0
	until said=$($as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 2>&1 >/dev/null </dev/null); do
		case $said in
		*"Could not get lock"* | *"Unable to lock"* | *"Unable to acquire"*) ;;
		*) tries=300 ;;
		esac
		[ $tries -lt 300 ] || {
			echo "$said" >&2
			echo "apt-get $1 failed" >&2
			exit 1
		}
		[ $tries -gt 0 ] || echo "waiting for another installation of packages to end"
		tries=$((tries + 1))
		sleep 2
	done
}

echo "installing:$missing"
apt update
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing
