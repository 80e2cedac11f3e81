# SPDX-License-Identifier: BSD-3-Clause
#
# What agents and ranks send, on its way to FTMPI::Launcher::Job. An event has the name of its frame, in small
# letters: EXITED is the event `exited`; so is a message of a rank, which its agent passes on in a NEWS. What
# is wrong in itself (a rank that is not on that host, a NEWS that makes no sense) loses the agent; texts are
# made safe to show. Frames that are no event (output, standard input, what programs are) go to the part of
# the launcher that they concern.
package FTMPI::Launcher::Inbox;

use strict;
use warnings;

use FTMPI::Later qw(FTMPI::Condition FTMPI::Positions);
use FTMPI::Later rest => qw(Saving);
use FTMPI::Control   ();
use FTMPI::Error     ();

# Frames that are nothing but an event, and what that carries, from the agent and the fields of the frame. An
# event of a host carries its number.
my %EVENTS = (
	PORTS      => sub { $_[0]->index },
	UNFIT      => sub { ($_[0]->index, 'host ' . $_[0]->name . ': ' . FTMPI::Error::clean($_[1])) },
	CANNOT_RUN => sub { ($_[0]->index, 'host ' . $_[0]->name . ": $_[2]") },
	BROKEN     => sub { @_[ 1, 2 ] },
	STOPPED    => sub { @_[ 1, 2 ] },
	TRACED     => sub { ($_[1], FTMPI::Error::clean("$_[3], process $_[2]")) },
	FOREIGN    => sub { (@_[ 1, 2 ], FTMPI::Error::clean($_[3])) },
	ENDING     => sub { $_[1] },
	FINALIZED  => sub { $_[1] },
	ABORTED    => sub { (@_[ 1, 2 ], FTMPI::Error::clean($_[3])) },
	LOST       => sub { (@_[ 1, 2 ], FTMPI::Error::clean($_[3])) },
	SUSPECT    => sub { @_[ 1 .. 3 ] },
	HEARD      => sub { @_[ 1, 2 ] },
	LOGS       => sub { @_[ 1 .. 4 ] },
	HELD       => sub { (@_[ 1, 2 ], FTMPI::Error::clean($_[3])) },
);

# Frames that concern others too, or others alone: the method has the name of the frame.
my %HANDLERS = map { $_ => '_' . lc } qw(HERE RESTARTING_ALL OPENED STARTED BOUND OUT EXITED CONDITION STRAINED STDIN_TAKEN
	STDIN_CLOSED PROBED PRINTED NEWS INITED RUNS PROGRAM LINE SAVED RESTORED INPUT
	COST SIZE PROGRESS REFUSED TRAFFIC INJECTED);

# Frames of an agent that begin with a rank, and those of rank 0: it is one of that host.
my %OF_RANK_0 = map { $_ => 1 } qw(STDIN_TAKEN STDIN_CLOSED);
my %OF_RANK = map { $_ => 1 } qw(STARTED NEWS BROKEN CANNOT_RUN OUT EXITED STOPPED TRACED FOREIGN CONDITION PRINTED);

# plan: see FTMPI::Launcher; job: FTMPI::Launcher::Job, for its table of hosts and its phase; event => sub (name,
# data); note => sub (event, fields), for the run record; say, log, step => sub (text); programs: the name of each part's; builds, streams, workdir: as in FTMPI::Launcher; stdin => sub: the
# FTMPI::Launcher::Stdin, or nothing; injected => sub (number, done), when a failure was injected, or could not be.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, expected => $arg{plan}{expected} }, $class;
}

# A frame of an agent. Before STARTED of a rank that begins again alone, what comes of it is of its process before.
sub frame
{
	my ($self, $agent, $name, @fields) = @_;
	my $rank = $OF_RANK{$name} ? $fields[0] : $OF_RANK_0{$name} ? 0 : undef;
	if (defined $rank && !$self->{job}->hosts->has($agent->index, $rank)) {
		$agent->refuse('it spoke of a rank that it has not');
		return;
	}
	return if defined $rank && $name !~ /^(?:STARTED|OUT|CANNOT_RUN)\z/ && $self->{job}->is_away($rank);
	$self->_take($agent, $name, @fields);
	return;
}

# A message of a rank. The agent has checked it.
sub _news
{
	my ($self, $agent, $rank, $type, $body) = @_;
	my ($name, @fields) = eval { FTMPI::Control::decode('rank', $type, $body) };
	if (!defined $name) {
		$agent->refuse('it sent news that make no sense');
		return;
	}
	$self->_take($agent, $name, $rank, @fields);
	return;
}

