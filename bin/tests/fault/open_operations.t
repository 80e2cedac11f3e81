# SPDX-License-Identifier: BSD-3-Clause
#
# Everything in MPI that can be open across a line: collectives of intercommunicators and among neighbours,
# messages found by matched probes and not received yet, every mode of sending, partitioned messages,
# generalised requests, derived datatypes in transit, communicators that live for an interval. Ranks are killed
# at random moments under each protocol. open_operations_hosts.t has several hosts,
# bin/tests/long/open_operations.t more of it.
use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../lib";

use Test::More;

use FTMPI::Test::Fault ();
use FTMPI::Test::Job   qw(sanitized);
use FTMPI::Test::Kills qw(open_operations);
use FTMPI::Test::Turns qw(in_turn);

FTMPI::Test::Fault::alone();

# 850 s of processor time under the sanitizer of addresses, with three
use constant KILLS => sanitized('mixed') ? 1 : 2;

my $seed = 1;

sub killed
{
	my ($coord, $ranks, $parts) = @_;
	FTMPI::Test::Kills::killed(open_operations($coord, $parts, 20), ranks => $ranks, seed => $seed++, kills => KILLS);
	return;
}

# Each by itself where all stop, or where nobody waits.
my @parts = FTMPI::Test::Kills::parts();
my $turn  = 0;
for my $coord (qw(blocking eventlog)) {
	killed($coord, 2 + $seed % 4, $_) for in_turn($turn++, 2, @parts);
}

# All together, on more ranks, and where two protocols are compared.
my $all = join ',', @parts;
killed('blocking', 8, $all);
killed('eventlog', 8, $all);
killed('tagging',  3, $all);
killed('compare',  4, $all);

# Communicators that are made between lines; and copies of them that are under way at one.
sub killed_made
{
	my ($coord, @args) = @_;
	FTMPI::Test::Kills::killed(program => 'mixed', coord => $coord, ranks => 2 + $seed % 4, seed => $seed++,
		kills => KILLS, args => [qw(-only comms -made 10), @args]);
	return;
}

killed_made('blocking', @$_) for [], ['-across'];
killed_made('eventlog', @$_) for [qw(-skew 6)], ['-across'];
killed_made('tagging',  qw(-skew 6));

done_testing();
