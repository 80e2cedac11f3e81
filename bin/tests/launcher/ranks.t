#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# The ranks of one host in a test's hands: real processes, and a clock that only the test moves. Who does not
# come through a restart is judged, whatever it is stuck in; nothing of a process stays.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use lib "$FindBin::RealBin/../../lib";
use POSIX qw(WNOHANG);
use Scalar::Util qw(weaken);
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);
use Test::More;

use FTMPI::Agent::Process ();
use FTMPI::Agent::Program ();
use FTMPI::Agent::Ranks   ();
use LauncherTest;

# Nothing comes by itself: descriptors are read by `hears`, timers run out in `pass`.
{
	package Stage;
	sub new      { return bless { now => 0, serial => 0, timers => {} }, $_[0] }
	sub on_read  { return }
	sub on_write { return }
	sub off_write { return }
	sub drop     { close $_[1]; return }
	sub cancel   { delete $_[0]{timers}{ $_[1] // '' }; return }
	sub after    { my ($self, $s, $call) = @_; $self->{timers}{ ++$self->{serial} } = [ $self->{now} + $s, $call ]; return $self->{serial} }

	sub pass
	{
		my ($self, $seconds) = @_;
		my $end    = $self->{now} + $seconds;
		my $timers = $self->{timers};
		while (my ($id) = sort { $timers->{$a}[0] <=> $timers->{$b}[0] || $a <=> $b } keys %$timers) {
			last if $timers->{$id}[0] > $end;
			$self->{now} = $timers->{$id}[0];
			(delete $timers->{$id})->[1]->();
		}
		$self->{now} = $end;
		return;
	}

	# of listeners and pipes
	sub at { return 'here' }
	sub of { return map { socketpair my $one, $_[0]{"other$_"}, Socket::AF_UNIX, Socket::SOCK_STREAM, 0 or die; $one } 1, 2 }
	sub hang_up { return }
	sub add     { my ($self, $rank, $again, %streams) = @_; return { %streams } }
	sub drain   { return }
	sub finish  { return }
}

my @said;

sub stage
{
	my (@words) = @_;
	my $loop = Stage->new;
	@said = ();
	my $ranks = FTMPI::Agent::Ranks->new(
		loop => $loop, listeners => $loop, pipes => $loop, session => undef,
		tell => sub { push @said, join ' ', grep { defined } @_[ 0, 1 ] });
	my $self = { loop => $loop, ranks => $ranks, words => \@words };
	run($self, 0);
	return $self;
}

sub run
{
	my ($self, $epoch) = @_;
	$self->{ranks}->run({
		session => 's' x 16, secret => 'k' x 32, epoch => $epoch, size => 1, verbosity => 0, workdir => '/', session_name => 'n',
		ranks => [0], argv => [ $^X, $RANK, @{ $self->{words} } ], settings => [], bind => 'none', table => '',
		program => FTMPI::Agent::Program->hold($^X),
	});
	return;
}

sub process { return $_[0]{ranks}{ranks}{0} }

# Read what the rank says until the condition holds.
sub hears
{
	my ($self, $name, $condition) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $met = eventually(sub {
		process($self)->{control}->drain if process($self);
		return $condition->(process($self));
	}, sub { join "\n", @said, left_over() });
	return ok($met, $name);
}

# What has ended is told, as the agent does.
sub reaped
{
	my ($self, $pid) = @_;
	return eventually(sub {
		return 0 if waitpid($pid, WNOHANG) != $pid;
		$self->{ranks}->reap($pid, ${^CHILD_ERROR_NATIVE});
		return 1;
	}, sub { "process $pid is there" });
}

# To MPI_Init, and through the order to begin again.
sub begun_again
{
	my ($self, $name, $state) = @_;
	hears($self, "$name: it comes to MPI_Init", sub { $_[0]->{mpi_pid} });
	my $pid = process($self)->{pid};
	$self->{ranks}->restart(1);
	hears($self, "$name: its state is '$state'", sub { $_[0]->state eq $state });
	return $pid;
}

# Another process takes its place.
sub replaced
{
	my ($self, $name, $pid) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok(reaped($self, $pid), "$name: it is killed");
	run($self, 1) if !$self->{ranks}{ran};
	hears($self, "$name: another takes its place", sub { $_[0] && $_[0]->{pid} != $pid && $_[0]->{mpi_pid} });
	return;
}

sub finish
{
	my ($self) = @_;
	$self->{ranks}->signal('KILL');
	1 while waitpid(-1, 0) > 0;
	return;
}

{
	my $name = 'answers, and executes nothing';
	my $self = stage(qw(join @0:asked @0:answer deaf));
	my $pid  = begun_again($self, $name, 'reexecuted');
	$self->{loop}->pass(FTMPI::Agent::Ranks::ANSWER_TIME + FTMPI::Agent::Ranks::LOAD_TIME - 1);
	is(process($self)->state, 'reexecuted', "$name: it has some time");
	$self->{loop}->pass(2);
	replaced($self, $name, $pid);
	finish($self);
}
{
	my $name = 'the same while all are stopped';
	my $self = stage(qw(join @0:asked @0:answer deaf));
	my $pid  = begun_again($self, $name, 'reexecuted');
	$self->{ranks}->suspend(1);
	$self->{loop}->pass(1000);
	is(process($self)->state, 'reexecuted', "$name: it is not judged");
	$self->{ranks}->suspend(0);
	$self->{loop}->pass(FTMPI::Agent::Ranks::ANSWER_TIME + FTMPI::Agent::Ranks::LOAD_TIME + 1);
	replaced($self, $name, $pid);
	finish($self);
}
{
	my $name = 'executes, and does not come to MPI_Init again';
	my $gate = text_file('gate', '');
	my $self = stage("await:$gate", qw(join @0:asked @0:answer @0:again deaf));
	hears($self, "$name: it comes to MPI_Init", sub { $_[0]->{mpi_pid} });
	my $process = process($self);
	my $pid     = $process->{pid};
	unlink $gate;
	$self->{ranks}->restart(1);
	hears($self, "$name: it is loaded again", sub { $_[0]->state eq 'reexecuted' && !$_[0]->is_stuck });
	$self->{loop}->pass(1000);
	is($process->state, 'reexecuted', "$name: that is no fault while it is not told START");
	run($self, 1);
	$self->{loop}->pass($process->init_limit - 1);
	is($process->state, 'reexecuted', "$name: it has longer than it took at first");
	$self->{loop}->pass(2);
	text_file('gate', '');
	replaced($self, $name, $pid);
	finish($self);
}
{
	my $name = 'cannot be killed';
	my $self = stage(qw(join deaf));
	my $pid  = begun_again($self, $name, 'asked');
	run($self, 1);
	my $old = process($self);
	$self->{loop}->pass(FTMPI::Agent::Ranks::ANSWER_TIME + 1);
	is($old->state, 'doomed', "$name: it is killed when it does not answer");
	$self->{loop}->pass(FTMPI::Agent::Ranks::END_TIME - 2);
	is(process($self), $old, "$name: it has some time to go");
	$self->{loop}->pass(2);
	hears($self, "$name: another takes its place all the same", sub { $_[0] && $_[0] != $old && $_[0]->{mpi_pid} });
	waitpid $pid, 0;
	$self->{ranks}->reap($pid, 9);
	is_deeply([ grep { /EXITED/ } @said ], [], "$name: its end is of no interest any more");
	is($self->{ranks}->has(process($self)->{pid}), 1, "$name: the other is there");
	finish($self);
}
{
	my $name = 'has some seconds to end';
	my $self = stage(qw(join stubborn say:there deaf));
	hears($self, "$name: it comes to MPI_Init", sub { $_[0]->{mpi_pid} });
	my $pid = process($self)->{pid};
	sysread process($self)->{out}{1}, my $there, 6;
	$self->{ranks}->kill_all(30_000);
	$self->{loop}->pass(29);
	is(waitpid($pid, WNOHANG), 0, "$name: it gets them");
	$self->{loop}->pass(2);
	ok(reaped($self, $pid), "$name: and no more");
	is_deeply([ grep { /EXITED/ } @said ], ['EXITED 0'], "$name: its end is told");
	finish($self);
}
{
	my $name = 'what was replaced';
	my $self = stage(qw(join deaf));
	for my $epoch (1, 2) {
		hears($self, "$name: a rank, epoch $epoch", sub { $_[0] && $_[0]->{mpi_pid} });
		my $process = process($self);
		my $pid     = $process->{pid};
		weaken(my $channel = $process->{control});
		weaken($process);
		kill 'KILL', $pid;
		ok(reaped($self, $pid), "$name: it is killed");
		$self->{ranks}->restart($epoch);
		run($self, $epoch);
		$self->{loop}->pass(1000);
		is($process, undef, "$name: nothing is kept of it");
		is($channel, undef, '... nor of its connection');
	}
	finish($self);
}
nobody_left();

done_testing();
