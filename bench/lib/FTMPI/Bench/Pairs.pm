# SPDX-License-Identifier: BSD-3-Clause
#
# Jobs in pairs, one after the other: ours, as with some options of ftmpirun, and the floor, without. The order changes
# from pair to pair, so that what drifts does not count.
package FTMPI::Bench::Pairs;

use strict;
use warnings;

use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Peers        ();
use FTMPI::Bench::Process      ();
use FTMPI::Bench::Stats        ();
use FTMPI::Bench::Turns        ();

# What job->(@words) returns, { FTMPI => [...], floor => [...] }, of so many pairs of jobs; words: those of ours, mostly
# options. The floor has none.
sub of
{
	my ($count, $words, $job) = @_;
	my %words = (FTMPI => $words, floor => []);
	my %got   = (FTMPI => [], floor => []);
	for my $i (1 .. $count) {
		push @{ $got{$_} }, $job->(@{ $words{$_} }) for $i % 2 ? qw(FTMPI floor) : qw(floor FTMPI);
	}
	return \%got;
}

# The figure of mpibench of one job. peer: ours; dir, limit; what (for sentences), transport, bytes, ranks; operation: of
# mpibench; seconds: that it takes; hosts: for /gbit (FTMPI::Bench::Hosts). More of ftmpirun's options behind these. Dies
# with a sentence.
sub figure
{
	my ($arg, @options) = @_;
	my $over  = FTMPI::Bench::Peers::over($arg->{peer}, $arg->{transport});
	my $hosts = $arg->{transport} eq 'gbit' ? $arg->{hosts} : undef;
	my ($ftmpirun, @rest) = @{ FTMPI::Bench::Peers::command($over,
		{ ranks => $arg->{ranks}, $hosts ? $hosts->given($over->{host}, $arg->{ranks}) : () },
		$arg->{seconds}, "$arg->{operation}:$arg->{bytes}") };
	my @command = ($ftmpirun, @options, '-workdir', $arg->{dir}, @rest);
	my $done = FTMPI::Bench::Process::run(
		command => [ $hosts ? $hosts->inside(@command) : @command ],
		env     => FTMPI::Bench::Peers::environment($over),
		dir     => $arg->{dir},
		limit   => $arg->{limit},
	);
	$hosts->quiet if $hosts;
	die "$arg->{what}: $done->{why}\n" if $done->{state} ne 'ended';
	return FTMPI::Bench::Turns::numbers(@{ $done->{out} })->{"$arg->{operation} $arg->{bytes}"}
		// die "$arg->{what}: it printed no figure\n";
}

# What is said of a row besides the table; name: of the row; of: whose ratio it is.
sub note
{
	my ($name, $row, $of) = @_;
	my $sure = FTMPI::Bench::Distribution::certainty('pairs', FTMPI::Bench::Stats::paired($row, 'floor'));
	return "$name: ratio of $of: $sure.";
}

1;
