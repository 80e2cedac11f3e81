#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs that close standard input, output and error and print all the same, as daemons do: nothing of the library's has these
# numbers, so what they print goes nowhere.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../../lib";

use File::Temp ();
use Test::More;

use FTMPI::Test::Job     qw(ftmpirun program);
use FTMPI::Test::Process ();

use constant RANKS => 3;

sub right
{
	my ($name, $when, $steps, @options) = @_;
	my $dir = File::Temp->newdir('ftmpi-closed-XXXXXX', TMPDIR => 1);
	my $job = FTMPI::Test::Job->run([ ftmpirun(), '-n', RANKS, '-workdir', "$dir", @options, program('closed_streams'), "$dir", '-close', $when, '-steps', $steps ]);
	is($job->status, 0, $name) or diag $job->saw;
	is(FTMPI::Test::Process::slurp("$dir/answer.$_"), "0 taken, 0 wrong\n", "... rank $_: nobody took what it printed") for 0 .. RANKS - 1;
	return $job;
}

for my $when (qw(before behind)) {
	for my $transport (qw(tcp auto)) {
		right("closed $when MPI_Init, over $transport", $when, 400, '-transport', $transport);
	}
	for my $coord (qw(blocking eventlog)) {
		my $job = right("closed $when MPI_Init, images under $coord", $when, 20_000, '-v', qw(-image -ckpt-interval 0.1 -coord), $coord);
		$job->err_like(qr/: \d\d:\d\d:\d\d line 1 is committed/, '... with lines');
	}
}

done_testing;
