#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The commands that every MPI has, as links to ours: names.sh check|install|uninstall PREFIX [bin]. All of
# them are put in libexec/ftmpi/bin; in bin only with the word, and never in the place of another MPI's.
set -eu

what=$1 prefix=$2 in_bin=${3-}
names="mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90 mpiexec mpirun"

target()
{
	case $1 in
	mpiexec | mpirun) echo ftmpirun ;;
	*) echo ftmpicc ;;
	esac
}

page()
{
	case $1 in
	mpiexec | mpirun) echo ftmpirun.1 ;;
	mpif*) echo ftmpifort.1 ;;
	*) echo ftmpicc.1 ;;
	esac
}

# A link to a command or page of ours in the same folder.
is_ours()
{
	[ -L "$1" ] || return 1
	case $(readlink "$1") in
	ftmpi*) return 0 ;;
	*) return 1 ;;
	esac
}

check()
{
	[ -n "$in_bin" ] || return 0
	for n in $names; do
		for file in "$prefix/bin/$n" "$prefix/share/man/man1/$n.1"; do
			if [ -e "$file" ] || [ -L "$file" ]; then
				is_ours "$file" || {
					echo "$file is another MPI's: remove that, or install without MPI_NAMES" >&2
					exit 1
				}
			fi
		done
	done
}

remove()
{
	for n in $names; do
		for file in "$prefix/bin/$n" "$prefix/share/man/man1/$n.1"; do
			! is_ours "$file" || rm -f "$file"
		done
	done
}

link()
{
	folder=$prefix/libexec/ftmpi
	mkdir -p "$folder/bin" "$folder/share/man/man1"
	for n in $names; do
		ln -sf "../../../bin/$(target "$n")" "$folder/bin/$n"
		ln -sf "../../../../../share/man/man1/$(page "$n")" "$folder/share/man/man1/$n.1"
		[ -n "$in_bin" ] || continue
		ln -sf "$(target "$n")" "$prefix/bin/$n"
		ln -sf "$(page "$n")" "$prefix/share/man/man1/$n.1"
	done
}

case $what in
check) check ;;
install)
	remove
	link
	;;
uninstall) remove ;;
*) exit 2 ;;
esac
