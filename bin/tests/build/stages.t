# SPDX-License-Identifier: BSD-3-Clause
#
# What `make check` says at its end, and that it waits for another installation of packages: with commands in the place of make
# and of apt-get.
use strict;
use warnings;

use FindBin ();

use File::Temp ();
use Test::More;

my $tests = "$FindBin::Bin/..";
my $dir   = File::Temp->newdir('ftmpi-stages-XXXXXX', TMPDIR => 1);
mkdir "$dir/bin" or die "mkdir: $!\n";

sub command
{
	my ($name, $text) = @_;
	open my $out, '>', "$dir/bin/$name" or die "$name: $!\n";
	print $out "#!/bin/sh\n$text";
	close $out or die "$name: $!\n";
	chmod 0755, "$dir/bin/$name";
	return;
}

# status and what it says
sub run_it
{
	my ($line) = @_;
	my $said = `cd $dir && PATH=$dir/bin:\$PATH $line 2>&1`;
	return ($? >> 8, $said);
}

command('stage', <<'SH');
echo "stage $2"
case $2 in
two) echo unit_a >build/failed/two; echo unit_b >>build/failed/two; seq 100 >build/failed/two.said; exit 2 ;;
three) exit 1 ;;
four) echo warned >build/failed/four.said ;;
esac
SH
my ($status, $said) = run_it("sh $tests/stages.sh build stage one two three four");
is($status, 1, 'a stage that fails fails all');
like($said, qr/stage three\nstage four\nstages took: one \d+ s, two \d+ s, three \d+ s, four \d+ s\nfailed:\n  two: unit_a\n  two: unit_b\n  three\nwhat two said last:\n/,
	'the others are run, and the end names what failed');
like($said, qr/last:\n[1-9]\d\n(?:\d+\n)+100\n\z/, 'and shows what it said last');
unlike($said, qr/warned|last:\n1\n/, 'that and no more');
($status, $said) = run_it("sh $tests/stages.sh build stage one four");
is($status, 0, 'all well');
like($said, qr/\nall stages passed: one four\n\z/, 'and said');

# No package is there; the lock is held the first two times.
command('dpkg-query', "exit 1\n");
command('sleep',      "exit 0\n");
command('sudo',       "exec \"\$@\"\n");
command('apt-get',    <<'SH');
echo "$*" >>asked
[ "$(grep -c . asked)" -gt 2 ] || { echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1" >&2; exit 100; }
SH
($status, $said) = run_it("sh $tests/deps.sh deps-build");
is($status, 0, 'a lock that is let go');
like($said, qr/\Ainstalling: gcc .*\nwaiting for another installation[^\n]*\n\z/, 'is waited for, and that is said once');
command('apt-get', "echo 'E: Unable to locate package gcc' >&2; exit 100\n");
($status, $said) = run_it("sh $tests/deps.sh deps-build");
is($status, 1, 'any other error is none to wait for');
like($said, qr/Unable to locate package gcc\napt-get update failed\n\z/, 'and is told');
command('apt-get', "echo 'E: Could not get lock' >&2; exit 100\n");
($status, $said) = run_it("sh $tests/deps.sh deps-build");
is($status, 1, 'a lock that is never let go ends it');
done_testing();
