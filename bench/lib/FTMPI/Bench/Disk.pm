# SPDX-License-Identifier: BSD-3-Clause
#
# How fast checkpoints are written: beside dd, which writes the same bytes to as many files of the same
# file system at once, in turns.
package FTMPI::Bench::Disk;

use strict;
use warnings;

use File::Path ();
use File::Temp ();
use List::Util qw(max);

use FTMPI::Bench::Peers   ();
use FTMPI::Bench::Process ();

use constant MIB => 1 << 20;

# peer: ours; exe: save.c; dir, limit; bytes (of a rank), ranks, count. Returns MB/s of ours and of dd,
# and the kind of file system; dies with a sentence.
sub turns
{
	my (%arg) = @_;
	my $dir = File::Temp->newdir('disk-XXXXXX', DIR => $arg{dir});
	my $file = "$dir/content";
	_run(\%arg, 'head', '-c', $arg{bytes}, '/dev/urandom', { into => $file });
	my (@ours, @theirs);
	for (1 .. $arg{count}) {
		push @ours,   _rate(\%arg, _checkpoint(\%arg, "$dir", $file));
		push @theirs, _rate(\%arg, _dd(\%arg, "$dir", $file));
	}
	my ($kind) = _run(\%arg, 'stat', '-f', '-c', '%T', "$dir");
	return (\@ours, \@theirs, $kind // 'unknown');
}

sub _rate
{
	my ($arg, $seconds) = @_;
	return sprintf '%.1f', $arg->{bytes} * $arg->{ranks} / 1e6 / $seconds;
}

sub _checkpoint
{
	my ($arg, $dir, $file) = @_;
	my $work = "$dir/work";
	_settle($arg, $dir);
	my ($seconds) = map { /^save \d+ (\d+\.\d+)\z/ ? $1 : () } _run($arg, $arg->{peer}{run}[0],
		'-coord', 'blocking', '-workdir', $work, '-n', $arg->{ranks}, $arg->{exe}, $file);
	File::Path::remove_tree($work);
	return $seconds || die "checkpoint: it printed no figure\n";
}

# What the slowest dd says that it took, with the fsync.
sub _dd
{
	my ($arg, $dir, $file) = @_;
	my @names = map { "$dir/dd.$_" } 1 .. $arg->{ranks};
	_settle($arg, $dir);
	# a line each, written at once, so that none is in the midst of another
	my $script = 'from=$1; shift; for to; do dd if="$from" of="$to" bs=1M conv=fsync 2>&1 | tail -n 1 & done; wait';
	my @seconds = map { /copied, ([\d.]+) s,/ ? $1 : () } _run($arg, 'sh', '-c', $script, 'sh', $file, @names);
	unlink @names;
	die "checkpoint: dd did not write its files\n" if @seconds != @names || !max(@seconds);
	return max(@seconds);
}

# What was written and deleted before does not go on beside what is measured.
sub _settle
{
	my ($arg, $dir) = @_;
	_run($arg, 'sync', '-f', $dir);
	return;
}

sub _run
{
	my ($arg, @command) = @_;
	my $more = ref $command[-1] ? pop @command : {};
	@command = ('sh', '-c', 'exec "$@" >"$0"', $more->{into}, @command) if $more->{into};
	my $done = FTMPI::Bench::Process::run(
		command => \@command,
		env     => { %{ FTMPI::Bench::Peers::environment($arg->{peer}) }, LC_ALL => 'C' },
		dir     => $arg->{dir},
		limit   => $arg->{limit},
	);
	die "checkpoint: $done->{why}\n" if $done->{state} ne 'ended';
	return @{ $done->{out} };
}

1;
