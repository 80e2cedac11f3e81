# SPDX-License-Identifier: BSD-3-Clause
#
# While a thread is in FTMPI_CKPT_Wait another one asks for a line, which is refused with a sentence, or waits as
# well; later lines are made.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

for my $coord (qw(eventlog tagging compare)) {
	for my $case (qw(line wait)) {
		my $fault = FTMPI::Test::Fault->start(program => 'two_threads', coord => $coord, ranks => 2, args => [$case]);
		my $job   = $fault->job;
		$job->finish;
		$job->is_status(0, "$coord, $case");
		$job->out_like(qr/^two_threads: right$/m, "$coord, $case");
		my $refused = () = $job->err =~ /^rank 0 .*: line 2 is not made: another thread is inside an MPI call/mg;
		is($refused, $case eq 'line' ? 1 : 0, "$coord, $case: said");
		$fault->clear("$coord, $case");
	}
}

done_testing();
