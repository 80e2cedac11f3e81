# SPDX-License-Identifier: BSD-3-Clause
#
# How a job does, put together from its notes (FTMPI::Launcher::Notes): for the run record, the status that ftmpi-top reads,
# the line of -progress and what -v says. Pure.
package FTMPI::Launcher::Overview;

use strict;
use warnings;

use List::Util qw(max sum0);

use FTMPI::Terminal ();

# What keeps the memory of many ranks and lines bounded: bytes of a text of the program's; sizes of lines that are not
# committed yet.
use constant { TEXT_MAX => 63, SIZES_MAX => 64 };

# size: ranks; began: the time of the notes when the job did.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, state => 'starting', epoch => 0, alive => 0, lines => 0, checkpoints => 0, restarts => 0, lost => 0,
		hosts => [], cut => undef, stood => {}, told => {}, sizes => {}, logs => {} }, $class;
}

my %TAKES = map { $_ => "_$_" } qw(start run ready started exited line_requested line_held line_refused line_committed checkpoint
	cost size logs failure restart restored back progress finalizing end);

# The fields that the record has of this note in addition.
sub note
{
	my ($self, $now, $event, $fields) = @_;
	$self->{now} = $now;
	my $method = $TAKES{$event} // return;
	return $self->$method($fields);
}

# ---- the course of the job ----

sub _start { my ($self, $f) = @_; @$self{qw(session hosts)} = @$f{qw(session hosts)}; return }

sub _run
{
	my ($self, $f) = @_;
	@$self{qw(state epoch alive asked held)} = ('starting', $f->{epoch}, $self->{size}, undef, undef);
	$self->{hosts} = $f->{hosts} if $f->{hosts};
	return;
}

# Nothing is lost of what came before all ranks were there.
sub _ready
{
	my ($self) = @_;
	$self->{state} = 'running';
	$self->{cut}   //= $self->{now};
	$self->{computes} = $self->{now};
	return;
}

sub _started { my ($self) = @_; $self->{alive}++ if $self->{alive} < $self->{size}; return }
sub _exited  { my ($self) = @_; $self->{alive}-- if $self->{alive}; return }
sub _finalizing { my ($self) = @_; $self->{state} = 'ending'; return }

