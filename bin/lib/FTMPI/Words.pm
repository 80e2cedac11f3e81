# SPDX-License-Identifier: BSD-3-Clause
#
# What the launcher tells of failures and restarts, in words. Pure.
package FTMPI::Words;

use strict;
use warnings;

# Ends of sentences, when there is no restart.
use constant {
	BEGINNING      => 'the beginning',
	NO_CHECKPOINTS => '; the program makes no checkpoints (FTMPI_Perform_Checkpoint), so the job cannot go'
		. ' on; -restart-from-start would begin again.',
	INPUT_LOST => '; rank 0 was given more standard input than is kept for a restart (64 MiB), so the job'
		. ' is ended.',
	NO_HOST => '; no host is left, so the job is ended.',
};

# 0, 1, 2, 5 as "0-2 5".
sub ranges
{
	my (@ranges);
	for my $n (@_) {
		if (@ranges && $ranges[-1][1] == $n - 1) {
			$ranges[-1][1] = $n;
		} else {
			push @ranges, [ $n, $n ];
		}
	}
	return join ' ', map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
}

sub _ranks
{
	my @ranks = sort { $a <=> $b } @_;
	return @ranks == 1 ? "rank $ranks[0]" : 'ranks ' . ranges(@ranks);
}

# How a rank ended; silent: for how many ms it had shown no life when it was fenced.
sub ended
{
	my ($who, $how, $silent) = @_;
	return "$who $how" if !defined $silent;
	return "$who showed no life for $silent ms (stopped or hung) and "
		. ($how =~ /^was killed/ ? 'was killed' : $how);
}

# A judgement of FTMPI::Verdict.
sub judged
{
	my ($crew, $name, @data) = @_;
	my $who = sub { "rank $_[0] on " . $crew->name_of($_[0]) };
	if ($name eq 'host') {
		my ($hosts, $ms) = @data;
		return 'host ' . join(', ', map { $crew->name($_) } @$hosts) . " shows no life for $ms ms";
	}
	return $who->($data[0]) . " shows no life for $data[1] ms (stopped or hung)" if $name eq 'fence';
	return 'hosts ' . join(' and ', map { $crew->name($_) } @data[ 1, 2 ])
		. " do not reach each other for $data[3] ms" if $name eq 'link';
	return $who->($data[1]) . ' is not heard by ' . $who->($data[0]) . " for $data[2] ms";
}

# Where ranks go.
sub moved
{
	my ($crew, $moved) = @_;
	return join '', map { '; ' . _ranks(@{ $moved->{$_} }) . (@{ $moved->{$_} } == 1 ? ' goes' : ' go')
			. ' to ' . $crew->name($_) } sort { $a <=> $b } keys %$moved;
}

sub from
{
	my ($line, $restoring) = @_;
	return "line $line" if defined $line;
	return $restoring // BEGINNING;
}

sub restart
{
	my ($row, $max, $from) = @_;
	return "restart $row of $max from $from";
}

sub too_often
{
	my ($max) = @_;
	my $restarts = $max == 1 ? '1 restart' : "$max restarts in a row";
	return "; $restarts (-max-restarts) brought no new recovery line, so the job is ended.";
}

sub last_words
{
	my ($words) = @_;
	return '' if !defined $words || !length $words;
	return qq(; its last words: "$words");
}

sub all_run
{
	my ($n, $seconds, $restored) = @_;
	my $ranks = $n == 1 ? 'the rank runs' : "all $n ranks run";
	my $line = $restored ? " (line $restored->{line})" : '';
	return sprintf '%s again, %.0f ms after the failure was noticed%s.', $ranks, 1000 * $seconds, $line;
}

sub no_answer
{
	my ($host, $seconds) = @_;
	return "host $host did not answer the order to begin again within $seconds s";
}

1;
