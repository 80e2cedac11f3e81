# SPDX-License-Identifier: BSD-3-Clause
#
# What `make demo` runs, and that it can tell a wrong answer from a right one.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::FixedAddresses ();
use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(root sanitized);

FTMPI::Test::Fault::alone();

my $job = FTMPI::Test::Job->run([root() . '/bin/tests/demo']);
$job->is_status(0, 'the demo');
$job->out_like(qr/^ *[\d.]+ s  demo: right\n\z/m, 'the demo');
for my $program (qw(pi cgs)) {
	$job->out_like(qr/kill -9 \d+\n\N*ftmpirun: rank 2 on \N*restart 1 of 3\N*\n(?:\N*\n)*?\N*4 ranks run again\N*\n(?:\N*\n)*?\N*$program: right, /,
		"the demo: $program is killed and comes back");
}
my $why = sanitized('pi') ? 'there is no image of a program with a sanitizer'
	: FTMPI::FixedAddresses::refuses(FTMPI::FixedAddresses::stack_here());
SKIP: {
	skip($why, 2) if defined $why;
	$job->out_like(qr/ -image \N*plain_objects\N*\n(?:\N*\n)*?\N*kill -9 \d+\n\N*rank 2 on \N*restart 1 of 3 from line \d+\.\n(?:\N*\n)*?\N*4 ranks run again\N* \(line \d+\)\.\n(?:\N*\n)*?\N*plain_objects: right, \N*\n\N*the same answer/,
		'the demo: so is a program that calls MPI alone');
	is(scalar(() = $job->out =~ /the same answer/g), 3, '... and all three answers are right');
}
FTMPI::Test::Alone::at_rest('the demo');

# Rank 2 dies in each of its lives.
$job = FTMPI::Test::Job->run([root() . '/bin/tests/demo', 'cgs'], env => {FTMPI_FAULT => 'restore-end:2:*:1:kill'});
$job->is_status(1, 'a demo that goes wrong');
$job->out_like(qr/NOT the same answer\n\N*demo: WRONG\n\z/, 'a demo that goes wrong');
FTMPI::Test::Alone::at_rest('a demo that goes wrong');

done_testing();