# What was done since the line from which the ranks go on is done again; under message logging since the rank's own checkpoint.
sub _failure
{
	my ($self, $f) = @_;
	return if $f->{decision} eq 'end' || !defined $self->{cut};
	my $from = $f->{decision} eq 'restart' ? $self->{cut} : max(map { $self->{cuts}{$_} // $self->{cut} } @{ $f->{ranks} // [] });
	my $lost = $self->{now} - ($from // $self->{cut});
	$self->{lost} += $lost;
	# another failure before they are back loses nothing more
	$self->{cut} = $self->{now} if $f->{decision} eq 'restart';
	$self->{cuts}{$_} = $self->{now} for @{ $f->{ranks} // [] };
	return (lost => $lost);
}

sub _restart
{
	my ($self, $f) = @_;
	$self->{restarts}++;
	$self->{state} = 'restarting' if $f->{kind} eq 'all';
	return;
}

sub _restored
{
	my ($self, $f) = @_;
	$self->{cut} = $self->{now} if !defined $f->{rank};
	return;
}

sub _back { my ($self) = @_; $self->{state} = 'running'; return }

sub _progress
{
	my ($self, $f) = @_;
	@$self{qw(fraction text)} = ($f->{fraction}, FTMPI::Terminal::whole(substr $f->{text}, 0, TEXT_MAX));
	return;
}

sub _end
{
	my ($self, $f) = @_;
	$self->{state} = 'ended';
	$self->{alive} = 0;
	return (seconds => $self->{now} - $self->{began}, (map { $_ => $self->{$_} } qw(lines checkpoints restarts lost)), stood => $self->stood);
}

# ---- recovery lines ----

sub _line_requested
{
	my ($self, $f) = @_;
	@$self{qw(asked held by)} = ($self->{now}, undef, $f->{by});
	return;
}

sub _line_held { my ($self) = @_; $self->{held} = $self->{now}; return }
sub _line_refused { my ($self) = @_; @$self{qw(asked held by)} = (); return }

# The ranks stand still when they have come; where none waits, when they are asked. Where the program makes lines itself
# nobody knows here when it began.
sub _line_committed
{
	my ($self, $f) = @_;
	my $cut   = $self->{held} // $self->{asked};
	my $bytes = delete $self->{sizes}{ $f->{line} };
	my %more = (by => $self->{by} // 'program', $self->_new_cost);
	$more{held}    = $self->{held} - $self->{asked} if defined $self->{held};
	$more{bytes}   = $bytes if defined $bytes;
	$more{seconds} = $self->{now} - $cut if defined $cut;
	$self->{lines}++;
	@{ $self->{line} }{qw(number time bytes seconds)} = ($f->{line}, $self->{now}, $bytes, $more{seconds});
	@$self{qw(cut asked held by)} = ($cut // $self->{now});
	return %more;
}

# Of one rank, under message logging.
sub _checkpoint
{
	my ($self, $f) = @_;
	my $bytes = delete $self->{sizes}{"$f->{rank}:$f->{number}"};
	$self->{checkpoints}++;
	$self->{cuts}{ $f->{rank} } = $self->{now};
	@{ $self->{line} }{qw(number time bytes)} = ($f->{number}, $self->{now}, $bytes);
	return defined $bytes ? (bytes => $bytes) : ();
}

# Bytes of a line that will be committed, or of a rank's checkpoint.
sub _size
{
	my ($self, $f) = @_;
	my $sizes = $self->{sizes};
	%$sizes = () if keys %$sizes >= SIZES_MAX + $self->{size};
	$sizes->{ defined $f->{rank} ? "$f->{rank}:$f->{number}" : $f->{number} } = $f->{bytes};
	return;
}

sub _cost
{
	my ($self, $f) = @_;
	$self->{stood}{ $f->{rank} } += $f->{seconds};
	$self->{of}{ $f->{rank} } += $f->{lines};
	return;
}

# What ranks have told since this was asked last: for how many lines they stood still, and for how many seconds, the rank that did so
# longest, and one on average.
sub _new_cost
{
	my ($self) = @_;
	my ($stood, $told) = @$self{qw(stood told)};
	my @new = map { $stood->{$_} - ($told->{$_} // 0) } keys %$stood;
	my $lines = max(0, values %{ $self->{of} // {} });
	%$told = %$stood;
	$self->{of} = {};
	return $lines ? (stood_lines => $lines, stood_longest => max(@new), stood_mean => sum0(@new) / $self->{size}) : ();
}

# Of the rank that stood longest, from the beginning.
sub stood { my ($self) = @_; return max(0, values %{ $self->{stood} }) }

sub _logs { my ($self, $f) = @_; $self->{logs}{ $f->{rank} } = $f->{bytes}; return }

# ---- what is shown ----

# In seconds of the clock that notes have.
sub shown
{
	my ($self, $now) = @_;
	my %state = (map({ $_ => $self->{$_} } qw(session state epoch alive restarts lines checkpoints lost)),
		ranks => $self->{size}, hosts => scalar @{ $self->{hosts} }, seconds => $now - $self->{began}, stood => $self->stood);
	$state{cost} = defined $self->{computes} && $now > $self->{computes} ? 100 * $state{stood} / ($now - $self->{computes}) : 0;
	if (my $line = $self->{line}) {
		$state{line} = { number => $line->{number}, age => $now - $line->{time}, map { defined $line->{$_} ? ($_ => $line->{$_}) : () } qw(bytes seconds) };
	}
	$state{logs} = sum0(values %{ $self->{logs} }) if %{ $self->{logs} };
	@state{qw(fraction text)} = @$self{qw(fraction text)} if defined $self->{fraction};
	return \%state;
}

1;
