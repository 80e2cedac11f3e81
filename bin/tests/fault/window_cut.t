# SPDX-License-Identifier: BSD-3-Clause
#
# A window is made and freed after one rank's checkpoint and before those of the others, so that it is open in
# no checkpoint. Such a line is given up, with the reason, and when a rank is killed the job goes on from a line
# that is whole; a line that cuts no use of a window is committed.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

sub window_cut
{
	my ($coord, $verdict, @args) = @_;
	my $name = "$coord: @args";
	my $fault = FTMPI::Test::Fault->start(program => 'window_cut', ranks => 3, coord => $coord, args => [@args, qw(-victim 2)]);
	$fault->survived($name, restarts => 1, lines => $verdict eq 'committed' ? 1 : 0);
	my $restored = $verdict eq 'committed' ? "restored\n" : '';
	$fault->job->out_like(qr/\Athe line was $verdict\n${restored}the line was $verdict\nwindow_cut: right, 3 ranks\n\z/, $name);
	return $fault;
}

for my $coord (qw(eventlog tagging compare)) {
	for my $use (qw(put lock post shared nothing)) {
		my $fault = window_cut($coord, 'given up', '-use', $use, '-first', $use =~ /^[sn]/ ? 1 : 0);
		$fault->job->err_like(qr/: line 1 is not made: it would cut what ranks do with a window, which some made and freed before it, and others after it$/m,
			"$coord: $use: the reason");
	}
	window_cut($coord, 'committed', '-use', 'put', $_) for qw(-before -behind);
}

done_testing();
