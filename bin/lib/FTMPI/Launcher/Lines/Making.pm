# SPDX-License-Identifier: BSD-3-Clause
#
# The rest of FTMPI::Launcher::Lines, which an ordinary start does without (FTMPI::Later): a line from its beginning to its end.
package FTMPI::Launcher::Lines;

use strict;
use warnings;

use FTMPI::Launcher::Lines     ();
use FTMPI::Control             ();
use FTMPI::Launcher::Sentences ();

# A line is wanted now. by: who asks (SIGUSR2, SIGTERM or an option). Of several for one line the first is named.
sub wanted
{
	my ($self, $by) = @_;
	my $state = $self->{state};
	return [ say => FTMPI::Launcher::Sentences::no_line_now($by) ] if $state =~ /^(?:none|last|over)\z/;
	my $is_first = !defined $self->{wanted};
	$self->{wanted} //= $by;
	return $self->_begin if $state eq 'idle';
	return $is_first ? [ say => "$by: a recovery line is being made already." ] : ();
}

# The timer of the same name. Only the last one that was set counts.
sub due
{
	my ($self, $stamp) = @_;
	return if $stamp != $self->{stamp};
	my $state = $self->{state};
	return $self->_late if $state eq 'held';
	return $self->_begin if $state eq 'idle' || $self->{program};
	my @said = $self->_report(FTMPI::Launcher::Sentences::not_heard_of($self->{limit}));
	return (@said, defined $self->{interval} ? $self->_begin : $self->_idle);
}

# The launcher was suspended, and the ranks with it: that time does not count.
sub resumed
{
	my ($self) = @_;
	return $self->{state} =~ /^(?:held|saving)\z/ ? $self->_timer($self->{limit}) : ();
}

# A rank's answer to HOLD n: it stands, or why it cannot. One that is in MPI_Finalize is as well as one that is through it.
sub held
{
	my ($self, $rank, $n, $why) = @_;
	return if $self->{state} ne 'held' || $n != $self->{n};
	my $text = FTMPI::Launcher::Sentences::not_held($self->{hosts}->who($rank), $why);
	return ([ ($self->{wanted} ? 'say' : 'log') => $text ], $self->ends) if $why eq FTMPI::Control::IN_FINALIZE;
	return $self->_release($text) if length $why;
	delete $self->{awaited}{$rank};
	return if %{ $self->{awaited} };
	$self->{notes}->add('line_held');
	return $self->_go;
}

# Rank 0 says that the line of GO n is over.
sub saved
{
	my ($self, $rank, $n, $committed) = @_;
	my $state = $self->{state};
	return if $state !~ /^(?:saving|last)\z/ || $n != $self->{n} || $rank != 0;
	my $wanted = $self->{wanted};
	my $text   = 'the recovery line ' . ($wanted ? "that $wanted asked for " : '') . ($committed ? 'is committed.' : 'was given up.');
	$self->{notes}->add('line_refused', why => 'the ranks have given it up') if !$committed;
	my $is_news = $self->_ends_trouble($committed);
	$text = FTMPI::Launcher::Sentences::made_again($self->{number}) if $is_news && !$wanted;
	$self->{state} = 'over' if $state eq 'last';
	return ([ ($wanted || $is_news ? 'say' : 'log') => $text ], $state eq 'last' ? () : $self->_idle);
}

# Whether this line is the first after something was told that kept lines from being made. Why a line is given up ranks tell
# themselves, once, so the end of that is told once.
sub _ends_trouble
{
	my ($self, $committed) = @_;
	$self->{given_up} ||= !$committed;
	return 0 if !$committed;
	my $is_news = %{ $self->{said} } || ($self->{given_up} && !$self->{told_again});
	$self->{told_again} ||= $self->{given_up};
	@$self{qw(said given_up)} = ({}, 0);
	return $is_news;
}

# A line was committed, maybe one that the program has made itself: the interval counts from the last one.
sub committed
{
	my ($self, $number) = @_;
	$self->{number} = $number;
	return $self->{state} eq 'idle' || ($self->{program} && $self->{state} eq 'saving') ? $self->_idle : ();
}

# All ranks have called MPI_Init; there is no other line any more; what is under way.
sub has_begun { return $_[0]{state} ne 'none' }
sub has_ended { return $_[0]{state} =~ /^(?:last|over)\z/ }
sub is_idle   { return $_[0]{state} eq 'idle' }
sub is_saving { return !$_[0]{program} && $_[0]{state} =~ /^(?:saving|last)\z/ }

# Another interval is better.
sub interval
{
	my ($self, $seconds) = @_;
	$self->{interval} = $seconds;
	return $self->{state} eq 'idle' ? $self->_timer($seconds) : ();
}

sub _begin
{
	my ($self) = @_;
	$self->{n}++;
	$self->{number} = undef;
	$self->{notes}->add('line_requested', by => $self->{wanted} ? 'user' : 'time');
	return $self->_go if !$self->{waits};
	$self->{state}   = 'held';
	$self->{awaited} = { map { $_ => 1 } 0 .. $self->{hosts}->size - 1 };
	return ($self->_step(FTMPI::Control::HOLD), $self->_timer($self->{patience}));
}

sub _go
{
	my ($self) = @_;
	$self->{state} = 'saving';
	return ($self->_step(FTMPI::Control::GO), $self->_timer(($self->{interval} // 0) + $self->{patience}));
}

# The patience is over.
sub _late
{
	my ($self) = @_;
	my @late = sort { $a <=> $b } keys %{ $self->{awaited} };
	my $who  = @late == 1 ? $self->{hosts}->who($late[0]) : FTMPI::Launcher::Sentences::numbered('rank', @late);
	return $self->_release(FTMPI::Launcher::Sentences::not_come($who, $self->{patience}));
}

sub _release
{
	my ($self, $text) = @_;
	return ($self->_report($text), $self->_step(FTMPI::Control::RELEASE), $self->_idle);
}

# What keeps lines from being made is told once until one is made, but always where somebody asked for one.
sub _report
{
	my ($self, $text) = @_;
	$self->{notes}->add('line_refused', why => $text);
	my $is_news = !$self->{said}{$text}++ || $self->{wanted};
	return [ ($is_news ? 'say' : 'log') => $text ];
}

sub _step { my ($self, $step) = @_; return [ save_all => @$self{qw(epoch n)}, $step ] }

1;
