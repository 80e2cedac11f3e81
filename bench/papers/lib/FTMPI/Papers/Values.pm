# SPDX-License-Identifier: BSD-3-Clause
#
# All that was measured as a text, and back. Pure. The first line names the format, then
#
#	# KEY <tab> VALUE                    about the machine, the versions
#	CASE LINE                            bytes of a recovery line
#	CASE MODE WALL PIECES CPU PIECES     a run a line, in the order of the rounds; PIECES: joined by commas
package FTMPI::Papers::Values;

use strict;
use warnings;

use FTMPI::Papers::Cases ();

use constant FIRST => '# FTMPI papers results 1';

# A result: { head => [[key, value], ...], measured => [{ case, bytes, runs => { mode => [run, ...] } }] }.
sub to_text
{
	my ($result) = @_;
	my @lines = (FIRST, map { "# $_->[0]\t$_->[1]" } @{ $result->{head} });
	for my $got (@{ $result->{measured} }) {
		my $id = $got->{case}{id};
		push @lines, sprintf "%s\t%d", $id, $got->{bytes} if defined $got->{bytes};
		for my $mode (sort keys %{ $got->{runs} }) {
			push @lines, map { join "\t", $id, $mode, _run_text($_) } @{ $got->{runs}{$mode} };
		}
	}
	return join '', map { "$_\n" } @lines;
}

sub _run_text
{
	my ($run) = @_;
	return map { $_->{total}, join ',', @{ $_->{pieces} } } @$run{qw(wall cpu)};
}

# Dies with a sentence that names the file and line.
sub from_text
{
	my ($file, $text) = @_;
	my ($first, @lines) = split /\n/, $text;
	die "$file is not a result of bench/papers/run (a .tsv file that begins '" . FIRST . "')\n"
		if ($first // '') ne FIRST;
	my %case_of = map { $_->{id} => $_ } FTMPI::Papers::Cases::all();
	my (%got_of, @head, @measured);
	for my $i (0 .. $#lines) {
		my $where = "$file, line " . ($i + 2);
		if ($lines[$i] =~ /^# ([^\t]+)\t(.*)\z/) {
			push @head, [ $1, $2 ];
			next;
		}
		my ($id, @words) = split /\t/, $lines[$i], -1;
		my $case = $case_of{ $id // '' } or die "$where: '" . ($id // '') . "' is not a program of this version\n";
		push @measured, $got_of{$id} = { case => $case, runs => {} } if !$got_of{$id};
		_add($got_of{$id}, @words) or die "$where: not a run\n";
	}
	_is_whole($_) or die "$file: '$_->{case}{id}' has not as many runs of each mode\n" for @measured;
	return { head => \@head, measured => \@measured };
}

sub _add
{
	my ($got, @words) = @_;
	my $number = qr/\d{1,9}(?:\.\d{1,12})?(?:e-\d{1,2})?/;
	if (@words == 1 && $words[0] =~ /^\d{1,15}\z/) {
		$got->{bytes} = $words[0] + 0;
		return 1;
	}
	my ($mode, @clocks) = @words;
	return 0 if @clocks != 4 || !grep { $_->{name} eq $mode } FTMPI::Papers::Cases::modes($got->{case});
	my %run;
	for my $name (qw(wall cpu)) {
		my ($total, $pieces) = splice @clocks, 0, 2;
		return 0 if $total !~ /^$number\z/ || $pieces !~ /^$number(?:,$number)*\z/;
		$run{$name} = { total => $total + 0, pieces => [ map { $_ + 0 } split /,/, $pieces ] };
	}
	my $known = $got->{runs}{source} // $got->{runs}{$mode} // [];
	return 0 if @$known && grep { @{ $known->[0]{$_}{pieces} } != @{ $run{$_}{pieces} } } qw(wall cpu);
	push @{ $got->{runs}{$mode} }, \%run;
	return 1;
}

# Pairs are made by rounds.
sub _is_whole
{
	my ($got) = @_;
	my %count = map { scalar @{ $got->{runs}{ $_->{name} } // [] } => 1 } FTMPI::Papers::Cases::modes($got->{case});
	return keys %count == 1 && !$count{0};
}

# The rounds of all of them, the head of the last.
sub together
{
	my (@results) = @_;
	my (%got_of, @measured);
	for my $got (map { @{ $_->{measured} } } @results) {
		my $id = $got->{case}{id};
		push @measured, $got_of{$id} = { case => $got->{case}, runs => {} } if !$got_of{$id};
		$got_of{$id}{bytes} //= $got->{bytes};
		push @{ $got_of{$id}{runs}{$_} }, @{ $got->{runs}{$_} } for keys %{ $got->{runs} };
	}
	return { head => $results[-1]{head}, measured => \@measured };
}

1;
