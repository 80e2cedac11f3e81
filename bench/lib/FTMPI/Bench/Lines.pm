# SPDX-License-Identifier: BSD-3-Clause
#
# Checkpoints that nobody waits for: what they keep a program from, and how long a line takes, each in
# turns, in the same processes, with what cannot be less.
package FTMPI::Bench::Lines;

use strict;
use warnings;

use File::Temp ();

use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Peers        ();
use FTMPI::Bench::Process      ();
use FTMPI::Bench::Stats        ();

# Beside the launcher's own.
my @OPTIONS = qw(-coord eventlog -keep 1);

# peer: ours; exe: of stall.c or commit.c; dir, limit; what, bytes, ranks; times: lines of a job;
# rounds: jobs. Returns the values of ours and of the floor; dies with a sentence.
sub turns
{
	my (%arg) = @_;
	my @pairs;
	for (1 .. $arg{rounds}) {
		my $dir = File::Temp->newdir('lines-XXXXXX', DIR => $arg{dir});
		mkdir "$dir/bare" or die "$arg{what}: cannot make a folder: $!\n";
		my $done = FTMPI::Bench::Process::run(
			command => [ $arg{peer}{run}[0], @OPTIONS, '-workdir', "$dir/work", '-n', $arg{ranks},
				$arg{exe}, $arg{bytes}, $arg{times}, $arg{what} eq 'commit' ? "$dir/bare" : () ],
			env   => FTMPI::Bench::Peers::environment($arg{peer}),
			dir   => $arg{dir},
			limit => $arg{limit},
		);
		die "$arg{what}: $done->{why}\n" if $done->{state} ne 'ended';
		push @pairs, from_lines($arg{what}, $arg{bytes}, @{ $done->{out} });
	}
	die "$arg{what}: it printed no figures\n" if @pairs != $arg{rounds} * $arg{times};
	return ([ map { $_->[0] } @pairs ], [ map { $_->[1] } @pairs ]);
}

# "WHAT BYTES OURS FLOOR" each; pairs of ours and the floor.
sub from_lines
{
	my ($what, $bytes, @lines) = @_;
	return map { /^\Q$what $bytes\E (\d+\.\d+) (\d+\.\d+)\z/ ? [ $1 + 0, $2 + 0 ] : () } @lines;
}

# What is said of them besides the table: a row has the ratio, this the difference.
sub note
{
	my ($row) = @_;
	my ($ours, $floor) = @{ $row->{values} }{qw(FTMPI floor)};
	my @beyond = map { $ours->[$_] - $floor->[$_] } 0 .. $#$ours;
	my $name = $row->{what} eq 'stall' ? 'the copy' : 'what the disk takes for the same';
	return sprintf '%s %d: beyond %s: median %.3g, quartiles %.3g and %.3g %s.', @$row{qw(what bytes)}, $name,
		FTMPI::Bench::Stats::median(@beyond), (map { FTMPI::Bench::Distribution::quantile($_, @beyond) } 0.25, 0.75),
		$row->{unit};
}

1;
