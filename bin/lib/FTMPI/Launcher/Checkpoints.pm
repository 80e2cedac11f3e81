# SPDX-License-Identifier: BSD-3-Clause
#
# When the ranks of an image job are asked for checkpoints under message logging, where each has its own: which one is
# asked next, for how long that is waited for, and what is said of it. Without images nobody is asked: a program makes checkpoints of its data when it wants
# to, and tells of them. Pure: events come in, actions go out (see
# FTMPI::Launcher::Job); time passes by timers alone.
#
#	none    ranks are not asked: some rank has not called MPI_Init yet
#	idle    the next one is asked when it is due, or when the user wants checkpoints
#	held    one rank was sent HOLD: it is to come to a safe point and to stay there
#	saving  it stood there, and its agent has told it GO: it tells when its checkpoint is durable
#	last    so it is, and none is asked any more: all ranks have called MPI_Finalize meanwhile
#	over    none is asked any more
#
# The happy path: HOLD to one rank; HELD comes; SAVED comes; the next rank, a part of the interval after the one before was asked, so that
# each is asked once in an interval. Failure modes: a rank says why it cannot, or does not come within the patience (RELEASE), or
# begins again, or SAVED does not come: the next rank. A rank that is away, has not called MPI_Init again, or has called MPI_Finalize,
# where it waits for all others, is passed over. A rank for which others have logged much is asked before its turn (logs).
#
# What bounds each state: held, the patience; saving, an interval and the patience. What comes later than that still counts: the number of
# a checkpoint is that of the request, and grows as long as the job runs.
package FTMPI::Launcher::Checkpoints;

use strict;
use warnings;

use FTMPI::Control             ();
use FTMPI::Launcher::Sentences ();

# LEAST: seconds between two requests. REASONS: so many at a time the user is told of why ranks have no checkpoint.
# TURNS: so many requests for each rank, and one that had none of them is the next.
use constant { LEAST => 0.001, REASONS => 16, TURNS => 4 };

# Which rank is the next, by -ckpt-order: sub (the one before, how many, is_ready => sub (rank), { rank => what others have logged for it })
# -> rank, or nothing.
my %ORDERS = (
	'round-robin' => sub { my ($last, @of) = @_; return _first($last + 1, @of) },
	'random'      => sub { my (undef, $size, $is_ready) = @_; return _first(int rand $size, $size, $is_ready) },
	'adaptive'    => \&_heaviest,
);

# The one whose checkpoint lets most of the others' logs go.
sub _heaviest
{
	my ($last, $size, $is_ready, $logged) = @_;
	my ($most) = sort { $logged->{$b} <=> $logged->{$a} || $a <=> $b } grep { $is_ready->($_) } keys %$logged;
	return $most // _first($last + 1, $size, $is_ready);
}

sub _first
{
	my ($from, $size, $is_ready) = @_;
	for my $i (0 .. $size - 1) {
		my $rank = ($from + $i) % $size;
		return $rank if $is_ready->($rank);
	}
	return;
}

