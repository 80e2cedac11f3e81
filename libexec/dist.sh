#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dist.sh VERSION TARBALL: the source as a tarball, the same bytes for the same commit whoever makes it, where and when. In a clone it
# holds what git knows, as it lies there; in an unpacked tarball what its list, MANIFEST, has. The time of all files is
# SOURCE_DATE_EPOCH, else that of the commit, else that of NEWS.md.
set -eu
export LC_ALL=C
unset GZIP TAR_OPTIONS TAPE

version=$1 tarball=$2
name=ftmpi-$version

fail()
{
	echo "$1" >&2
	exit 1
}

case $version in
*[!0-9A-Za-z.~+]* | '') fail "'$version' is no version: letters, digits and . ~ +" ;;
esac

work=$(mktemp -d "${TMPDIR:-/tmp}/ftmpi-dist-XXXXXX")
trap 'rm -rf "$work"; rm -f "$tarball.new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The top of a clone, not a folder that lies in somebody else's.
if command -v git >/dev/null && [ -e .git ] && git rev-parse --git-dir >/dev/null; then
	git -c core.quotePath=false ls-files >"$work/list"
	time=$(git log -1 --format=%ct)
	changed=$(git status --porcelain --untracked-files=no | wc -l)
	[ "$changed" = 0 ] || echo "note: $changed files are not as in the commit; the tarball has them as they are" >&2
elif [ -f MANIFEST ]; then
	cat MANIFEST >"$work/list"
	time=$(stat -c %Y NEWS.md)
else
	fail "neither a clone with git nor an unpacked tarball: there is no MANIFEST, so nobody knows which files belong to the source"
fi
time=${SOURCE_DATE_EPOCH:-$time}
case $time in
*[!0-9]* | '') fail "SOURCE_DATE_EPOCH is '$time', which has to be seconds since 1970" ;;
esac

# MANIFEST is written anew, and does not list itself
grep -v '^MANIFEST$' "$work/list" | sort -u >"$work/MANIFEST"
while IFS= read -r path; do
	case /$path/ in
	*/../* | //*) fail "MANIFEST has a path that leads out of the tree: $path" ;;
	esac
	[ -f "$path" ] || [ -L "$path" ] || fail "$path is not there, and belongs to the source: take it back (git checkout), or out of the commit (git rm)"
done <"$work/MANIFEST"

pack()
{
	tar --format=gnu --no-recursion --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$time" \
		--hard-dereference --transform "s,^,$name/,S" --sort=none "$@"
}
pack --create --file="$work/tar" --verbatim-files-from --files-from="$work/MANIFEST"
chmod 644 "$work/MANIFEST"
pack --append --file="$work/tar" --directory="$work" MANIFEST
mkdir -p "$(dirname "$tarball")"
gzip -9 --no-name <"$work/tar" >"$tarball.new"
mv "$tarball.new" "$tarball"
echo "$tarball"
