# SPDX-License-Identifier: BSD-3-Clause
#
# What heartbeats cost: the same job with them and without, in pairs.
package FTMPI::Bench::Beats;

use strict;
use warnings;

use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Peers        ();
use FTMPI::Bench::Pieces       ();
use FTMPI::Bench::Process      ();
use FTMPI::Bench::Stats        ();

# Seconds of a job; each so manieth pair has a third job, with more beats.
use constant { PINGPONG => 0.6, PI => 1, OFTEN => 4 };

# Their options. "often" shows that the measure sees what it looks for.
my %OPTIONS = (
	with    => [qw(-heartbeat 100)],
	without => [qw(-heartbeat 0)],
	often   => [qw(-heartbeat 10 -timeout-heartbeat 1000)],
);

# peer: ours; limit, dir; what, bytes, ranks; count: of pairs; exe: of pieces.c, for pi. Returns
# { with, without, often, usual }: hashes of figures, a pair each; usual has those without heartbeats
# beside often. Dies with a sentence. The order
# changes from pair to pair, so that what drifts does not count.
sub pairs
{
	my (%arg) = @_;
	my $is_pi = $arg{what} eq 'heartbeat_pieces';
	my $job   = $is_pi ? _pi(%arg) : _pingpong(%arg);
	my %got   = map { $_ => [] } qw(with without often usual);
	for my $i (1 .. $arg{count}) {
		for my $name ($i % 2 ? qw(with without) : qw(without with)) {
			push @{ $got{$name} }, $job->(@{ $OPTIONS{$name} });
		}
		next if !$is_pi || $i % OFTEN;
		push @{ $got{often} }, $job->(@{ $OPTIONS{often} });
		push @{ $got{usual} }, $got{without}[-1];
	}
	return \%got;
}

# What is said of them besides the table.
sub notes
{
	my ($what, $got) = @_;
	my $of = sub { _ratios($got, @_) };
	my @notes = ("$what: ratio of pairs of jobs with and without heartbeats: " . _sure($of->(qw(with without figure))));
	return @notes if $what ne 'heartbeat_pieces';
	push @notes, "$what: the same by all pieces, noise and all: " . _sure($of->(qw(with without all)));
	push @notes, "$what: for comparison, with ten times as many beats (@{ $OPTIONS{often} }): "
		. _sure($of->(qw(often usual figure))) if @{ $got->{often} };
	return @notes;
}

sub _ratios
{
	my ($got, $ours, $theirs, $key) = @_;
	return FTMPI::Bench::Stats::paired(
		{ values => { map { $_->[0] => [ map { $_->{$key} } @{ $got->{ $_->[1] } } ] } [ FTMPI => $ours ], [ floor => $theirs ] } },
		'floor'
	);
}

sub _sure { return FTMPI::Bench::Distribution::certainty('pairs', @_) . '.' }

sub _pingpong
{
	my (%arg) = @_;
	my $pattern = qr/^steady $arg{bytes} (\d+(?:\.\d+)?)\z/;
	return sub {
		my ($number) = map { $_ =~ $pattern ? $1 : () } _lines(\%arg, [@_], $arg{peer}{exe}, PINGPONG, "steady:$arg{bytes}");
		return { figure => $number // die "$arg{what}: it printed no figure\n" };
	};
}

# Milliseconds that a second of computing takes on the slowest rank.
sub _pi
{
	my (%arg) = @_;
	return sub {
		my @ranks = FTMPI::Bench::Pieces::from_lines(_lines(\%arg, [@_], $arg{exe}, PI));
		die "$arg{what}: not all ranks printed their pieces\n" if @ranks != $arg{ranks} || grep { !$_ } @ranks;
		return {
			figure => 1000 * FTMPI::Bench::Pieces::slowest(\&FTMPI::Bench::Pieces::stretch, @ranks),
			all    => 1000 * FTMPI::Bench::Pieces::slowest(\&FTMPI::Bench::Pieces::stretch_of_all, @ranks),
		};
	};
}

# What the job prints.
sub _lines
{
	my ($arg, $options, @program) = @_;
	my $peer = $arg->{peer};
	my $done = FTMPI::Bench::Process::run(
		command => [ $peer->{run}[0], @$options, '-n', $arg->{ranks}, @program ],
		env     => FTMPI::Bench::Peers::environment($peer),
		dir     => $arg->{dir},
		limit   => $arg->{limit},
	);
	die "$arg->{what}: $done->{why}\n" if $done->{state} ne 'ended';
	return @{ $done->{out} };
}

1;
