# SPDX-License-Identifier: BSD-3-Clause
#
# -ckpt-interval auto: how long to wait from one recovery line to the next, by what lines cost here and how often the job fails. Pure.
#
# A line costs C seconds of the program's time, and the job fails every M seconds on average. Then lines, and work that is done again, take the
# least time together with an interval of sqrt(2 C M) (libELC, section 5.8; Young 1974). That takes C to be small beside M; Daly's formula
# (2006) does not, and is taken where the two differ by more than a tenth.
#
# C is the mean of the last lines, of the rank that stood still longest. M: what the user expects (-mtbf) counts as if one failure had been seen
# in that time; what nobody has said, but is assumed, counts until one was seen.
#
# Where the job fails before its first line, nothing is known of C, and no line would ever come: then the interval is a part of the time that it
# has run from one failure to the next.
package FTMPI::Launcher::AutoInterval;

use strict;
use warnings;

use List::Util qw(max min sum0);

# Seconds: of the first interval, after which the cost of a line is known, but never more than a part of the time between two failures; the least and the longest interval; the time between
# two failures that is assumed where the user expects none. In parts: what a line may cost, of an interval, at most; by how much another interval has to differ to be worth a word.
use constant { FIRST => 10, FIRST_PART => 0.1, LEAST => 0.1, LONGEST => 86400, MTBF => 86400, COST_MOST => 1, DIFFERS => 0.1 };

# How many lines the mean is of.
use constant LINES => 8;

# mtbf: in s, or undef.
sub new
{
	my ($class, %arg) = @_;
	my $mtbf = $arg{mtbf} // MTBF;
	return bless { prior => $mtbf, expected => defined $arg{mtbf} ? 1 : 0, failures => 0, ran => 0, costs => [],
		interval => min(FIRST, max(LEAST, FIRST_PART * $mtbf)) }, $class;
}

# What is to be waited for now.
sub interval { return $_[0]{interval} }

# What happens (doc/record.md). Returns { seconds, why ... } when another interval is better.
sub note
{
	my ($self, $now, $event, $f) = @_;
	if ($event eq 'ready' || $event eq 'back') {
		$self->{since} = $now;
	} elsif ($event eq 'failure' && $f->{decision} ne 'end' && defined $self->{since}) {
		$self->{failures}++;
		$self->_ran($now);
		delete $self->{since};
		return @{ $self->{costs} } ? $self->_decide : $self->_sooner;
	} elsif ($event eq 'line_committed' && $f->{stood_lines}) {
		push @{ $self->{costs} }, $f->{stood_longest} / $f->{stood_lines};
		shift @{ $self->{costs} } if @{ $self->{costs} } > LINES;
		$self->_ran($now);
		return $self->_decide;
	}
	return;
}

# The job has run until now.
sub _ran
{
	my ($self, $now) = @_;
	return if !defined $self->{since};
	$self->{ran} += $now - $self->{since};
	$self->{since} = $now;
	return;
}

# From one failure to the next.
sub _mtbf
{
	my ($self) = @_;
	my ($expected, $seen) = @$self{qw(expected failures)};
	return $self->{prior} + $self->{ran} if !$seen;
	return ($expected * $self->{prior} + $self->{ran}) / ($expected + $seen);
}

# No line was made before the failures that were seen.
sub _sooner
{
	my ($self) = @_;
	my $mtbf = $self->_mtbf or return;
	my $best = max(LEAST, FIRST_PART * $mtbf);
	return if $best >= $self->{interval};
	$self->{interval} = $best;
	return { seconds => $best, mtbf => $mtbf, failures => $self->{failures} };
}

sub _decide
{
	my ($self) = @_;
	my @costs = @{ $self->{costs} };
	my $cost = sum0(@costs) / @costs;
	my $mtbf = $self->_mtbf;
	my $best = best($cost, $mtbf);
	return if abs($best - $self->{interval}) <= DIFFERS * $self->{interval};
	$self->{interval} = $best;
	return { seconds => $best, cost => $cost, mtbf => $mtbf, failures => $self->{failures} };
}

sub young { my ($cost, $mtbf) = @_; return sqrt 2 * $cost * $mtbf }

# Of work between two lines.
sub daly
{
	my ($cost, $mtbf) = @_;
	return $mtbf if $cost >= 2 * $mtbf;
	my $part = $cost / (2 * $mtbf);
	return young($cost, $mtbf) * (1 + sqrt($part) / 3 + $part / 9) - $cost;
}

# Within the bounds.
sub best
{
	my ($cost, $mtbf) = @_;
	my ($young, $daly) = (young($cost, $mtbf), daly($cost, $mtbf));
	my $best = abs($young - $daly) > DIFFERS * $young ? $daly : $young;
	return min(LONGEST, max(LEAST, $cost / COST_MOST, $best));
}

1;
