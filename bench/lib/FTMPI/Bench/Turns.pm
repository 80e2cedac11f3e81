# SPDX-License-Identifier: BSD-3-Clause
#
# Measuring in turns: in every round each implementation once, in the same order, so that what a
# table compares has seen the same noise.
package FTMPI::Bench::Turns;

use strict;
use warnings;

use FTMPI::Bench::Cases    ();
use FTMPI::Bench::Failures ();
use FTMPI::Bench::Hosts    ();
use FTMPI::Bench::Peers    ();
use FTMPI::Bench::Process  ();
use FTMPI::Bench::Stats    ();

use constant FAR => 10;

# peers, root, dir, rounds, limit; done: called with each finished row. Returns the rows and notes.
sub measure
{
	my (%arg) = @_;
	my (@rows, @notes);
	my $self = { %arg, lingered => {}, failed => {} };
	for my $cases (FTMPI::Bench::Cases::jobs(@{ $arg{cases} })) {
		my @of_job = map { _row($_) } @$cases;
		my @pairs  = map { [ $cases->[$_], $of_job[$_] ] } 0 .. $#of_job;
		if ($cases->[0]{transport} eq 'gbit' && defined FTMPI::Bench::Hosts::none_for($self)) {
			_skip(@of_job);
		} elsif ($cases->[0]{times}) {
			push @notes, FTMPI::Bench::Failures::measure($self, @pairs);
		} else {
			_rounds($self, @pairs);
		}
		$arg{done}->($_) for @of_job;
		push @rows, @of_job;
	}
	$self->{hosts}->remove if $self->{hosts};
	return (\@rows, [ _notes($self), @notes ]);
}

sub _skip
{
	for my $row (@_) {
		$row->{state}{$_} = 'skipped' for keys %{ $row->{state} };
	}
	return;
}

sub _rounds
{
	my ($self, @pairs) = @_;
	for my $round (1 .. $self->{rounds}) {
		_turn($self, $_, $round, @pairs) for @{ $self->{peers} };
	}
	return;
}

sub _row
{
	my ($case) = @_;
	my %row = map { $_ => $case->{$_} } qw(id section what bytes ranks unit);
	for my $name (@{ $case->{who} }) {
		$row{values}{$name} = [];
		$row{state}{$name}  = 'ok';
	}
	return \%row;
}

# Who did not get a row done in one round is not asked for it again, nor who is far behind: another
# figure would change nothing but the time that a run takes.
sub _turn
{
	my ($self, $peer, $round, @pairs) = @_;
	my $name = $peer->{name};
	@pairs = grep {
		my ($case, $row) = @$_;
		($row->{state}{$name} // '') eq 'ok' && $round <= ($case->{rounds} // $round)
			&& !far_behind($row, $name)
	} @pairs or return;
	my $first = $pairs[0][0];
	my $from_outside = $first->{what} eq 'start';
	my $over  = FTMPI::Bench::Peers::over($peer, $first->{transport});
	my $hosts = $first->{transport} eq 'gbit' ? $self->{hosts} : undef;
	my $command = FTMPI::Bench::Peers::command($over,
		{ ranks => $first->{ranks}, $hosts ? $hosts->given($over->{host}, $first->{ranks}) : () },
		FTMPI::Bench::Cases::SECONDS, map { "$_->[0]{operation}:$_->[0]{bytes}" } @pairs);
	my $job = FTMPI::Bench::Process::run(
		command => $hosts ? [ $hosts->inside(@$command) ] : $command,
		env   => FTMPI::Bench::Peers::environment($over),
		dir   => $self->{dir},
		limit => $self->{limit},
		$from_outside ? () : (lines => scalar @pairs),
	);
	$hosts->quiet if $hosts;
	_tell($self, $name, $job);
	my $numbers = $from_outside ? _seconds($job) : numbers(@{ $job->{out} });
	_keep($name, $job, $numbers, @$_) for @pairs;
	return;
}

# More than FAR times the time of somebody else in the first round.
sub far_behind
{
	my ($row, $name) = @_;
	return 0 if $name eq 'FTMPI' || $name eq 'floor' || FTMPI::Bench::Cases::more_is_better($row);
	my $mine = FTMPI::Bench::Stats::middle($row, $name) // return 0;
	return scalar grep { defined && $_ * FAR < $mine }
		map { FTMPI::Bench::Stats::middle($row, $_) } FTMPI::Bench::Peers::rivals(keys %{ $row->{values} });
}

sub _seconds
{
	my ($job) = @_;
	return $job->{state} eq 'ended' ? { 'start 0' => $job->{seconds} } : {};
}

# "NAME BYTES NUMBER" each; whatever else a launcher prints is not looked at.
sub numbers
{
	my (@lines) = @_;
	return { map { /^(\w+ \d+) (\d+(?:\.\d+)?)\z/ ? ($1 => $2) : () } @lines };
}

sub _keep
{
	my ($name, $job, $numbers, $case, $row) = @_;
	my $number = $numbers->{"$case->{operation} $case->{bytes}"};
	if (!defined $number) {
		$row->{state}{$name} = $job->{state} eq 'limit' ? 'limit' : 'failed';
		return;
	}
	# what an empty program takes is not the library's
	$number -= $row->{values}{floor}[-1] if $case->{what} eq 'memory' && $name ne 'floor';
	push @{ $row->{values}{$name} }, $number + 0;
	return;
}

sub _tell
{
	my ($self, $name, $job) = @_;
	$self->{jobs}{$name}++;
	$self->{lingered}{$name}++ if $job->{state} eq 'lingered';
	$self->{failed}{$name} //= $job->{why} if $job->{state} eq 'failed';
	return;
}

sub _notes
{
	my ($self) = @_;
	my $lingered = $self->{lingered};
	my $failed   = $self->{failed};
	my $grace    = FTMPI::Bench::Process::GRACE;
	return (
		(map {
			"$_: $lingered->{$_} of its $self->{jobs}{$_} jobs did not end by themselves within"
				. " $grace s after the last figure, and were ended."
		} sort keys %$lingered),
		(map { "$_: a job failed: $failed->{$_}." } sort keys %$failed),
		defined $self->{no_hosts} ? "rows on two hosts: not measured: $self->{no_hosts}." : (),
	);
}

1;
