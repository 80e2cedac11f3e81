#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh VERSION FOLDER: Debian packages in FOLDER, in place of those that are there, from the tarball of `make dist`; and what
# lintian says of them, whose errors fail.
set -eu
unset MAKEFLAGS MAKELEVEL MFLAGS

version=$1 folder=$2
mkdir -p "$folder"
rm -rf "$folder/ftmpi-$version"
rm -f "$folder"/ftmpi_* "$folder"/ftmpi-*.deb "$folder"/libftmpi*.deb "$folder/build.log"
sh libexec/dist.sh "$version" "$folder/ftmpi_$version.orig.tar.gz"
tar xzf "$folder/ftmpi_$version.orig.tar.gz" -C "$folder"
echo "  DEB $folder (what is said meanwhile: $folder/build.log)"
(cd "$folder/ftmpi-$version" && dpkg-buildpackage -us -uc -b -jauto) >"$folder/build.log" 2>&1 || {
	tail -n 40 "$folder/build.log" >&2
	echo "dpkg-buildpackage failed; all that it said is in $folder/build.log" >&2
	exit 1
}
lintian --fail-on error --allow-root --display-info --suppress-tags initial-upload-closes-no-bugs "$folder"/ftmpi_*.changes
rm -r "$folder/ftmpi-$version"
ls "$folder"/*.deb
