# SPDX-License-Identifier: BSD-3-Clause
#
# Memory is limited in small steps: each job has the right answer or says that there is no memory.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Job qw(ftmpirun program);

my ($well, $short) = (0, 0);
my $broken = qr/connection \N+ broke: \N*(?:no|out of|allocate) memory/;
for my $ranks (2, 5) {
	for my $step (0 .. 40) {
		my $kib = 50 * $step;
		my $job = FTMPI::Test::Job->run(
			[ ftmpirun(), '-n', $ranks, program('load'), 'memory', '-kib', $kib ]);
		my $said = $job->err =~ /^ftmpirun: (?:rank \d on \S+ called MPI_Abort with code 9;|$broken)/m;
		my $ended = $job->status == 0 && $job->out =~ /^load: right, memory, $ranks ranks$/m;
		$job->verdict($ended || $said, "$ranks ranks, $kib KiB");
		$job->none_left("$ranks ranks, $kib KiB");
		$ended ? $well++ : $short++;
	}
}
cmp_ok($well,  '>', 5, 'there was enough in some');
cmp_ok($short, '>', 5, 'and too little in others');

done_testing();
