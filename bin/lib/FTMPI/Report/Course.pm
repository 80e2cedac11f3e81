# SPDX-License-Identifier: BSD-3-Clause
#
# What the events of a record (FTMPI::Report::Events) tell of the job: its runs of ftmpirun, where ranks were, what they did when, lines, failures, what
# could not be made, and what all that cost. Times are seconds since the first start. Pure.
#
# What ranks do is one list of spans for all of them, [from, to, state], and a list of its own for a rank that did something else:
#
#	start    they begin, or are restored: from the start, or from RUN of the next epoch, until all have called MPI_Init
#	compute
#	lost     they computed what a failure took away: since the line, or the rank's checkpoint, that they went back to
#	line     a line is made: the ranks come together for it, stand still, and most of the time run on while it is written
#	down     a rank is gone, and its next process not there yet
package FTMPI::Report::Course;

use strict;
use warnings;

use List::Util qw(max min sum0);

# Of spans that single ranks have; of refusals with different words; of placements, of which each has all hosts.
use constant { OWN_MAX => 200_000, REFUSED_MAX => 200, PLACES_MAX => 2000 };

my %TAKES = map { $_ => "_$_" } qw(start run moved ready line_committed line_refused checkpoint failure restored back suspicion progress traffic end);

# events: of a record; now: seconds of the clock if the job still runs, or undef.
sub of
{
	my ($events, $now) = @_;
	my $self = bless {
		ranks => 0, runs => [], places => [], all => [], own => {}, own_count => 0, lines => [], checkpoints => [], failures => [], refused => [], suspicions => 0, open => {}, offset => 0, t => 0,
	}, __PACKAGE__;
	for my $event (@$events) {
		my $method = $TAKES{ $event->{event} };
		$self->{t} = max($self->{t}, $self->{offset} + $event->{at}) if $event->{event} ne 'start' && @{ $self->{runs} };
		next if $event->{event} ne 'start' && !@{ $self->{runs} };
		$self->$method($event) if $method;
		$self->{run}{last} = $self->{t};
	}
	$self->_close($now) if @{ $self->{runs} };
	return $self;
}

sub began { return $_[0]{runs}[0]{start}{time} }
sub last_start { return $_[0]{runs}[-1]{start} }
sub end   { return $_[0]{runs}[-1]{end} }

# How many hosts had ranks.
sub hosts
{
	my ($self) = @_;
	my %with;
	for my $place (@{ $self->{places} }) {
		$with{$_} = 1 for grep { @{ $place->{hosts}{$_} } } keys %{ $place->{hosts} };
	}
	return scalar keys %with;
}

# ---- runs ----

sub _start
{
	my ($self, $event) = @_;
	$self->_leave($self->{t}) if @{ $self->{runs} };
	$self->{offset} = @{ $self->{runs} } ? max($self->{t}, $event->{time} - $self->began) - $event->{at} : -$event->{at};
	$self->{t} = $self->{offset} + $event->{at};
	$self->{run} = { start => $event, from => $self->{t}, computes => 0 };
	push @{ $self->{runs} }, $self->{run};
	my $ranks = sum0(map { scalar @{ $_->{ranks} } } @{ $event->{hosts} });
	$self->{ranks} = max($self->{ranks}, $ranks);
	$self->_place($event->{hosts});
	$self->_turn('start');
	return;
}

sub _run { my ($self, $event) = @_; $self->_place($event->{hosts}); $self->_own_end($_, undef) for keys %{ $self->{open} }; return }

# Ranks of a lost host that begin again alone on other hosts.
sub _moved { my ($self, $event) = @_; $self->_place($event->{hosts}); return }

# Where ranks are from now on.
sub _place
{
	my ($self, $hosts) = @_;
	my $places = $self->{places};
	my %at     = map { $_->{name} => $_->{ranks} } @$hosts;
	$places->[-1]{to} = $self->{t} if @$places && !defined $places->[-1]{to};
	pop @$places if @$places && $places->[-1]{to} <= $places->[-1]{from} && @{ $self->{runs} } > 0 && $places->[-1]{run} == @{ $self->{runs} };
	return if @$places >= PLACES_MAX && ++$self->{places_more};
	push @$places, { from => $self->{t}, hosts => \%at, names => [ map { $_->{name} } @$hosts ], run => scalar @{ $self->{runs} } };
	return;
}

