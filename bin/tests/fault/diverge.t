# SPDX-License-Identifier: BSD-3-Clause
#
# Programs that send other messages when they are run again from a line. A message that was received before the
# line and is sent after it is thrown away when it is sent again, so it has to be the same. When it differs, or
# never comes, the job ends with a sentence that names the ranks: before it has an answer, or in MPI_Finalize
# where a message never came.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

sub start
{
	my ($coord, @args) = @_;
	return FTMPI::Test::Fault->start(program => 'diverge', ranks => 3, coord => $coord,
		args => [@args, qw(-victim 2)]);
}

my $needs = qr/before the line restored.*: the program sends other messages when it is run again, and needs `-coord blocking`/;
my $other = qr/^rank \d on \S+: rank 0 sent another message \(.*\) than the one that this rank \(\d\) had received $needs/m;
my $never = qr/^rank 1 on \S+: .*this rank \(1\) had received 1 message $needs/m;
my $short = qr/^rank 1 on .*\(with tag 5, 4 bytes, and not 8\)/m;

for my $coord (qw(eventlog tagging compare)) {
	for my $how (qw(contents length order long holes sum tag never deal)) {
		my $name  = "$coord: $how";
		my $fault = start($coord, '-how', $how);
		my $says  = $how =~ /tag|never/ ? $never : $how eq 'length' ? $short : $other;
		$fault->gave_up($name, $says eq $never ? 17 : 16, $says);
		unlike($fault->job->out, qr/right/, "$name: no answer") if $says ne $never;
	}
	for my $how (qw(contents long holes sum)) {
		my $fault = start($coord, '-how', $how, '-same');
		$fault->survived("$coord: $how, the same again", restarts => 1);
		$fault->job->out_like(qr/\Arestored\ndiverge: right, 3 ranks\n\z/, "$coord: $how, the same again");
	}
}

done_testing();
