# SPDX-License-Identifier: BSD-3-Clause
#
# How a job ends. Pure: an event comes in, a list of actions goes out; FTMPI::Launcher performs
# them.
#
#	starting   agents are on their way; no rank runs yet
#	running    ranks run; nothing has failed
#	ending     something has failed, or the user wants the end: every rank has been told to go,
#	           and deaths are only counted
#	over       nothing is left; the exit status is known
#
# The first failure is the one that is told and that gives the exit status.
#
# Actions: [say => sentence], [log => text], [kill => hard], [timer => name, seconds],
# [gone => rank] when its output is to be finished, [over => status].
package FTMPI::Job;

use strict;
use warnings;

# All timers of a job, in seconds: how long a broken connection waits for the news that explains it;
# how long ranks have to end after they were told to, and after they were killed.
use constant { EXPLAIN_TIME => 2, LEAVE_TIME => 5, KILLED_TIME => 3 };

my %EVENTS = (
	starting => {
		ready       => sub { $_[0]{phase} = 'running'; return },
		cannot      => \&_cannot,
		host_lost   => \&_cannot,
		signal      => \&_interrupted,
		timeout     => \&_timed_out,
		output_gone => \&_output_gone,
	},
	running => {
		started     => sub { return },
		inited      => \&_inited,
		finalized   => \&_finalized,
		aborted     => \&_aborted,
		lost        => \&_lost,
		broken      => \&_broken,
		cannot      => \&_cannot,
		exited      => \&_exited,
		explain     => \&_unexplained,
		host_lost   => \&_host_lost,
		signal      => \&_interrupted,
		timeout     => \&_timed_out,
		output_gone => \&_output_gone,
	},
	ending => {
		exited    => \&_counted,
		host_lost => \&_host_counted,
		signal    => \&_hurried,
		leave     => sub { return $_[0]->_over },
		(map { $_ => sub { return } } qw(ready started inited finalized aborted lost broken
				cannot explain timeout output_gone)),
	},
	over => {},
);

# Signals by the words that the C library has for them.
my %SIGNAL_TEXT = (
	1  => 'Hangup',
	2  => 'Interrupt',
	3  => 'Quit',
	4  => 'Illegal instruction',
	5  => 'Trace/breakpoint trap',
	6  => 'Aborted',
	7  => 'Bus error',
	8  => 'Floating point exception',
	9  => 'Killed',
	11 => 'Segmentation fault',
	13 => 'Broken pipe',
	14 => 'Alarm clock',
	15 => 'Terminated',
	24 => 'CPU time limit exceeded',
	25 => 'File size limit exceeded',
	31 => 'Bad system call',
);
my %SIGNAL_NUMBER = (HUP => 1, INT => 2, TERM => 15);

# hosts: the name of each rank's host, in rank order.
sub new
{
	my ($class, @hosts) = @_;
	my @ranks = map { { host => $_, state => 'started' } } @hosts;
	return bless {
		phase => 'starting',
		ranks => \@ranks,
		live  => scalar @hosts,
		late  => [],
		lost  => [],
	}, $class;
}

sub phase  { return $_[0]{phase} }
sub status { return $_[0]{status} }

# The actions that this event asks for.
sub event
{
	my ($self, $name, @data) = @_;
	my $handler = $EVENTS{ $self->{phase} }{$name};
	return if !$handler;
	return $handler->($self, @data);
}

sub _who
{
	my ($self, $rank) = @_;
	return "rank $rank on $self->{ranks}[$rank]{host}";
}

