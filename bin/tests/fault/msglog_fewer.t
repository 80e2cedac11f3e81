# SPDX-License-Identifier: BSD-3-Clause
#
# Message logging, and a program that asks for less when it runs again, as one does that looks at the clock: the job ends with a
# sentence, where the program would wait in vain, or be another without anybody's knowing. One that asks for the same goes on.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

sub run
{
	my (@args) = @_;
	my $work = File::Temp->newdir;
	return FTMPI::Test::Job->run([ ftmpirun(), qw(-coord msglog -n 2 -workdir), "$work", program('fewer'), $args[0], "$work/mark", @args[ 1 .. $#args ] ]);
}

my @cases = ([ found => 'MPI_Iprobe' ], [ mprobed => 'MPI_Recv' ], [ cancel => 'MPI_Cancel' ], [ wait => 'MPI_Wait' ], [ test => 'MPI_Testany' ],
	[ live => 'MPI_Cancel' ], [ any => 'MPI_Recv' ], [ send => 'MPI_Send' ], [ operation => 'MPI_Ibarrier' ], [ finalize => 'MPI_Finalize' ],
	[ restore => 'FTMPI_Restore' ]);

for my $case (@cases) {
	my ($what, $call) = @$case;
	my $job = run($what);
	$job->is_status(16, "$what: a program that asks for less is ended");
	$job->err_like(qr/^rank 0 on \S+: $call: the program runs again after a failure, and asks for something else than before/m, '... in the call that tells');
	$job = run($what, '-same');
	$job->is_status(0, "$what: one that asks for the same again goes on");
	$job->err_like(qr/rank 0 .*begins again alone|rank 0 goes on from its checkpoint/, '... when it is killed');
	$job->out_like(qr/^fewer: right$/m, '... to its end');
}

done_testing();
