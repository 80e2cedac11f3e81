# SPDX-License-Identifier: BSD-3-Clause
#
# Memory or threads are short while a line is made under a protocol that does not wait: all ranks give up that
# line and say why; later lines are made, and the job ends well.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();

FTMPI::Test::Fault::alone();

my %reasons = (
	'short-pull'   => qr/no memory for a message in transit/,
	'short-copy'   => qr/no memory to copy a message in transit/,
	'short-list'   => qr/no memory for a copy of what it has to hold/,
	'short-thread' => qr/there is no thread to (?:write|do) it/,
);

# Each rank's pass of that number fails; which lines it is in depends on who is first.
sub short
{
	my ($coord, $point, $pass) = @_;
	my $name  = "$coord: $point, pass $pass";
	my $fault = FTMPI::Test::Fault->start(program => 'mixed', coord => $coord,
		args => [qw(-steps 60 -max 200000 -ckpt 4 -skew 6)], run => ['-vv'],
		env  => {FTMPI_FAULT => "$point:*:0:$pass:ENOSPC"});
	$fault->survived($name, restarts => 0);
	$fault->job->err_like(qr/: line \d+ is not (?:made|committed): $reasons{$point}$/m, $name);
	$fault->job->err_like(qr/\bline 1[0-5] is committed/, "$name: lines are made again");
	return;
}

for my $point (sort keys %reasons) {
	short('eventlog', $point, $_) for 1, 2, 4;
	short('tagging', $point, 1);
}

done_testing();
