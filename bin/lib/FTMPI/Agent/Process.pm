# SPDX-License-Identifier: BSD-3-Clause
#
# One process of a rank, as its agent sees it, through one or more epochs of the job: its control connection,
# its restarts in place, its end. FTMPI::Agent::RestartInPlace decides what a message means.
#
# Failure modes: the process breaks the control protocol: the launcher is told, and the process is killed. Its
# control connection ends while it is executing its program again: the process is killed, for it can never
# be sent START.
package FTMPI::Agent::Process;

use strict;
use warnings;

use FTMPI::Agent::RestartInPlace ();
use FTMPI::Agent::Spawn          ();
use FTMPI::Agent::Sweep          ();
use FTMPI::Channel               ();
use FTMPI::Control               ();
use FTMPI::Loop                  ();

# What the field of STOPPED holds.
use constant MS_MAX => 0xffffffff;

# How long an image that was executed again may take to come to MPI_Init, in seconds: this, and so many
# times what the first one took.
use constant { INIT_TIME => 30, INIT_FACTOR => 10 };

# loop; rank; pid, socket (its control connection), file (what was executed) as FTMPI::Agent::Spawn::start()
# has them; at: names of its listening sockets; bound: its processors as text, or ''; output: see FTMPI::Agent::Pipes;
# tell => sub (message to the launcher); on: by the name of a message sub (its fields), before that is told; on_back => sub, when it
# speaks in a new epoch; on_doom => sub, when it was killed, so that another can take its place.
sub new
{
	my ($class, %arg) = @_;
	my $self   = bless { %arg, state => 'running', alive => 1, born => FTMPI::Loop::now() }, $class;
	my $socket = delete $self->{socket};
	$self->{control} = FTMPI::Channel->new(
		loop     => $self->{loop},
		in       => $socket,
		out      => $socket,
		on_frame => sub { $self->_hear(@_) },
		on_end   => sub { $self->_cut_off($_[0]) });
	return $self;
}

sub state { return $_[0]{state} }

# run: the fields of RUN.
sub send_start
{
	my ($self, $run, $local_rank) = @_;
	$self->{control}->send_bytes(FTMPI::Control::encode(
		'START', @$run{qw(session epoch)},
		$self->{rank},  $run->{size},
		$run->{secret}, $local_rank,
		scalar @{ $run->{ranks} }, @$run{qw(verbosity workdir session_name settings table)}));
	$self->{started} = 1;
	return;
}

# A frame of a rank is checked here, so that what is wrong is found out beside the one that did it.
sub _hear
{
	my ($self, $type, $body) = @_;
	my ($name, @fields) = eval { FTMPI::Control::decode('rank', $type, $body) };
	if (!defined $name) {
		chomp(my $why = $@);
		$self->{control}->refuse($why);
		return;
	}
	if ($name eq 'LOADED') {
		$self->{loaded} = 1;
		$self->{is_ours} = 1 if $fields[0] == $self->{pid};
		return;
	}
	my ($what, $state) = FTMPI::Agent::RestartInPlace::heard($self, $name, @fields);
	if ($what eq 'lie') {
		$self->{control}->refuse("an unexpected $name message");
		return;
	}
	my $back = $self->{state} eq 'reexecuted' && $state eq 'running';
	$self->{state} = $state;
	return if $what ne 'tell';
	$self->_has_come if $name eq 'PROGRAM';
	$self->{finalized} = 1          if $name eq 'FINALIZED';
	@$self{qw(inited mpi_pid)} = (1, $fields[0]) if $name eq 'INITED';
	$self->{on}{$name}->(@fields) if $self->{on}{$name};
	$self->{tell}->('NEWS', $self->{rank}, $type, $body);
	$self->{on_back}->() if $back;
	return;
}

# To MPI_Init.
sub _has_come
{
	my ($self) = @_;
	$self->{program} = 1;
	$self->{took} //= FTMPI::Loop::now() - $self->{born};
	return;
}

# It was told to execute its program again, and that has not come about.
sub is_stuck { return $_[0]{state} eq 'asked' || $_[0]{state} eq 'reexecuted' && !$_[0]{loaded} }