# hosts: FTMPI::Launcher::HostTable; ranks: FTMPI::Launcher::RankTable; recovery: FTMPI::Launcher::Recovery; image: { interval, or undef when
# ranks are asked at the user's word alone; patience, in seconds; order; log_limit: KiB that the log of a rank may take, or undef }, or undef: the launcher asks for no checkpoints, and their numbers are the ranks' own.
sub new
{
	my ($class, %arg) = @_;
	my $image = delete $arg{image};
	my $self  = bless { order => 'round-robin', %arg, %{ $image // {} }, on => defined $image, size => $arg{ranks}->size, n => 0, last => -1,
		paced => 0, stamp => 0, asked => {}, may_have => {}, told => {}, logs => {}, urgent => {}, before_turn => 0 }, $class;
	$self->reset(0);
	return $self;
}

# Of which epoch the requests are; there is one only.
sub reset
{
	my ($self, $epoch) = @_;
	@$self{qw(state epoch)} = ('none', $epoch);
	return;
}

# The ranks go on from what they had in a job of an earlier launcher.
sub go_on
{
	my ($self) = @_;
	$self->{may_have}{$_} = 'before' for 0 .. $self->{size} - 1;
	$self->{recovery}->has_some;
	return;
}

# A rank goes on from its checkpoint n: those that are asked for from now on have higher numbers.
sub goes_on
{
	my ($self, $n) = @_;
	$self->{n} = $n if $n > $self->{n};
	return;
}

# Whether this rank has a checkpoint, as far as is known, or may have one of which it has not told: a rank that says it has none of
# a request may be wrong, or speak of another one.
sub may_have { my ($self, $rank) = @_; return $self->{may_have}{$rank} }

# ---- when ranks are asked ----

# All ranks have called MPI_Init, or have again.
sub all_inited
{
	my ($self) = @_;
	return if !$self->{on} || $self->{state} ne 'none';
	$self->{state} = 'idle';
	return ($self->_pace, $self->_next);
}

# The timer of the next request. Only the last one that was set counts.
sub due
{
	my ($self, $stamp) = @_;
	return if $stamp != $self->{paced};
	$self->{is_due} = 1;
	return $self->{state} eq 'idle' ? $self->_next : ();
}

# A checkpoint of each rank is wanted. One that is under way will do. by: who asks (SIGUSR2, SIGTERM or an option).
sub wanted
{
	my ($self, $by) = @_;
	my $state = $self->{state};
	return [ say => FTMPI::Launcher::Sentences::no_checkpoint_now($by) ] if $state =~ /^(?:none|last|over)\z/;
	return [ say => "$by: the ranks are asked for checkpoints already." ] if $self->{round};
	my $from = $state eq 'idle' ? $self->{n} + 1 : $self->{n};
	$self->{round} = { by => $by, from => $from, left => { map { $_ => 1 } 0 .. $self->{size} - 1 }, without => {} };
	delete $self->{round}{left}{ $self->{rank} } if $state ne 'idle';
	return $state eq 'idle' ? $self->_next : ();
}

# All ranks have called MPI_Finalize, or are told to go.
sub ends
{
	my ($self) = @_;
	my $was = $self->{state};
	return if $was =~ /^(?:last|over)\z/;
	$self->{state} = $was eq 'saving' ? 'last' : 'over';
	$self->{paced}++;
	return $was eq 'saving' ? () : $was eq 'held' ? ($self->_step(FTMPI::Control::RELEASE), $self->_without) : $self->_round_over;
}

# The log of a rank takes so many KiB, and the messages to this peer so many of that, the most of all its peers. From half of
# the limit on that peer is asked at once.
sub logs
{
	my ($self, $rank, $peer, $all, $of_peer) = @_;
	return if $peer >= $self->{size};
	$self->{logs}{$rank} = [ $peer, $of_peer ];
	return if !defined $self->{log_limit} || 2 * $all < $self->{log_limit};
	$self->{urgent}{$peer} = 1;
	return $self->{state} eq 'idle' ? $self->_next : ();
}

# What others have logged for each rank, as far as they have told: each of them told of one.
sub _logged
{
	my ($self) = @_;
	my %logged;
	$logged{ $_->[0] } += $_->[1] for values %{ $self->{logs} };
	return \%logged;
}

# It is asked: what others have logged for it they will tell anew.
sub _forget_logs
{
	my ($self, $peer) = @_;
	my $logs = $self->{logs};
	delete $self->{urgent}{$peer};
	delete @$logs{ grep { $logs->{$_}[0] == $peer } keys %$logs };
	return;
}

# Nobody is asked at the moment: who is the next, and is it time?
sub _next
{
	my ($self) = @_;
	return $self->_round_over if $self->{state} eq 'last';
	$self->{state} = 'idle';
	my ($urgent) = sort { $a <=> $b } grep { $self->_is_ready($_) } keys %{ $self->{urgent} };
	my $is_turn = $self->{round} || $self->{is_due};
	return $self->_ask_before_turn($urgent) if defined $urgent && !($is_turn && $self->{before_turn});
	return if !$is_turn;
	$self->{before_turn} = 0;
	my $left = $self->{round} && $self->{round}{left};
	my $is_ready = sub { (!$left || $left->{ $_[0] }) && $self->_is_ready($_[0]) };
	my $rank = $self->_forgotten($is_ready) // $ORDERS{ $self->{order} }->(@$self{qw(last size)}, $is_ready, $self->_logged);
	return $self->_ask($rank) if defined $rank;
	return $left ? ($self->_round_over, $self->_next) : $self->_pace;
}

# One that was not asked for so long that all others could have been so often: whatever the order, each has its turn.
sub _forgotten
{
	my ($self, $is_ready) = @_;
	my ($rank) = grep { $is_ready->($_) && $self->{n} - ($self->{asked}{$_} // 0) >= TURNS * $self->{size} } 0 .. $self->{size} - 1;
	return $rank;
}

sub _is_ready
{
	my ($self, $rank) = @_;
	my $ranks = $self->{ranks};
	return $ranks->state($rank) eq 'inited' && !$ranks->is_away($rank) && !$ranks->is_gone($rank);
}

# For once: then it is the turn of the next one, if that is due.
sub _ask_before_turn
{
	my ($self, $rank) = @_;
	$self->{before_turn} = 1;
	return $self->_ask($rank);
}

sub _ask
{
	my ($self, $rank) = @_;
	@$self{qw(state rank last)} = ('held', $rank, $rank);
	$self->{asked}{$rank} = ++$self->{n};
	$self->{may_have}{$rank} //= 'asked';
	$self->_forget_logs($rank);
	delete $self->{round}{left}{$rank} if $self->{round};
	return ($self->_step(FTMPI::Control::HOLD), $self->_limit($self->{patience}), $self->{before_turn} ? () : $self->_pace);
}

# ---- what becomes of a request ----

# A rank's answer to HOLD n: it stands, and makes the checkpoint, or why it cannot. Who is let go may have answered just before.
sub held
{
	my ($self, $rank, $n, $why) = @_;
	my $is_asked = $self->_is_asked($rank, $n);
	$self->{may_have}{$rank} //= 'asked' if $is_asked && $why eq '';
	return if $self->{state} ne 'held' || !$is_asked || $rank != $self->{rank};
	if ($why eq '') {
		$self->{state} = 'saving';
		return $self->_limit(($self->{interval} // 0) + $self->{patience});
	}
	my $text = FTMPI::Launcher::Sentences::not_held($self->{hosts}->who($rank), $why, 'checkpoint');
	$self->{state} = 'idle';
	return ([ log => $text ], $self->_without, $self->_next) if $why eq FTMPI::Control::IN_FINALIZE;
	return ($self->_report($why, $text), $self->_without, $self->_next);
}

# Its checkpoint n is durable, or was given up, which may be told when others have been asked.
sub saved
{
	my ($self, $rank, $n, $committed) = @_;
	return if !$n || $self->{on} && $n > ($self->{asked}{$rank} // 0);
	my $is_awaited = $self->{state} =~ /^(?:saving|last)\z/ && $rank == $self->{rank} && $self->_is_asked($rank, $n);
	my @said = $committed ? $self->_committed($rank, $n) : [ log => "checkpoint $n of rank $rank was given up" ];
	return @said if !$is_awaited;
	return (@said, $committed ? () : $self->_without, $self->_next);
}

sub _committed
{
	my ($self, $rank, $n) = @_;
	$self->{may_have}{$rank} = 'committed';
	$self->{recovery}->checkpoint($rank);
	delete $self->{round}{without}{$rank} if $self->{round} && $n >= $self->{round}{from};
	my $told  = $self->{told};
	my @ended = grep { $told->{$_} == $rank } keys %$told;
	delete @$told{@ended};
	return [ log => "checkpoint $n of rank $rank is committed" ] if !@ended;
	return [ say => $self->{hosts}->who($rank) . " has a checkpoint: number $n is committed." ];
}

# The timer of a request. Only the last one that was set counts.
sub late
{
	my ($self, $stamp) = @_;
	my ($state, $rank) = @$self{qw(state rank)};
	return if $stamp != $self->{stamp} || $state !~ /^(?:held|saving|last)\z/;
	my $who = $self->{hosts}->who($rank);
	if ($state eq 'held') {
		my $text = FTMPI::Launcher::Sentences::not_come($who, $self->{patience}, 'checkpoint');
		return ($self->_report('late', $text), $self->_step(FTMPI::Control::RELEASE), $self->_without, $self->_next);
	}
	my $text = FTMPI::Launcher::Sentences::checkpoint_not_heard_of($who, $self->{n}, $self->{limit});
	return ($self->_report('unknown', $text), $self->_without, $self->_next);
}

# A rank begins again. What it was asked for it will not answer; it may have made that.
sub begins_again
{
	my ($self, $rank) = @_;
	return if $self->{state} !~ /^(?:held|saving|last)\z/ || $rank != $self->{rank};
	$self->{stamp}++;
	return ($self->_without, $self->_next);
}

# The launcher was suspended, and the ranks with it: that time does not count.
sub resumed
{
	my ($self) = @_;
	return $self->{state} =~ /^(?:held|saving|last)\z/ ? $self->_limit($self->{limit}) : ();
}

sub _is_asked { my ($self, $rank, $n) = @_; return ($self->{asked}{$rank} // 0) == $n }

# ---- what is said ----

# What keeps the rank that was asked from a checkpoint is told once, until the rank has one.
sub _report
{
	my ($self, $reason, $text) = @_;
	my ($rank, $told) = @$self{qw(rank told)};
	my $is_news = !defined $told->{"$rank $reason"} && keys %$told < REASONS;
	$told->{"$rank $reason"} = $rank if $is_news;
	return [ ($is_news ? 'say' : 'log') => $text ];
}

# The rank that was asked has no checkpoint of that: of interest to a user who wanted one of each.
sub _without
{
	my ($self) = @_;
	my $round = $self->{round} // return;
	$round->{without}{ $self->{rank} } = 1;
	return $self->{state} eq 'over' ? $self->_round_over : ();
}

# All have been asked that could be.
sub _round_over
{
	my ($self) = @_;
	$self->{state} = 'over' if $self->{state} eq 'last';
	my $round = delete $self->{round} // return;
	my @without = sort { $a <=> $b } keys %{ { %{ $round->{left} }, %{ $round->{without} } } };
	return [ say => FTMPI::Launcher::Sentences::all_asked($round->{by}, @without) ];
}

# ---- actions ----

sub _step { my ($self, $step) = @_; return [ save_one => @$self{qw(rank epoch n)}, $step ] }

sub _limit
{
	my ($self, $seconds) = @_;
	$self->{limit} = $seconds;
	return [ timer => 'rank_late', $seconds, ++$self->{stamp} ];
}

# The next request, if there is an interval.
sub _pace
{
	my ($self) = @_;
	$self->{is_due} = 0;
	my $interval = $self->{interval} // return;
	my $seconds  = $interval / $self->{size};
	return [ timer => 'rank_due', $seconds < LEAST ? LEAST : $seconds, ++$self->{paced} ];
}

# See FTMPI::Launcher::Lines; each rank is asked again by itself.
sub has_begun { return $_[0]{state} ne 'none' }
sub has_ended { return $_[0]{state} =~ /^(?:last|over)\z/ }
sub is_idle   { return 0 }
sub is_saving { return 0 }

1;