sub _take
{
	my ($self, $agent, $name, @fields) = @_;
	if (my $handler = $HANDLERS{$name}) {
		$self->$handler($agent, @fields);
	} elsif (my $data = $EVENTS{$name}) {
		$self->{event}->(lc $name, $data->($agent, @fields));
	}
	return;
}

# ---- agents ----

sub _here
{
	my ($self, $agent) = @_;
	$self->{step}->('host ' . $agent->name . ' is here');
	$self->{event}->('here', $agent->index);
	return;
}

# ---- what programs are ----

# What the agent found by the name of a part's program.
sub _opened
{
	my ($self, $agent, $paths, $ids) = @_;
	my $part = $agent->next_opened;
	my $name = $self->{programs}[$part] // return;
	my ($path, $id) = map { $_->[0] // '' } $paths, $ids;
	return if !length $path || !length $id;
	my $why = $self->{builds}->opened($agent->name, $part, $name, $path, $id) // return;
	$self->{event}->('unfit', $agent->index, FTMPI::Error::clean($why));
	return;
}

# What a rank is, in its own words.
sub _runs
{
	my ($self, undef, $rank, $hash, $path) = @_;
	my $who = $self->{job}->hosts->who($rank);
	my $why = $self->{builds}->runs($rank, $who, FTMPI::Error::clean($path), unpack 'H*', $hash);
	$self->{event}->('cannot', $why) if defined $why;
	return;
}

# ---- processes of ranks ----

sub _started
{
	my ($self, $agent, $rank, $pid) = @_;
	$self->{log}->("rank $rank on " . $agent->name . " is process $pid");
	$self->{event}->('started', $rank);
	return;
}

# Where ranks are bound to now. When the user wanted that and it cannot be any more, that is no secret.
sub _bound
{
	my ($self, $agent, $ranks, $where, $why) = @_;
	my $host = $agent->name;
	if (@$ranks != @$where || grep { !$self->{job}->hosts->has($agent->index, $_) } @$ranks) {
		$agent->refuse('it told of bound ranks that it has not');
	} elsif (length $why) {
		my $wanted = ($self->{plan}{bind} // '') eq 'core';
		$self->{ $wanted ? 'say' : 'log' }->("the ranks on $host are not bound: " . FTMPI::Error::clean($why) . '.');
	} else {
		for my $i (0 .. $#$ranks) {
			my $processors = $where->[$i] =~ /\D/ ? 'processors' : 'processor';
			$self->{log}->("rank $ranks->[$i] on $host is bound to $processors " . FTMPI::Error::clean($where->[$i]));
		}
	}
	return;
}

sub _exited
{
	my ($self, undef, $rank, $status, $signal) = @_;
	$self->{event}->('exited', $rank, $status, $signal, $self->{streams}->last_words($rank));
	return;
}

sub _out
{
	my ($self, undef, $rank, $stream, $bytes) = @_;
	$self->{printed}{$rank} += length $bytes if $stream == 1;
	$self->{streams}->take($rank, $stream == 1 ? 1 : 2, $bytes);
	return;
}

# The rank stands for its checkpoint n, which it makes, or from whose data it goes on, and has printed so much.
sub _printed
{
	my ($self, undef, $rank, $n, $low, $high) = @_;
	my ($positions, $bytes) = ($self->_positions($rank), $low + $high * 2**32);
	$positions->note($n, $bytes);
	return if (delete $self->{restored}{$rank} // -1) != $n;
	$positions->committed($n);
	$self->_had_printed($rank, $bytes);
	return;
}

sub _positions { my ($self, $rank) = @_; return $self->{positions}{$rank} //= FTMPI::Positions->new }

sub _stdin_taken
{
	my ($self, undef, $bytes) = @_;
	my $stdin = $self->{stdin}->() or return;
	$stdin->taken($bytes);
	return;
}

sub _stdin_closed
{
	my ($self) = @_;
	my $stdin = $self->{stdin}->() or return;
	$stdin->close;
	return;
}

# A rank 0 that has come to MPI_Init and named no line, or checkpoint of its own, began at its beginning.
sub _inited
{
	my ($self, undef, $rank) = @_;
	$self->{event}->('inited', $rank);
	my $stdin = $self->{stdin}->();
	$stdin->go_on if $stdin && $rank == 0;
	return;
}

# ---- recovery lines and the work directory ----

# Once the job is known to make checkpoints, it matters whether all hosts share the work directory.
sub _program
{
	my ($self, undef, $rank, $uses) = @_;
	$self->{event}->('program', $rank, $uses);
	return if !($self->{plan}{image} || $uses) || $self->{job}->phase ne 'running';
	my $hosts = $self->{job}->hosts;
	my $home  = $hosts->home(0);
	$self->{workdir}->ask_whether_shared($home, grep { $_ != $home } $hosts->used);
	return;
}

# ---- what is for the record ----

1;
