# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Alone;

# A machine on which nothing runs but the test: namespaces with no other process, an empty network,
# and empty /dev/shm, /var/tmp and (but for this source tree, if it lies there) /tmp. Whatever is
# there after a job was left behind by it.
#
#	FTMPI::Test::Alone::enter();
#	FTMPI::Test::Alone::at_rest('a job');

use strict;
use warnings;

use Cwd ();
use Test::More ();
use Time::HiRes qw(time);

use FTMPI::Test::Job     qw(root);
use FTMPI::Test::Process qw(patience run_quiet must_run wait_gone process_name);

use constant REST_SECONDS => 20;    # what is about to end gets this long to do so

my @places = qw(/tmp /var/tmp /dev/shm);
my %before;

# The tree is bound to its place again: a mount over /tmp may hide it.
my $setup = <<'END';
set -e
for place in /tmp /var/tmp /dev/shm; do mount -t tmpfs tmpfs "$place"; done
mkdir -p "$1"
mount --no-canonicalize --bind /proc/self/cwd "$1"
cd "$1"
ip link set lo up
shift
export FTMPI_TEST_ALONE=1
"$@"
END

# Start this test again in a world of its own; or skip it, and say why.
sub enter
{
	return remember() if $ENV{FTMPI_TEST_ALONE};
	my @unshare = ('unshare', '--mount', '--net', '--pid', '--ipc', '--fork', '--mount-proc');
	push @unshare, '--user', '--map-root-user' if $> != 0;
	my ($status, $text) = run_quiet(@unshare, 'true');
	Test::More::plan(skip_all => "no namespaces can be made here: $text") if $status;
	my $script = Cwd::abs_path($0);
	chdir root() or die root() . ": $!\n";
	exec { $unshare[0] } @unshare, 'sh', '-c', $setup, 'sh', root(), $^X, $script
		or die "cannot run unshare: $!\n";
}

sub remember
{
	%before = map { $_ => 1 } files();
	return;
}

# Processes beside this one and those that started it. Zombies are not there any more.
sub processes
{
	my %own = (1 => 1, $$ => 1);
	my @found;
	for my $path (glob '/proc/[0-9]*/stat') {
		open(my $in, '<', $path) or next;
		my ($pid, $state) = (<$in> // '') =~ /^(\d+) .*\) (\S) /s or next;
		push @found, $pid if !$own{$pid} && $state !~ /[ZX]/;
	}
	return @found;
}

# A connection that was closed in good order is remembered by the kernel for a minute: no socket. So is
# one half that was closed when the other is no more; if that is there, it is seen itself.
sub sockets
{
	return grep { !/TIME-WAIT|FIN-WAIT-2/ } split /\n/, must_run(qw(ss -H -a -n -t -u -w));
}

# The two ends of a connection whose processes are gone say goodbye to each other, and a process whose
# first thread is gone has its sockets until its last one is: the kernel's doing, which takes a moment
# on a busy machine. What is really left does not go away.
sub stray_sockets
{
	my ($until) = @_;
	my @stray = sockets();
	@stray = sockets() while @stray && time < $until;
	return @stray;
}

sub files
{
	return split /\0/, must_run('find', @places, '-mindepth', 1, '-xdev', '-print0');
}

# Everything is as before: no process, no socket, no file (but in `except`, if given).
sub at_rest
{
	my ($name, $except) = @_;
	my $until = time + patience(REST_SECONDS);
	my @left;
	while (@left = processes()) {
		last if wait_gone($until, @left);
	}
	1 while waitpid(-1, 1) > 0;
	my @new   = grep { !$before{$_} && !(defined $except && m{^\Q$except\E(?:/|\z)}) } files();
	my @stray = stray_sockets($until);
	my $good  = Test::More::ok(!@left && !@new && !@stray, "$name: nothing is left behind");
	Test::More::diag('left: ' . join ', ', @stray, @new, map { process_name($_) } @left) if !$good;
	kill 'KILL', @left;
	$before{$_} = 1 for @new;
	return $good;
}

1;