# All ranks but those that have a span of their own do this from now on.
sub _turn
{
	my ($self, $state) = @_;
	$self->_add($self->{all}, $self->{since}, $self->{t}, $self->{state}) if defined $self->{state};
	@$self{qw(state since)} = ($state, $self->{t});
	return;
}

sub _add
{
	my ($self, $spans, $from, $to, $state) = @_;
	push @$spans, [ $from, $to, $state ] if $to > $from;
	return;
}

# What computing ended at t was a line's, or is lost, from then on: the spans that are there are cut.
sub _recolour
{
	my ($self, $from, $to, $state) = @_;
	my $spans = $self->{all};
	$self->_turn($self->{state});
	my @behind;
	while (@$spans && $spans->[-1][1] > $from) {
		my ($first, $last, $was) = @{ pop @$spans };
		my ($left, $right) = (max($first, $from), min($last, $to));
		unshift @behind, [ $right, $last, $was ] if $last > $right;
		unshift @behind, [ $left, $right, $was eq 'compute' ? $state : $was ] if $right > $left;
		unshift @behind, [ $first, $left, $was ] if $left > $first;
		last if $first <= $from;
	}
	push @$spans, @behind;
	return;
}

sub _leave
{
	my ($self, $t) = @_;
	$self->{t} = $t;
	$self->_own_end($_, undef) for keys %{ $self->{open} };
	$self->_turn(undef);
	$self->{places}[-1]{to} //= $t if @{ $self->{places} };
	return;
}

# A span of one rank's own; state: the next, or undef when it does again as the others.
sub _own_end
{
	my ($self, $rank, $state) = @_;
	my $open = delete $self->{open}{$rank};
	$self->_own($rank, $open->{from}, $self->{t}, $open->{state}) if $open;
	$self->{open}{$rank} = { from => $self->{t}, state => $state } if defined $state;
	return;
}

sub _own
{
	my ($self, $rank, $from, $to, $state) = @_;
	return if $to <= $from;
	if (++$self->{own_count} > OWN_MAX) {
		$self->{own_more}++;
		return;
	}
	push @{ $self->{own}{$rank} }, [ $from, $to, $state ];
	return;
}

# ---- what happens ----

# Each has all that is known by then.
sub _traffic
{
	my ($self, $event) = @_;
	return $self->{strange_traffic}++ if grep { $_ >= $self->{ranks} } map { ($_->{from}, @{ $_->{to} }) } @{ $event->{sent} };
	$self->{run}{traffic} = { %$event, t => $self->{t} };
	return;
}

sub _ready { my ($self) = @_; $self->{run}{ready} = $self->{t} if !defined $self->{run}{ready}; $self->_turn('compute'); return }

