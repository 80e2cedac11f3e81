# SPDX-License-Identifier: BSD-3-Clause
#
# When the ranks of an image job are asked for a recovery line, whom that waits for, and what is said of it.
# Pure: events come in, actions go out (see FTMPI::Launcher::Job); time passes by timers alone.
#
#	none   lines are not asked for: some rank has not called MPI_Init yet, or one has called MPI_Finalize
#	idle   the next line is due when the interval is over, or when the user wants one
#	held   HOLD was sent: every rank is to come to a safe point and to stay there
#	saving GO was sent: rank 0 tells when the line is over
#	last   so it is, and there will be no other: one rank has called MPI_Finalize meanwhile
#
# The happy path under -coord blocking: HOLD; HELD comes from every rank; GO; SAVED. Under the other protocols
# nobody waits: GO; SAVED. Failure modes: a rank cannot be held, or does not come within the patience: RELEASE
# to all, and the interval begins anew. SAVED does not come: the next line is asked for when an interval and
# the patience have passed, so that a word that is lost does not end the lines of a long job; the ranks refuse what
# comes too early.
#
# What bounds each state: held, the patience; saving, an interval and the patience; and both, the end of the
# epoch. A restart forgets all; the first FINALIZED, and the end of the job, let ranks go that are held.
package FTMPI::Launcher::Lines;

use strict;
use warnings;

use FTMPI::Control             ();
use FTMPI::Launcher::Notes     ();
use FTMPI::Launcher::Sentences ();

# hosts: FTMPI::Launcher::HostTable; image: { interval, or undef when lines are made when they are asked for alone; patience;
# waits: ranks are held until all have come }, in seconds; program: the program makes the line when it is told that one is due, and nobody says SAVED; or undef: the launcher asks for no lines; notes: FTMPI::Launcher::Notes.
sub new
{
	my ($class, %arg) = @_;
	my $image = delete $arg{image};
	my $self = bless { notes => FTMPI::Launcher::Notes->new, %arg, %{ $image // {} }, on => defined $image, stamp => 0, said => {} }, $class;
	$self->reset(0);
	return $self;
}

# Another epoch. What was under way has ended with the ranks' processes.
sub reset
{
	my ($self, $epoch) = @_;
	@$self{qw(state epoch n wanted)} = ('none', $epoch, 0, undef);
	$self->{stamp}++;
	return;
}

# All ranks have called MPI_Init.
sub all_inited { my ($self) = @_; return $self->{on} ? $self->_idle : () }

# The first rank has called MPI_Finalize, or the ranks are told to go.
sub ends
{
	my ($self) = @_;
	my $was = $self->{state};
	$self->{state} = $was =~ /^(?:saving|last)\z/ ? 'last' : 'over';
	$self->{stamp}++;
	return $was eq 'held' ? $self->_step(FTMPI::Control::RELEASE) : ();
}

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

sub _idle
{
	my ($self) = @_;
	@$self{qw(state wanted)} = ('idle', undef);
	$self->{stamp}++;
	return defined $self->{interval} ? $self->_timer($self->{interval}) : ();
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

sub _timer
{
	my ($self, $seconds) = @_;
	$self->{limit} = $seconds;
	return [ timer => 'line_due', $seconds, ++$self->{stamp} ];
}

1;