sub _signal_text { return $SIGNAL_TEXT{ $_[0] } // 'a signal without a name' }

# The first failure: say it, remember its status, and end what still runs. A sentence that ends in
# "; " is finished by what happens to the others.
sub _fail
{
	my ($self, $status, $sentence) = @_;
	$self->{status} = $status;
	my @actions;
	if (defined $sentence) {
		my $rest = $self->{live} ? '; the other ranks are ended.' : '.';
		$sentence =~ s/; \z/$rest/;
		@actions = ([ say => $sentence ]);
	}
	return (@actions, $self->_end(0));
}

sub _end
{
	my ($self, $hard) = @_;
	my $unstarted = $self->{phase} eq 'starting';
	$self->{phase} = 'ending';
	return $self->_over if $unstarted || !$self->{live};
	return ([ kill => $hard ], [ timer => 'leave', $hard ? KILLED_TIME : LEAVE_TIME ]);
}

sub _over
{
	my ($self) = @_;
	$self->{phase} = 'over';
	my @late = map { [ say => $_ ] } @{ $self->{late} };
	@late = () if defined $self->{status};
	$self->{status} //= $self->{late_status} // 0;
	return (@late, [ over => $self->{status} ]);
}

sub _cannot
{
	my ($self, $sentence) = @_;
	return $self->_fail(1, $sentence);
}

sub _interrupted
{
	my ($self, $name) = @_;
	return ([ log => "SIG$name: the job is ended" ], $self->_fail(128 + $SIGNAL_NUMBER{$name}));
}

# A second signal: no more grace.
sub _hurried
{
	my ($self) = @_;
	return ([ kill => 1 ], [ timer => 'leave', KILLED_TIME ]);
}

sub _timed_out
{
	my ($self, $seconds) = @_;
	return $self->_fail(124, "the job did not end within $seconds s (-timeout); it is ended.");
}

# A reader that went away ends the job quietly, as it does a program in a pipeline.
sub _output_gone
{
	my ($self, $error) = @_;
	return $self->_fail(128 + 13) if $error eq '';
	return $self->_fail(1, "cannot write to standard output: $error; the job is ended.");
}

# A rank that ended without MPI_Init will never answer the ones that called it.
sub _inited
{
	my ($self, $rank) = @_;
	my $ranks = $self->{ranks};
	$ranks->[$rank]{state} = 'inited' if $ranks->[$rank]{state} eq 'started';
	my ($left) = grep { $ranks->[$_]{state} eq 'left' } 0 .. $#$ranks;
	return defined $left ? $self->_never_came($left) : ();
}

sub _never_came
{
	my ($self, $rank) = @_;
	return $self->_fail(1, $self->_who($rank)
		. ' exited with status 0 without calling MPI_Init,'
			. ' while others wait for it; ');
}

sub _finalized
{
	my ($self, $rank) = @_;
	$self->{ranks}[$rank]{state} = 'finalized';
	return;
}

# The call that failed is named, but for MPI_Abort itself.
sub _aborted
{
	my ($self, $rank, $code, $call) = @_;
	my $what   = length $call ? "stopped on an error in $call" : "called MPI_Abort with code $code";
	my $others = $self->{live} > 1 ? '; the other ranks are ended.' : '.';
	return $self->_fail($code & 0xff || 1, $self->_who($rank) . " $what$others");
}

sub _broken
{
	my ($self, $rank, $text) = @_;
	return $self->_fail(1,
		$self->_who($rank) . " broke the rules of its control connection ($text); ");
}

# Most often the other end has died, and the news of that is on its way.
sub _lost
{
	my ($self, $rank, $peer, $reason) = @_;
	return $self->_broken($rank, "it has no peer $peer") if $peer >= @{ $self->{ranks} };
	push @{ $self->{lost} }, { rank => $rank, peer => $peer, reason => $reason };
	return [ timer => 'explain', EXPLAIN_TIME ];
}

# Nothing explained the oldest one in time. It does no harm when one of the two is through with MPI.
sub _unexplained
{
	my ($self) = @_;
	my $lost = shift @{ $self->{lost} };
	my ($rank, $peer) = @$lost{qw(rank peer)};
	return if grep { $self->{ranks}[$_]{state} =~ /^(?:finalized|done)$/ } $rank, $peer;
	my ($a, $b) = map { $self->_who($_) } $rank, $peer;
	return $self->_fail(1,
		"connection between $a and $b broke: $lost->{reason}; the job is ended.");
}

sub _host_lost
{
	my ($self, $sentence, @ranks) = @_;
	$self->_bury(@ranks);
	return $self->_fail(1, $sentence);
}

# These ranks are not there any more.
sub _bury
{
	my ($self, @ranks) = @_;
	for my $rank (grep { !$self->{ranks}[$_]{gone} } @ranks) {
		$self->{ranks}[$rank]{gone} = 1;
		$self->{live}--;
	}
	return;
}

# The verdict on a rank's end: by what it had reached, and how it ended.
sub _exited
{
	my ($self, $rank, $status, $signal) = @_;
	$self->_bury($rank);
	my $how = $signal ? "was killed by signal $signal (" . _signal_text($signal) . ')'
		: "exited with status $status";
	my $state = $self->{ranks}[$rank]{state};
	my @actions = ([ log => $self->_who($rank) . " $how" ], [ gone => $rank ]);
	my $code = $signal ? 128 + $signal : $status;
	if ($code == 0) {
		push @actions, $self->_left($rank, $state);
	} elsif ($state eq 'finalized') {
		$self->_ended_late($rank, $code, $how);
	} else {
		push @actions, $self->_fail($code, $self->_who($rank) . " $how; ");
	}
	push @actions, $self->_over if $self->{phase} eq 'running' && !$self->{live};
	return @actions;
}

# It ended with status 0.
sub _left
{
	my ($self, $rank, $state) = @_;
	my $ranks = $self->{ranks};
	$ranks->[$rank]{state} = $state eq 'finalized' ? 'done' : 'left';
	if ($state eq 'inited') {
		return $self->_fail(1, $self->_who($rank)
				. ' exited without calling MPI_Finalize; the job is ended.');
	}
	my $waited_for = $state eq 'started' && grep { $_->{state} eq 'inited' } @$ranks;
	return $waited_for ? $self->_never_came($rank) : ();
}

# After MPI_Finalize nobody waits for it any more: the others may finish their work.
sub _ended_late
{
	my ($self, $rank, $code, $how) = @_;
	$self->{ranks}[$rank]{state} = 'done';
	$self->{late_status} //= $code;
	push @{ $self->{late} }, $self->_who($rank) . " $how after MPI_Finalize."
		if !@{ $self->{late} };
	return;
}

# In the phase `ending`.
sub _counted
{
	my ($self, $rank) = @_;
	$self->_bury($rank);
	return ([ gone => $rank ], $self->{live} ? () : $self->_over);
}

sub _host_counted
{
	my ($self, $sentence, @ranks) = @_;
	$self->_bury(@ranks);
	return $self->{live} ? () : $self->_over;
}

1;
