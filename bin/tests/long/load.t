# SPDX-License-Identifier: BSD-3-Clause
#
# A million messages in transit, many ranks for longer, a rank that does nothing for a minute.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use POSIX ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process qw(wait_readable);

use constant AWAY_SECONDS => 60;

my $scratch = File::Temp->newdir;

sub right
{
	my ($ranks, $case, @words) = @_;
	FTMPI::Test::Job->run([ ftmpirun(), '-n', $ranks, program('load'), $case, @words ])
		->well(qr/^load: right, $case, $ranks ranks$/m, join(' ', "$ranks ranks:", $case, @words));
	return;
}

right(64,  'alltoall', '-bytes', 4096,    '-rounds', 100);
right(128, 'alltoall', '-bytes', 4096,    '-rounds', 30);
right(2,   'flood',          '-messages', 1000000);
right(2,   'flood-requests', '-messages', 1000000);

# A rank that is stopped for a minute while the others play and send to it.
{
	my $fifo = "$scratch/fifo";
	POSIX::mkfifo($fifo, 0600) or die "$fifo: $!\n";
	for my $case (qw(held late)) {
		my $job = FTMPI::Test::Job->start(
			[ ftmpirun(), '-n', 3, program('load'), $case, '-file', $fifo, '-rounds', 1000000 ],
			deadline => 600);
		$job->finish->well(qr/^load: right, $case, 3 ranks$/m, "$case for a million rounds");
	}
	my $job = FTMPI::Test::Job->start(
		[ ftmpirun(), '-n', 3, program('load'), 'later', '-file', $fifo ], deadline => 600);
	$job->wait_for(out => qr/^load: ranks 0 and 1 are through$/m);
	wait_readable(time + AWAY_SECONDS, $job->{out_fh});
	sysopen(my $out, $fifo, POSIX::O_WRONLY() | POSIX::O_NONBLOCK())
		or fail("nobody waits at $fifo: $!");
	$job->finish->well(qr/^load: right, later, 3 ranks$/m,
		'a rank that calls MPI_Init a minute later');
}

done_testing();