sub _line_committed
{
	my ($self, $event) = @_;
	my $t    = $self->{t};
	my %line = (%$event, t => $t);
	delete $line{stood_lines} if !defined $line{stood_longest};
	$line{begun} = $t - ($event->{seconds} // 0) - ($event->{held} // 0);
	$self->_recolour(max($line{begun}, $self->{run}{from}), $t, 'line') if $line{begun} < $t;
	push @{ $self->{lines} }, \%line;
	return;
}

sub _checkpoint { my ($self, $event) = @_; push @{ $self->{checkpoints} }, { %$event, t => $self->{t} }; return }

sub _line_refused
{
	my ($self, $event) = @_;
	my $why  = $event->{why};
	my $list = $self->{refused};
	my ($same) = grep { $_->{why} eq $why } @$list;
	if (!$same) {
		return if @$list >= REFUSED_MAX && ++$self->{refused_more};
		push @$list, $same = { why => $why, count => 0, first => $self->{t}, ranks => {} };
	}
	$same->{count} += $event->{count} // 1;
	$same->{last} = $self->{t};
	$same->{ranks}{ $event->{rank} } = 1 if defined $event->{rank};
	return;
}

sub _failure
{
	my ($self, $event) = @_;
	my $failure = { %$event, t => $self->{t}, ranks => $event->{ranks} // [], why => $event->{why} // '', run => scalar @{ $self->{runs} } };
	$failure->{lost} = min($event->{lost}, $self->{t} - $self->{run}{from}) if defined $event->{lost};
	push @{ $self->{failures} }, $failure;
	my $lost  = $failure->{lost} // 0;
	my $whole = $event->{decision} eq 'restart';
	if ($whole) {
		$self->_recolour(max($self->{t} - $lost, $self->{run}{from}), $self->{t}, 'lost') if $lost;
		$self->_turn('start');
	} elsif ($event->{decision} ne 'end') {
		$self->_own_lost($_, $lost) for @{ $failure->{ranks} };
	}
	$self->_own_end($_, 'down') for @{ $failure->{ranks} };
	return;
}

# A rank that is on its way back has computed nothing since.
sub _own_lost
{
	my ($self, $rank, $lost) = @_;
	my $last = $self->{own}{$rank} && $self->{own}{$rank}[-1];
	$self->_own($rank, max($self->{t} - $lost, $self->{run}{from}, $last ? $last->[1] : 0), $self->{t}, 'lost') if !$self->{open}{$rank};
	return;
}

sub _restored
{
	my ($self, $event) = @_;
	my ($failure) = grep { !defined $_->{back} && $_->{decision} ne 'end' } reverse @{ $self->{failures} };
	if (defined $event->{rank}) {
		$self->_own_end($event->{rank}, 'start') if $self->{open}{ $event->{rank} };
		my ($its) = grep { !defined $_->{back} && grep { $_ == $event->{rank} } @{ $_->{ranks} } } reverse @{ $self->{failures} };
		$its->{restored} = $event->{number} if $its;
	} elsif (defined $event->{line}) {
		if ($failure) { $failure->{restored} = $event->{line} }
		else          { $self->{run}{restored} = $event }
	}
	return;
}

sub _back
{
	my ($self) = @_;
	for my $failure (grep { !defined $_->{back} && $_->{decision} ne 'end' && $_->{run} == @{ $self->{runs} } } @{ $self->{failures} }) {
		$failure->{back} = $self->{t};
	}
	$self->_own_end($_, undef) for keys %{ $self->{open} };
	$self->_turn('compute');
	return;
}

sub _suspicion { $_[0]{suspicions}++; return }
sub _progress { my ($self, $event) = @_; $self->{progress} = { %$event, t => $self->{t} }; return }
sub _end { my ($self, $event) = @_; $self->{run}{end} = { %$event, t => $self->{t} }; return }

sub _close
{
	my ($self, $now) = @_;
	$self->{running} = defined $now;
	$self->{t} = max($self->{t}, $now - $self->began) if defined $now;
	$self->_leave($self->{t});
	$self->{run}{last} = $self->{t};
	$self->{span}      = $self->{t};
	return;
}

# ---- costs ----

# Whether ranks go back alone (message logging): then a failure is not all ranks'.
sub is_alone { my ($self) = @_; return (last_start($self)->{protocol} // '') eq 'msglog' || @{ $self->{checkpoints} } > 0 }

# Of the time of all runs, in seconds: start, stood (still for lines), lost, down (from failures until all were back), away (no ftmpirun ran), unsaved (computed after
# the last line, of a run that did not end well), compute: the rest.
sub costs
{
	my ($self) = @_;
	my %sum = map { $_ => 0 } qw(start stood lost down away unsaved);
	my ($runs, $ranks) = ($self->{runs}, $self->{ranks} || 1);
	for my $i (0 .. $#$runs) {
		my $run = $runs->[$i];
		$sum{start} += ($run->{ready} // $run->{last}) - $run->{from};
		$sum{away}  += $run->{from} - $runs->[ $i - 1 ]{last} if $i;
		my @lines = grep { $_->{t} >= $run->{from} && $_->{t} <= $run->{last} } @{ $self->{lines} };
		$sum{stood} += $run->{end} && $run->{end}{stood} ? $run->{end}{stood} : sum0(map { $_->{stood_longest} // 0 } @lines);
		my $is_well = $run->{end} && $run->{end}{status} == 0;
		next if $is_well || !defined $run->{ready} || is_alone($self) || ($i == $#$runs && $self->{running});
		my ($last) = map { $_->{begun} } $lines[-1] // ();
		my @back = map { $_->{back} // () } grep { $_->{run} == $i + 1 } @{ $self->{failures} };
		$sum{unsaved} += max(0, $run->{last} - max($last // 0, $run->{ready}, @back));
	}
	my $down = 0;    # until then all ranks are away already, and what they lose is lost already
	for my $failure (grep { $_->{decision} ne 'end' } @{ $self->{failures} }) {
		my $is_all = $failure->{decision} eq 'restart';
		my $part   = $is_all ? 1 : min(1, @{ $failure->{ranks} } / $ranks);
		my $back   = $failure->{back} // $runs->[ $failure->{run} - 1 ]{last};
		$sum{lost} += $part * ($failure->{lost} // 0) if $failure->{t} >= $down;
		$sum{down} += $part * max(0, $back - max($failure->{t}, $down));
		$down = max($down, $back) if $is_all;
	}
	$sum{total}   = $self->{span};
	# what stood still and was lost as well is in `lost`
	my $rest = max(0, $sum{total} - sum0(@sum{qw(start lost down away unsaved)}));
	$sum{stood}   = min($sum{stood}, $rest);
	$sum{compute} = $rest - $sum{stood};
	return \%sum;
}

# ---- for the interval ----

# lines, cost (seconds that the program stood still for one), written (seconds until one is there), restart (seconds), failures that count, up: seconds in which ranks ran, period: median seconds
# from one line to the next. Each may be undef but lines, failures and up.
sub measured
{
	my ($self) = @_;
	my @lines  = @{ $self->{lines} };
	my @cost   = grep { $_->{stood_lines} } @lines;
	my $of     = sum0(map { $_->{stood_lines} } @cost);
	my @took   = map { $_->{seconds} // () } @lines;
	my @backs  = map { $_->{back} - $_->{t} } grep { defined $_->{back} && $_->{decision} ne 'end' } @{ $self->{failures} };
	my @counts = grep { $_->{decision} ne 'end' || $_->{class} =~ /^(?:killed|hung|lost|host)\z/ } @{ $self->{failures} };
	my $costs  = costs($self);
	return {
		lines    => scalar @lines,
		cost     => $of ? sum0(map { $_->{stood_longest} } @cost) / $of : undef,
		written  => @took ? sum0(@took) / @took : undef,
		restart  => @backs ? sum0(@backs) / @backs : undef,
		failures => scalar @counts,
		up       => max(0, $costs->{total} - $costs->{away} - $costs->{start} - $costs->{down}),
		period   => _period($self),
	};
}

# Of lines between which nothing failed, and of which none is left out.
sub _period
{
	my ($self) = @_;
	my @breaks = sort { $a <=> $b } map({ $_->{t} } @{ $self->{failures} }), map { $_->{from} } @{ $self->{runs} };
	my @gaps;
	my $next = 0;
	my $lines = $self->{lines};
	for my $i (1 .. $#$lines) {
		my ($one, $other) = @$lines[ $i - 1, $i ];
		$next++ while $next < @breaks && $breaks[$next] <= $one->{t};
		next if $next < @breaks && $breaks[$next] < $other->{t};
		push @gaps, ($other->{t} - $one->{t}) / ($other->{count} // 1);
	}
	return undef if !@gaps;
	return (sort { $a <=> $b } @gaps)[ $#gaps / 2 ];
}

1;
