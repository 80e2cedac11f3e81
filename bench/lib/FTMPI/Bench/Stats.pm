# SPDX-License-Identifier: BSD-3-Clause
#
# What follows from the values of the rounds. Pure. A row: { what, bytes, ranks, unit, values =>
# { implementation => [one a round] }, state => { implementation => ok, limit, failed or skipped } }.
package FTMPI::Bench::Stats;

use strict;
use warnings;

use List::Util qw(max min);

use FTMPI::Bench::Cases        ();
use FTMPI::Bench::Distribution ();
use FTMPI::Bench::Peers        ();

# undef of nothing; the mean of the middle two of an even number.
sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return undef if !@sorted;
	return ($sorted[ $#sorted / 2 ] + $sorted[ @sorted / 2 ]) / 2;
}

sub middle
{
	my ($row, $name) = @_;
	return median(@{ $row->{values}{$name} // [] });
}

# Least and greatest value.
sub range
{
	my ($row, $name) = @_;
	my @values = @{ $row->{values}{$name} // [] };
	return @values ? (min(@values), max(@values)) : ();
}

# From the least to the greatest value, in per cent of the median.
sub spread
{
	my ($row, $name) = @_;
	my ($least, $most) = range($row, $name);
	my $middle = middle($row, $name);
	return defined $least && $middle ? ($most - $least) / $middle * 100 : undef;
}

# Ours over another's, of each pair of values.
sub paired
{
	my ($row, $name) = @_;
	my ($ours, $theirs) = map { $row->{values}{$_} // [] } 'FTMPI', $name;
	my $last = $#$ours < $#$theirs ? $#$ours : $#$theirs;
	return map { $ours->[$_] / $theirs->[$_] } grep { $theirs->[$_] } 0 .. $last;
}

sub to_floor
{
	my ($row) = @_;
	return median(paired($row, 'floor')) if FTMPI::Bench::Cases::is_paired($row);
	return _ratio(middle($row, 'FTMPI'), middle($row, 'floor'));
}

# Ours over the better peer's.
sub to_peer
{
	my ($row) = @_;
	my @theirs = grep { defined } map { middle($row, $_) } FTMPI::Bench::Peers::rivals(keys %{ $row->{values} });
	my $better = FTMPI::Bench::Cases::more_is_better($row) ? max(@theirs) : min(@theirs);
	return _ratio(middle($row, 'FTMPI'), $better);
}

sub _ratio
{
	my ($ours, $theirs) = @_;
	return defined $ours && $theirs ? $ours / $theirs : undef;
}

my %SAID = (most => "\x{2264}", below => '<', least => "\x{2265}");
my %HOLDS = (
	most  => sub { $_[0] <= $_[1] },
	below => sub { $_[0] < $_[1] },
	least => sub { $_[0] >= $_[1] },
);
my %NUMBER = (
	floor => \&to_floor,
	peer  => \&to_peer,
	value => sub { middle($_[0], 'FTMPI') },
	greatest => sub { (range($_[0], 'FTMPI'))[1] },
);

sub _kind { return grep { defined $_[0]{$_} } sort keys %HOLDS }

# "<= 1.15"
sub limit_text
{
	my ($target) = @_;
	my ($kind) = _kind($target);
	return "$SAID{$kind} $target->{$kind}";
}

# "<= 1.15 x floor" and so on; several are joined by a comma.
sub target_text
{
	my ($case) = @_;
	my @texts;
	for my $target (@{ $case->{targets} }) {
		my $against = $target->{against};
		my $what = $against eq 'greatest' ? "$against " : '';
		my $of = $against =~ /^(?:value|greatest)\z/ ? " $case->{unit}" : " \x{d7} $against";
		push @texts, $what . limit_text($target) . $of;
	}
	return join ', ', @texts;
}

# What a target is held against: mostly one number, or bounds of it; none when it was not measured.
sub _numbers
{
	my ($row, $against) = @_;
	my @bounds;
	@bounds = FTMPI::Bench::Distribution::median_bounds(paired($row, 'floor'))
		if $against eq 'floor' && FTMPI::Bench::Cases::is_faint($row);
	return @bounds ? @bounds : grep { defined } $NUMBER{$against}->($row);
}

# met; not met; undecided when the bounds are on both sides of the limit; '?' when what it is held
# against was not measured, or nothing could be; '' without a target. What took us too long is not met.
sub verdict
{
	my ($row, $case) = @_;
	return '' if !@{ $case->{targets} // [] };
	return '?' if ($row->{state}{FTMPI} // '') eq 'skipped';
	return 'not met' if !defined middle($row, 'FTMPI');
	my %seen;
	for my $target (@{ $case->{targets} }) {
		my ($kind) = _kind($target);
		my @numbers = _numbers($row, $target->{against});
		my $held = grep { $HOLDS{$kind}->($_, $target->{$kind}) } @numbers;
		$seen{ !@numbers ? '?' : $held == @numbers ? 'met' : $held ? 'undecided' : 'not met' } = 1;
	}
	return (grep { $seen{$_} } 'not met', 'undecided', '?', 'met')[0];
}

1;