# For so many seconds after START an image that was executed again is waited for.
sub init_limit { return INIT_TIME + INIT_FACTOR * ($_[0]{took} // 0) }

# An unclean end of its control connection is its fault, unless it is its death.
sub _cut_off
{
	my ($self, $why) = @_;
	return if !$self->{alive};
	if ($self->{state} ne 'running') {
		$self->doom;
	} elsif (length $why) {
		$self->{tell}->('BROKEN', $self->{rank}, $why);
		$self->sigkill;
	}
	return;
}

# Other ranks have moved: what comes behind START waits in the socket until it calls MPI_Init.
sub tell_moved
{
	my ($self, @message) = @_;
	return if !$self->{alive} || $self->{state} ne 'running' || $self->{finalized} || !$self->{started};
	$self->{control}->send_bytes(FTMPI::Control::encode('MOVED', @message));
	return;
}

# A failure that this process is to practise: what comes behind START waits in the socket, as above.
sub tell_fault
{
	my ($self, @fault) = @_;
	return 0 if !$self->{alive} || !$self->{started} || $self->{finalized} || $self->{state} eq 'doomed';
	$self->{control}->send_bytes(FTMPI::Control::encode('FAULT', @fault));
	return 1;
}

# With what it started.
sub sigkill
{
	my ($self) = @_;
	kill 'KILL', -$self->{pid} if $self->{alive};
	return;
}

# To the process that called MPI_Init, which may be below the one that was forked; before that to all.
sub sigterm
{
	my ($self, $session) = @_;
	my $pid = $self->{mpi_pid};
	my $known = defined $pid && defined $session && FTMPI::Agent::Sweep::is_in($session, $pid);
	kill 'TERM', $known ? $pid : -$self->{pid} if $self->{alive};
	return;
}

# The process that holds this one stopped as debuggers do, if there is one.
sub tell_tracer
{
	my ($self) = @_;
	my @tracer = $self->_tracer;
	$self->{tell}->('TRACED', $self->{rank}, @tracer) if @tracer;
	return;
}

# Its number and its name, or nothing.
sub _tracer
{
	my ($self) = @_;
	for my $pid (grep { defined } @$self{qw(mpi_pid pid)}) {
		my $status = _file("/proc/$pid/status");
		my ($tracer) = $status =~ /^State:\s*t\b.*^TracerPid:\s*([1-9]\d*)$/ms or next;
		my ($name) = _file("/proc/$tracer/comm") =~ /^(.*)/;
		return ($tracer, $name);
	}
	return;
}

sub _file
{
	my ($path) = @_;
	open my $file, '<', $path or return '';
	local $/;
	return <$file> // '';
}

# Another is to take its place.
sub doom
{
	my ($self) = @_;
	return if $self->{state} eq 'doomed';
	$self->{state} = 'doomed';
	$self->{control}->close;
	$self->sigkill;
	$self->{on_doom}->($self);
	return;
}

# It is stopped, for so many ms by now. The launcher decides what to do about one of the present epoch.
sub stopped
{
	my ($self, $ms) = @_;
	if ($self->{state} eq 'running') {
		$self->tell_tracer;
		$self->{tell}->('STOPPED', $self->{rank}, $ms < MS_MAX ? $ms : MS_MAX);
	} elsif ($self->{state} ne 'doomed') {
		$self->doom;
	}
	return;
}

# The job begins again in this epoch. fed: it took standard input.
sub restart
{
	my ($self, $epoch, $fed) = @_;
	@$self{qw(runs fed)} = (FTMPI::Agent::Spawn::file_id("/proc/$self->{pid}/exe"), $fed);
	if (FTMPI::Agent::RestartInPlace::why_not($self)) {
		$self->doom;
	} elsif ($self->{state} eq 'running') {
		$self->{control}->send_bytes(FTMPI::Control::encode('RESTART', $epoch));
		@$self{qw(state asked_for started program inited finalized loaded)} = ('asked', $epoch, 0, 0, 0, 0, 0);
	}
	return;
}

# What is said while MPI runs there. OBSERVE: from now on it may miss the beats of ranks that it has not
# heard yet. DUMP: it prints its queues. SAVE: a step of a recovery line. LEAVE: it goes on in MPI_Finalize.
sub order
{
	my ($self, @message) = @_;
	return if !$self->{alive} || $self->{state} ne 'running' || $self->{finalized} || !$self->{inited};
	$self->{control}->send_bytes(FTMPI::Control::encode(@message));
	return;
}

# A step of a checkpoint of this rank alone.
sub save
{
	my ($self, $epoch, $n, $step) = @_;
	$self->{held_for} = $step == FTMPI::Control::HOLD ? $n : undef;
	$self->order('SAVE', $epoch, $n, $step);
	return;
}

# It was asked to stand for this checkpoint, and not let go since.
sub is_held_for { my ($self, $n) = @_; return defined $self->{held_for} && $self->{held_for} == $n }

# What it has said by now, as far as one read brings it.
sub listen { my ($self) = @_; $self->{control}->receive; return }

# It has ended. What it said before is heard first.
sub end
{
	my ($self) = @_;
	$self->{alive} = 0;
	$self->{control}->drain;
	$self->{control}->close;
	return;
}

1;
