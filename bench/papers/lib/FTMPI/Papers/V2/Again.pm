# SPDX-License-Identifier: BSD-3-Clause
#
# Re-execution: in a job of ring.c all ranks have done their rounds; then some of them are killed at once, and have all of
# it to do again from their beginning.
package FTMPI::Papers::V2::Again;

use strict;
use warnings;

use List::Util qw(max min);

use FTMPI::Bench::Pairs      ();
use FTMPI::Bench::Victims    ();
use FTMPI::Papers::V2::Cases ();
use FTMPI::Papers::V2::Job   ();

my $DONE = qr/^ring: rank (\d+), begun (\d+), done (\d+)\z/;

# Seconds, of each round: "floor" without a protocol, "FTMPI" with message logging and without a fault; "xN" from the kill of N
# ranks until all of them were done, "ownN" of these from when the first has begun its rounds.
sub measure
{
	my ($arg) = @_;
	my %values;
	my $pairs = FTMPI::Bench::Pairs::of($arg->{rounds}, [1], sub { return @_ ? _with_kills($arg) : { floor => _without($arg) } });
	for my $got (map { @$_ } @$pairs{qw(FTMPI floor)}) {
		push @{ $values{$_} }, sprintf('%.6f', $got->{$_}) + 0 for keys %$got;
	}
	return \%values;
}

sub _words
{
	my ($arg) = @_;
	return ($arg->{turns} // FTMPI::Papers::V2::Cases::rounds($arg->{bytes}), $arg->{bytes});
}

sub _without
{
	my ($arg) = @_;
	return span(all_done(@{ FTMPI::Papers::V2::Job::run($arg, [], 'ring', _words($arg))->{err} }));
}

sub _with_kills
{
	my ($arg) = @_;
	my $file = "$arg->{dir}/end";
	my %got;
	my $job = eval { FTMPI::Bench::Victims->run(%$arg, program => [ FTMPI::Papers::V2::Job::program($arg, 'ring'), _words($arg), '-until', $file ],
		do => sub { %got = _disturb($arg, @_); _make($file) }) };
	my $why = $@;
	unlink $file;
	die $why if !$job;
	die "$arg->{what}: the answer is not right\n" if !grep { defined } $job->matched(qr/^ring: (right), /);
	return \%got;
}

sub _disturb
{
	my ($arg, $job) = @_;
	my $said = $arg->{ranks};
	$job->wait_for($DONE, $said);
	my %got = (FTMPI => span(all_done($job->texts)));
	for my $count (FTMPI::Papers::V2::Cases::KILLED) {
		my $killed = $job->kill_some($count, 0 .. $arg->{ranks} - 1) // die "$arg->{what}: the job was over before ranks were killed\n";
		my $before = $said;
		$job->wait_for($DONE, $said += $count);
		my @again = splice @{ [ all_done($job->texts) ] }, $before;
		$got{"x$count"}   = max(map { $_->{done} } @again) - $killed;
		$got{"own$count"} = span(@again);
	}
	return %got;
}

sub _make
{
	my ($file) = @_;
	open my $out, '>', $file or die "cannot write $file: $!\n";
	close $out;
	return;
}

# What ranks said when they were done, in this order: { rank, begun, done } each, in seconds.
sub all_done
{
	my (@lines) = @_;
	return map { /$DONE/ ? { rank => $1, begun => $2 / 1e9, done => $3 / 1e9 } : () } @lines;
}

# From when the first has begun until the last was done.
sub span
{
	my (@ranks) = @_;
	die "ring: no rank said that it was done\n" if !@ranks;
	return max(map { $_->{done} } @ranks) - min(map { $_->{begun} } @ranks);
}

1;
