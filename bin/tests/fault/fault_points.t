# SPDX-License-Identifier: BSD-3-Clause
#
# A rank dies at every fault point of the sources, or the point fails: under a protocol that waits for
# all, or under one that waits for nobody; in another run it is the other one. With FTMPI_TEST_EVERY (make check-long) every rank at every
# point, in the first and later passes, and also by being stopped; and with ranks that are at
# different places when a line is made.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(root);
use FTMPI::Test::Turns qw(in_turn);

FTMPI::Test::Fault::alone();

my $every = $ENV{FTMPI_TEST_EVERY};

# From a point to whether it can fail. Those of the keeper are no rank's: keeper.t.
sub all_points
{
	my %points;
	for my $path (grep { !m{/lib/keeper/} } glob join ' ', map { root() . $_ } qw(/lib/*/*.c /lib/*/*/*.c)) {
		open(my $in, '<', $path) or die "$path: $!\n";
		while (defined(my $line = <$in>)) {
			$points{$2} ||= $1 eq 'error' while $line =~ /\bfault_(point|error)\("([a-z-]+)"\)/g;
		}
	}
	return %points;
}

my %points = all_points();
cmp_ok(scalar keys %points, '>', 40, 'there are points') or diag(join ' ', sort keys %points);

# Points that one kind of protocol passes and the other does not.
sub under
{
	my ($coord, $point) = @_;
	return $coord eq 'blocking' if $point =~ /^ckpt-(?:drained|saved)$/;
	return $coord ne 'blocking' if $point =~ /^(?:line-|ckpt-copy$)/;
	return $point !~ /^(?:short|image|log|alone|data)-/;    # passed where it happens to be so: shortage.t; in a job of images: job/image/kills.t; of message logging: msglog.t, msglog_images.t, msglog_data.t
}

# What rank 0 does alone.
sub of_rank_0
{
	my ($coord, $point) = @_;
	return $point =~ /^(?:manifest|prune)-|^restore-(?:epoch|list)\z/ || $coord ne 'blocking' && $point =~ /^ckpt-(?:gathered|decided)$/;
}

# The epoch in which it is passed first. What is passed on the way to a restart, and in it, needs a
# first failure.
sub epoch { return $_[0] =~ /^restore-/ ? 1 : 0 }
sub in_restart { return $_[0] =~ /^rest/ }

# The rank that dies before this one: another, for one that is dead passes nothing on the way to a restart.
sub first { return $_[0] == 3 ? 1 : 3 }

my %programs = (
	pi    => [qw(400000 -every 10000 -ckpt 5 -trace)],
	mixed => [qw(-steps 60 -max 200000 -ckpt 6 -skew 5 -trace)],
);

sub strike
{
	my ($coord, $program, $args, $point, $rank, $pass, $action) = @_;
	my @faults = (join ':', $point, $rank, epoch($point), $pass, $action);
	unshift @faults, 'ckpt-end:' . first($rank) . ':0:3:kill' if in_restart($point);
	return FTMPI::Test::Fault->start(program => $program, coord => $coord, run => ['-vv'],
		args => [@{$programs{$program}}, @$args], env => {FTMPI_FAULT => join ',', @faults});
}

# The fault has struck: the rank is another process since. (A restart alone shows that only where no other
# failure brings it about.)
sub struck
{
	my ($fault, $name, $point, $rank) = @_;
	my %pids = map { $_ => 1 } $fault->job->err =~ /^ftmpirun: rank $rank on \S+ is process (\d+)\b/mg;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return $fault->job->verdict(keys %pids >= 2, "$name: it struck, so there is a new process");
}

# In a restart the second death may be noticed before the job runs again, or later. It needs a line:
# the program waits until one is there. Elsewhere it goes on if it can.
sub dies
{
	my ($coord, $program, @how) = @_;
	my ($point, $rank, $pass, $action) = @how;
	my $name  = "$coord, $program: $action at $point of rank $rank, pass $pass";
	my @sure  = in_restart($point) ? ('-sure', $program eq 'mixed' ? qw(-skew 0) : ()) : ();
	my $fault = strike($coord, $program, \@sure, @how);
	$fault->survived($name, restarts => in_restart($point) ? [1, 2] : 1);
	struck($fault, $name, $point, $rank);
	return;
}

# That line is not made, and every rank knows, or old ones stay; the job goes on.
sub fails
{
	my ($coord, $point, $rank, $pass, $action) = @_;
	my $name  = "$coord: $action at $point of rank $rank, pass $pass";
	my $fault = strike($coord, 'pi', ['-sure'], $point, $rank, $pass, $action);
	$fault->survived($name, restarts => 0);
	my $told = join '', grep { !/^ftmpirun: / } split /^/m, $fault->job->err;
	$fault->job->verdict(scalar $told =~ /^rank \d+ on \S+: .*\w/m, "$name: the rank says so") if $point !~ /^prune-/;
	my $made = () = $fault->job->out =~ /^line after round \d+$/mg;
	my $not  = () = $fault->job->out =~ /^no line after round \d+$/mg;
	is("$made $not", $point =~ /^prune-/ ? '8 0' : '7 1', "$name: lines made and not made")
		or diag($fault->job->saw);
	return;
}

# Those that both protocols pass come in turns.
sub some_of
{
	my ($coord, $other, $turn) = @_;
	my @passed = grep { under($coord, $_) } sort keys %points;
	my @both = in_turn($turn, 2, grep { under($other, $_) } @passed);
	for my $point (@both, grep { !under($other, $_) } @passed) {
		my $rank = of_rank_0($coord, $point) ? 0 : 2;
		dies($coord, 'pi', $point, $rank, 1, 'kill');
		fails($coord, $point, $rank, 2, 'ENOSPC') if $points{$point} && !in_restart($point);
	}
	return;
}

sub every_one_of
{
	my ($coord, $program) = @_;
	for my $point (grep { under($coord, $_) } sort keys %points) {
		for my $rank (of_rank_0($coord, $point) ? 0 : (0, 1, 3)) {
			my @passes = $point =~ /^(?:ckpt|manifest|line)-/ ? (1, 3) : 1;
			dies($coord, $program, $point, $rank, $_, 'kill') for @passes;
			dies($coord, $program, $point, $rank, 1, 'stop');
			next if $program ne 'pi' || !$points{$point} || in_restart($point);
			fails($coord, $point, $rank, 3, $_) for qw(EIO EROFS EACCES);
		}
	}
	return;
}

for my $turn (0, 1) {
	my ($coord, $other) = (qw(blocking eventlog))[ $turn, 1 - $turn ];
	some_of($coord, $other, $turn);
	dies($coord, 'pi', $_, 1, 1, 'stop') for $coord eq 'blocking' ? 'ckpt-saved' : 'line-captured', 'restore-begin';
	every_one_of($coord, 'pi') if $every;
}
# Where a stop is not observed by the others, but by its agent.
dies('blocking', 'pi', $_, 1, 1, 'stop')
	for qw(init-started init-attached restart-exec finalize-begun finalize-done finalize-told);
every_one_of('eventlog', 'mixed') if $every;

done_testing();
