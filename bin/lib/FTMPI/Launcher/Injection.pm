# SPDX-License-Identifier: BSD-3-Clause
#
# When which failure is injected (doc/practice.md): those of a list, in the order of their times, and those at random, whose times and
# ranks come from a seed. The generator is xorshift32 with shifts 13, 17, 5, so a seed means the same on every machine, whatever perl it
# has. Pure.
package FTMPI::Launcher::Injection;

use strict;
use warnings;

use constant { MASK => 0xffffffff, WARM_UP => 16 };

# faults: as FTMPI::Cli::Injections has them; random: { text, mean, seed }, or nothing; size: ranks of the job.
sub new
{
	my ($class, %arg) = @_;
	my @faults = @{ $arg{faults} // [] };
	my @timed  = grep { $faults[$_]{at} ne 'last' } 0 .. $#faults;
	my $self   = bless {
		timed  => [ @faults[ sort { $faults[$a]{at} <=> $faults[$b]{at} || $a <=> $b } @timed ] ],
		last   => [ grep { $_->{at} eq 'last' } @faults ],
		random => $arg{random},
		size   => $arg{size},
	}, $class;
	$self->_begin_random if $arg{random};
	return $self;
}

# Those that wait for a restart.
sub at_restart { return @{ $_[0]{last} } }

# The next failure, with its time as `at`; nothing when there is none any more.
sub next_fault
{
	my ($self) = @_;
	my ($timed, $random) = ($self->{timed}, $self->{next});
	return shift @$timed if !$random || @$timed && $timed->[0]{at} <= $random->{at};
	$self->_draw;
	return $random;
}

# Those of the list that were not asked for.
sub left { return @{ $_[0]{timed} } }

# ---- at random ----

# Seeds that are close to each other are not to begin alike, and 0 is no state.
sub _begin_random
{
	my ($self) = @_;
	$self->{state} = ($self->{random}{seed} ^ 0x9e3779b9) & MASK || 1;
	$self->{ms}    = 0;
	_number($self) for 1 .. WARM_UP;
	$self->_draw;
	return;
}

sub _number
{
	my ($self) = @_;
	my $x = $self->{state};
	$x ^= ($x << 13) & MASK;
	$x ^= $x >> 17;
	$x ^= ($x << 5) & MASK;
	return $self->{state} = $x;
}

# A kill of some rank, an exponential time after the one before, in whole milliseconds.
sub _draw
{
	my ($self) = @_;
	my $random  = $self->{random};
	my $uniform = (($self->_number >> 8) + 0.5) / (1 << 24);
	my $pause   = int 0.5 + 1000 * -log($uniform) * $random->{mean};
	$self->{ms} += $pause || 1;
	$self->{next} = { kind => 'kill', rank => $self->_number % $self->{size}, at => $self->{ms} / 1000, is_random => 1,
		text => sprintf '-inject-random %s, at %.3f s', $random->{text}, $self->{ms} / 1000 };
	return;
}

1;
