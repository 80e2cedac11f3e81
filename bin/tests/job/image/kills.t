# SPDX-License-Identifier: BSD-3-Clause
#
# Programs that know nothing of checkpoints run as image jobs (ftmpirun -image): ranks are killed at random moments, also
# on their way back, processes that write images are killed, so is ftmpirun, and ranks die at points of the making of a line
# and of the way back. bin/tests/long/image_kills.t has more of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use Test::More;

use FTMPI::Test::Fault         ();
use FTMPI::Test::PlainPrograms ();
use FTMPI::Test::Process       qw(run_quiet);
use FTMPI::Test::TimedKills    ();
use FTMPI::Test::Turns         qw(in_turn);

# a container's filter of system calls may refuse it
{
	my ($status, $said) = run_quiet(qw(setarch -R true));
	plan skip_all => "addresses stay random here (setarch -R): $said" if $status;
}

FTMPI::Test::Fault::alone();

my %there = map { $_ => 1 } FTMPI::Test::PlainPrograms::plain();
my @lacking = FTMPI::Test::PlainPrograms::lacking();
diag "left out, as they could not be built: @lacking" if @lacking;

my $seed = 1;
for my $case (in_turn(0, 2,
	[ plain_objects        => 'blocking', 2 ],
	[ plain_inflight       => 'eventlog', 4 ],
	[ plain_depths         => 'blocking', 3 ],
	[ plain_unit           => 'blocking', 3 ],
	[ plain_types          => 'eventlog', 3 ],
	[ plain_openmp         => 'blocking', 2 ],
	[ plain_laplace_static => 'eventlog', 4 ],
	[ plain_laplace_fixed  => 'blocking', 2 ],
	[ plain_mail           => 'eventlog', 3 ],
)) {
	my ($program, $coord, $ranks) = @$case;
	next if !$there{$program};
	FTMPI::Test::TimedKills::killed(image => 1, program => $program, coord => $coord, ranks => $ranks, seed => $seed++, kills => 2);
}

FTMPI::Test::TimedKills::writers_killed(image => 1, program => 'plain_laplace', coord => $_, ranks => 3, seed => $seed++, kills => 2)
	for qw(blocking eventlog);

# Each process has an environment of its own; ftmpirun itself is killed.
FTMPI::Test::TimedKills::killed(image => 1, program => 'plain_depths', coord => 'eventlog', ranks => 2, disguised => 1, seed => $seed++, kills => 3);
FTMPI::Test::TimedKills::relaunched(image => 1, program => 'plain_objects', coord => 'blocking', ranks => 2, disguised => 1, seed => $seed++, kills => 2);

# ---- fault points ----

my %short = (image => 1, program => 'plain_laplace', ranks => 3, args => [qw(200 -steps 8000)], interval => 0.05);

# While a line is made. What belongs to a process that writes an image (ckpt-write) kills it alone.
my %making = (
	blocking => [qw(ckpt-begin:2 ckpt-drained:0 line-captured:1 image-agreed:0 image-agreed:2 ckpt-flush:2 line-written:1 manifest-link:0
		ckpt-decided:0)],
	eventlog => [qw(line-captured:1 line-identified:0 line-written:2 manifest-link:0 ckpt-decided:0)],
);
for my $coord (sort keys %making) {
	FTMPI::Test::TimedKills::struck(%short, coord => $coord, fault => "$_:0:2:kill") for @{ $making{$coord} };
	FTMPI::Test::TimedKills::struck(%short, coord => $coord, fault => 'ckpt-write:1:0:1:kill', restarts => 0);
	FTMPI::Test::TimedKills::struck(%short, coord => $coord, fault => 'ckpt-write:1:0:1:ENOSPC', restarts => 0);
}

# Who begins again ends the process that writes its image: that is no lack of memory. It stands still when another rank dies.
my %written = (blocking => 'image-agreed:2:0:1:kill', eventlog => 'line-written:2:0:1:kill');
FTMPI::Test::TimedKills::struck(%short, coord => $_, fault => "ckpt-write:1:0:1:stop,$written{$_}", unsaid => qr/is not made/)
	for sort keys %written;

# On the way back of a rank, by a second death or by being stopped: after a first one as the second line is made.
my %first = (blocking => 'image-agreed:1:0:2:kill', eventlog => 'line-captured:1:0:2:kill');
my $turn = 0;
for my $coord (sort keys %first) {
	FTMPI::Test::TimedKills::struck(%short, coord => $coord, fault => "$first{$coord},$_", restarts => 2)
		for in_turn $turn++, 2, qw(restore-list:0:1:1:kill restore-load:2:1:1:kill image-load:0:1:1:kill image-load:1:1:1:stop image-woken:2:1:1:kill init-started:1:1:1:kill);
}

done_testing();
