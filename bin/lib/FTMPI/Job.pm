# SPDX-License-Identifier: BSD-3-Clause
#
# The course of a job: what its failures mean, and how it ends. Pure: an event comes in, a list of
# actions goes out; FTMPI::Launcher performs them. What a failure is: FTMPI::Failure. Hosts, places and
# awaited answers: FTMPI::Crew. Ranks that show no life: FTMPI::Verdict.
#
#	starting    agents are on their way; no rank runs yet
#	running     ranks run
#	recovering  a failure is being mended: agents have been told to begin again; what ranks tell is
#	            of the epoch before, until all agents have answered and RUN is sent
#	ending      something has failed for good, or the user wants the end: every rank has been told
#	            to go, and deaths are only counted
#	over        nothing is left; the exit status is known
#
# While a failure waits for the news whether the program makes checkpoints at all, the phase stays
# `running`, with {pending}.
#
# Actions, beside those of FTMPI::Crew: [say => sentence], [log => text], [kill => hard],
# [timer => name, seconds, what the event is to carry], [gone => rank] when its output is to be
# finished, [fence => rank], [run => epoch], [over => status].
package FTMPI::Job;

use strict;
use warnings;

use FTMPI::Crew    ();
use FTMPI::Failure ();
use FTMPI::Words   ();

# All timers of a job, in seconds: how long a broken connection waits for the news that explains it;
# how long ranks have to end after they were told to, and after they were killed; how long a failure
# waits for a rank's word whether the program makes checkpoints; agents have to answer the order to
# begin again; a fenced rank has to be gone; the news that all run again waits for the line.
use constant {
	EXPLAIN_TIME => 2,
	LEAVE_TIME   => 5,
	KILLED_TIME  => 3,
	PROGRAM_TIME => 5,
	ANSWER_TIME  => 30,
	FENCE_TIME   => 3,
	TELL_TIME    => 1,
};

my $IGNORED = sub { return };

my %EVENTS = (
	starting => {
		begin       => sub { return $_[0]{crew}->begin },
		here        => \&_here,
		ports       => \&_ports,
		cannot      => \&_cannot,
		unfit       => \&_unfit_at_first,
		host_lost   => \&_unfit_at_first,
		signal      => \&_interrupted,
		timeout     => \&_timed_out,
		output_gone => \&_output_gone,
	},
	running => {
		here        => \&_here,
		inited      => \&_inited,
		finalized   => \&_finalized,
		cannot_run  => \&_cannot_run,
		program     => \&_program,
		line        => \&_line,
		restored    => \&_restored,
		aborted     => \&_aborted,
		lost        => \&_lost,
		broken      => \&_broken,
		suspect     => \&_suspect,
		cannot      => \&_cannot,
		unfit       => \&_unfit,
		exited      => \&_exited,
		explain     => \&_unexplained,
		judge       => \&_judge,
		fenced      => \&_not_gone,
		undecided   => \&_undecided,
		tell        => \&_tell,
		host_lost   => \&_host_lost,
		signal      => \&_interrupted,
		timeout     => \&_timed_out,
		output_gone => \&_output_gone,
	},
	recovering => {
		here        => \&_here,
		ports       => \&_ports,
		again       => \&_again,
		line        => \&_late_line,
		cannot      => \&_cannot,
		unfit       => \&_host_lost_again,
		host_lost   => \&_host_lost_again,
		answer      => \&_no_answer,
		signal      => \&_interrupted,
		timeout     => \&_timed_out,
		output_gone => \&_output_gone,
	},
	ending => {
		exited    => \&_counted,
		unfit     => \&_host_counted,
		host_lost => \&_host_counted,
		signal    => \&_hurried,
		leave     => sub { return $_[0]->_over },
	},
	over => {},
);

my %SIGNAL_NUMBER = (HUP => 1, INT => 2, TERM => 15);

# hosts: { name, slots, local, ranks } each, in the order of the machine file. on, max: of restarts;
# from_start: also of programs that make no checkpoints; verdict: an FTMPI::Verdict; silent: sub
# (host) -> seconds since its agent was heard; restoring: words for the line of -restore, or undef.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless {
		on => 'failure', max => 3, silent => sub { 0 }, %arg,
		crew  => FTMPI::Crew->new(@{ $arg{hosts} }),
		phase => 'starting',
		epoch => 0,
		row   => 0,
		now   => 0,
	}, $class;
	$self->{on} = 'none' if !$self->{max};
	$self->_reset;
	return $self;
}

sub phase  { return $_[0]{phase} }
sub status { return $_[0]{status} }
sub epoch  { return $_[0]{epoch} }
sub crew   { return $_[0]{crew} }

# What time it is, for all events until it is told again.
sub at { $_[0]{now} = $_[1]; return }

# The actions that this event asks for.
sub event
{
	my ($self, $name, @data) = @_;
	my $handler = $EVENTS{ $self->{phase} }{$name};
	return if !$handler;
	return $handler->($self, @data);
}

# When the failure was noticed that is being mended, until all ranks run again; else nothing.
sub since_failure { return $_[0]{back} }

# Some rank of this host has not come as far as MPI_Init yet, or the host is on its way.
sub is_starting
{
	my ($self, $host) = @_;
	return $self->{phase} ne 'running'
		|| scalar grep { $self->{ranks}[$_]{state} eq 'started' } $self->{crew}->ranks($host);
}

# A failure of this job can be mended, as far as is known.
sub can_restart
{
	my ($self) = @_;
	return $self->{on} ne 'none' && ($self->{from_start} || $self->{uses});
}

# All ranks begin, or begin again.
sub _reset
{
	my ($self) = @_;
	my $n = $self->{crew}->size;
	$self->{ranks} = [ map { { state => 'started' } } 1 .. $n ];
	@$self{qw(live unborn)} = ($n, $n);
	@$self{qw(late lost)} = ([], []);
	delete @$self{qw(late_status pending restored)};
	$self->{verdict}->clear if $self->{verdict};
	return;
}

sub _who
{
	my ($self, $rank) = @_;
	return "rank $rank on " . $self->{crew}->name_of($rank);
}

# ---- the end ----

# The first failure that is not mended: say it, remember its status, and end what still runs. A
# sentence that ends in "; " is finished by what happens to the others.
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
	my $unstarted = $self->{phase} =~ /^(?:starting|recovering)\z/;
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

# In the phase `ending`.
sub _counted
{
	my ($self, $rank) = @_;
	$self->_bury($rank);
	return ([ gone => $rank ], $self->{live} ? () : $self->_over);
}

sub _host_counted
{
	my ($self, $host) = @_;
	$self->_bury($self->{crew}->ranks($host));
	return $self->{live} ? () : $self->_over;
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

# ---- the start, and the start after a failure ----

sub _unfit_at_first
{
	my ($self, $host, $sentence, $was_here) = @_;
	return $self->_fail(1, $sentence . ($was_here ? '; the job is ended.' : ''));
}

sub _here
{
	my ($self, $host) = @_;
	$self->{crew}->here($host);
	return $self->_advance;
}

sub _ports
{
	my ($self, $host) = @_;
	$self->{crew}->ports($host);
	return $self->_advance;
}

sub _again
{
	my ($self, $host, $epoch) = @_;
	return if $epoch != $self->{epoch};
	$self->{crew}->again($host);
	return $self->_advance;
}

# Ask for what is missing, or let the ranks run.
sub _advance
{
	my ($self) = @_;
	return if $self->{phase} eq 'running';
	my @orders = $self->{crew}->ask;
	return @orders if @orders || $self->{crew}->late;
	$self->{phase} = 'running';
	$self->_reset;
	return [ run => $self->{epoch} ];
}

# ---- what ranks tell ----

# A rank that ended without MPI_Init will never answer the ones that called it.
sub _inited
{
	my ($self, $rank) = @_;
	my $ranks = $self->{ranks};
	return if $ranks->[$rank]{state} ne 'started';
	$ranks->[$rank]{state} = 'inited';
	$self->{unborn}--;
	my @known = $self->_program($rank, 0);
	my ($left) = grep { $ranks->[$_]{state} eq 'left' } 0 .. $#$ranks;
	return (@known, $self->_never_came($left)) if defined $left;
	return (@known, $self->{unborn} || !$self->{back} ? () : $self->_all_are_back);
}

sub _never_came
{
	my ($self, $rank) = @_;
	return if $self->{pending};
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

# Whether the program makes checkpoints: one rank that says so is enough, in any epoch.
sub _program
{
	my ($self, $rank, $uses) = @_;
	$self->{uses} ||= $uses;
	return $self->{pending} ? $self->_decide(delete $self->{pending}) : ();
}

# A new recovery line: what fails from now on is not the same failure again.
sub _line
{
	my ($self, $number) = @_;
	@$self{qw(uses line row)} = (1, $number, 0);
	return [ log => "line $number is committed" ];
}

# One that was committed before the failure that is being mended.
sub _late_line
{
	my ($self, $number) = @_;
	my @actions = $self->_line($number);
	$self->{row} = 1;
	return @actions;
}

sub _restored
{
	my ($self, $number, $session) = @_;
	$self->{uses} = 1;
	$self->{restored} = { line => $number, session => $session };
	return ([ log => "line $number of session $session is restored" ],
		$self->{back} && !$self->{unborn} ? $self->_all_are_back : ());
}

# All ranks have called MPI_Init again. Which line they go on from is told by rank 0, most often at
# once.
sub _all_are_back
{
	my ($self) = @_;
	return [ timer => 'tell', TELL_TIME, $self->{epoch} ]
		if !$self->{restored} && $self->_from ne FTMPI::Words::BEGINNING;
	return $self->_tell($self->{epoch});
}

sub _tell
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $back = delete $self->{back} // return;
	return [ say => FTMPI::Words::all_run($self->{crew}->size, $self->{now} - $back, $self->{restored}) ];
}

# The call that failed is named, but for MPI_Abort itself. A restore that failed will fail again.
sub _aborted
{
	my ($self, $rank, $code, $call) = @_;
	my $what = length $call ? "stopped on an error in $call" : "called MPI_Abort with code $code";
	my $tail = $self->{live} > 1 ? '; the other ranks are ended.' : '.';
	return $self->_failure(
		class  => $call =~ /^FTMPI_/ ? 'final' : 'error',
		status => $code & 0xff || 1,
		text   => $self->_who($rank) . " $what",
		tail   => $tail,
		rank   => $rank);
}

sub _broken
{
	my ($self, $rank, $text) = @_;
	return if $self->{pending};
	return $self->_fail(1,
		$self->_who($rank) . " broke the rules of its control connection ($text); ");
}

# Most often the other end has died, and the news of that is on its way.
sub _lost
{
	my ($self, $rank, $peer, $reason) = @_;
	return $self->_broken($rank, "it has no peer $peer") if $peer >= @{ $self->{ranks} };
	push @{ $self->{lost} }, { rank => $rank, peer => $peer, reason => $reason };
	return [ timer => 'explain', EXPLAIN_TIME, $self->{epoch} ];
}

# Nothing explained the oldest one in time. It does no harm when one of the two is through with MPI.
sub _unexplained
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $lost = shift @{ $self->{lost} } // return;
	my ($rank, $peer) = @$lost{qw(rank peer)};
	return if grep { $self->{ranks}[$_]{state} =~ /^(?:finalized|done)$/ } $rank, $peer;
	my ($one, $other) = map { $self->_who($_) } $rank, $peer;
	return $self->_failure(
		class  => 'lost',
		status => 1,
		text   => "connection between $one and $other broke: $lost->{reason}",
		tail   => '; the job is ended.');
}

# ---- ends of ranks and hosts ----

# The verdict on a rank's end: by what it had reached, and how it ended. After MPI_Finalize nobody
# waits for it: others may finish their work, unless it was killed and is to do its own again.
sub _exited
{
	my ($self, $rank, $status, $signal, $words) = @_;
	return if $self->{ranks}[$rank]{gone};
	$self->_bury($rank);
	my $how     = FTMPI::Failure::how($status, $signal);
	my $class   = FTMPI::Failure::of_exit($status, $signal);
	my @actions = ([ log => $self->_who($rank) . " $how" ], [ gone => $rank ]);
	if (!defined $class) {
		push @actions, $self->_left($rank);
	} elsif ($self->{ranks}[$rank]{state} eq 'finalized'
		&& !($class eq 'killed' && $self->can_restart)) {
		$self->_ended_late($rank, FTMPI::Failure::exit_code($status, $signal), $how);
	} else {
		push @actions, $self->_failure(
			class  => $class,
			status => FTMPI::Failure::exit_code($status, $signal),
			text   => FTMPI::Words::ended($self->_who($rank), $how, $self->{ranks}[$rank]{silent}),
			words  => $words,
			rank   => $rank);
	}
	return (@actions, $self->_nobody_left);
}

# All ranks have ended. If one of them failed, none can tell any more whether it makes checkpoints.
sub _nobody_left
{
	my ($self) = @_;
	return if $self->{phase} ne 'running' || $self->{live};
	my $pending = delete $self->{pending};
	return $pending ? $self->_decide($pending) : $self->_over;
}

# It ended with status 0.
sub _left
{
	my ($self, $rank) = @_;
	my $ranks = $self->{ranks};
	my $state = $ranks->[$rank]{state};
	$ranks->[$rank]{state} = $state eq 'finalized' ? 'done' : 'left';
	return if $self->{pending};
	if ($state eq 'inited') {
		return $self->_fail(1, $self->_who($rank)
				. ' exited without calling MPI_Finalize; the job is ended.');
	}
	my $waited_for = $state eq 'started' && grep { $_->{state} eq 'inited' } @$ranks;
	return $waited_for ? $self->_never_came($rank) : ();
}

sub _ended_late
{
	my ($self, $rank, $code, $how) = @_;
	$self->{ranks}[$rank]{state} = 'done';
	$self->{late_status} //= $code;
	push @{ $self->{late} }, $self->_who($rank) . " $how after MPI_Finalize."
		if !@{ $self->{late} };
	return;
}

# A host all of whose ranks have ended is not missed.
sub _host_lost
{
	my ($self, $host, $sentence) = @_;
	my @ranks = $self->{crew}->ranks($host);
	my @live = grep { !$self->{ranks}[$_]{gone} } @ranks;
	$self->{crew}->lost($host, $self->{now}, $self->{epoch});
	$self->_bury(@ranks);
	return ([ log => $sentence ], [ drop => $host ]) if !@live;
	return (
		[ drop => $host ],
		$self->_failure(class => 'host', status => 1, text => $sentence, tail => '; the job is ended.'),
		$self->_nobody_left);
}

# It cannot run the program. At the first start that is the user's to mend; one that came later is done
# without, which is no failure of the job.
sub _unfit
{
	my ($self, $host, $sentence) = @_;
	$self->{uncounted} = $self->{epoch} > 0;
	return $self->_host_lost($host, $sentence) if $self->{epoch};
	$self->_bury($self->{crew}->ranks($host));
	return $self->_fail(1, $sentence);
}

# The same of one rank, whose end will be told.
sub _cannot_run
{
	my ($self, $host, $sentence) = @_;
	return $self->{epoch} ? $self->_unfit($host, $sentence) : $self->_fail(1, $sentence);
}

# ---- ranks that show no life ----

sub _suspect
{
	my ($self, $observer, $rank, $ms) = @_;
	return $self->_broken($observer, "it has no peer $rank") if $rank >= @{ $self->{ranks} };
	my @log = [ log => $self->_who($observer) . ": no sign of rank $rank for $ms ms" ];
	my $state = $self->{ranks}[$rank]{state};
	return @log if $self->{debug} || $self->{ranks}[$rank]{gone} || $state eq 'finalized';
	my $verdict = $self->{verdict};
	my @timer = $verdict->is_open ? () : [ timer => 'judge', $verdict->gather_time, $self->{epoch} ];
	$verdict->suspect($observer, $rank, $ms, $self->{now});
	return (@log, @timer);
}

sub _judge
{
	my ($self, $epoch) = @_;
	my $verdict = $self->{verdict};
	return if $epoch != $self->{epoch} || $self->{pending};
	my $judgement = $verdict->judge($self->{now}, sub { $self->{crew}->home($_[0]) }, $self->{silent});
	my @actions = $judgement ? $self->_condemn(@$judgement) : ();
	return @actions if $self->{phase} ne 'running' || !$verdict->is_open;
	return (@actions, [ timer => 'judge', $verdict->gather_time, $epoch ]);
}

# What is not mended by a restart is not made worse here: who was stopped may go on.
sub _condemn
{
	my ($self, $name, @data) = @_;
	my $crew = $self->{crew};
	my $text = FTMPI::Words::judged($crew, $name, @data);
	if (!$self->can_restart) {
		$self->{verdict}->clear;
		return if $self->{noticed}{$text}++;
		return [ say => "$text; the job is not ended for that." ];
	}
	if ($name eq 'fence') {
		my ($rank, $ms) = @data;
		$self->{verdict}->forget($rank);
		$self->{ranks}[$rank]{silent} = $ms;
		return ([ log => $text ], [ fence => $rank ],
			[ timer => 'fenced', FENCE_TIME, $self->{epoch}, $rank ]);
	}
	my @hosts = $name eq 'host' ? @{ $data[0] } : ();
	my @aside;
	@aside = grep { defined } $crew->dispensable(@{ $data[0] }) if $name eq 'link';
	$crew->lost($_, $self->{now}, $self->{epoch}) for @hosts, @aside;
	$self->_bury($crew->ranks($_)) for @hosts, @aside;
	return ((map { [ drop => $_ ] } @hosts), (map { [ dismiss => $_ ] } @aside),
		$self->_failure(
			class => $name eq 'host' ? 'host' : 'lost', status => 1, text => $text,
			tail => '; the job is ended.'));
}

# A rank that was fenced is still there: even SIGKILL does not reach it.
sub _not_gone
{
	my ($self, $epoch, $rank) = @_;
	return if $epoch != $self->{epoch} || $self->{ranks}[$rank]{gone};
	return $self->_failure(
		class  => 'hung',
		status => 1,
		text   => FTMPI::Words::ended($self->_who($rank), 'cannot be killed', $self->{ranks}[$rank]{silent}),
		rank   => $rank);
}

# ---- restarts ----

# class, status, text; tail: how the sentence ends if the job does; words: its last on standard error.
# Only the first of several is dealt with: a restart mends all.
sub _failure
{
	my ($self, %failure) = @_;
	return if $self->{pending};
	$failure{at} = $self->{now};
	$failure{tail} //= '; ';
	return $self->_give_up(\%failure, $failure{tail}) if !FTMPI::Failure::is_mended($self->{on}, $failure{class});
	return $self->_decide(\%failure) if $self->{from_start} || defined $self->{uses};
	$self->{pending} = \%failure;
	return [ timer => 'undecided', PROGRAM_TIME, $self->{epoch} ];
}

sub _give_up
{
	my ($self, $failure, $tail) = @_;
	return $self->_fail($failure->{status}, $failure->{text} . $tail);
}

# No rank has said whether it makes checkpoints: it is no MPI program, or hangs before MPI_Init.
sub _undecided
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $pending = delete $self->{pending} // return;
	return $self->_decide($pending);
}

sub _decide
{
	my ($self, $failure) = @_;
	my $max = $self->{max};
	if (!$self->can_restart) {
		return $self->_give_up($failure, defined $self->{uses} ? FTMPI::Words::NO_CHECKPOINTS : $failure->{tail});
	}
	return $self->_give_up($failure, FTMPI::Words::INPUT_LOST) if $self->{input_lost};
	$self->{row}++ if !delete $self->{uncounted};
	return $self->_give_up($failure, FTMPI::Words::last_words($failure->{words}) . FTMPI::Words::too_often($max))
		if $self->{row} > $max;
	return $self->_restart($failure);
}

# Rank 0 was given more input than is kept for a restart.
sub input_lost { $_[0]{input_lost} = 1; return }

sub _from
{
	my ($self) = @_;
	return FTMPI::Words::from($self->{line}, $self->{restoring});
}

sub _restart
{
	my ($self, $failure) = @_;
	my $crew = $self->{crew};
	$self->{phase} = 'recovering';
	$self->{back} //= $failure->{at};
	$self->{epoch}++;
	$self->_reset;
	my ($moved, @actions) = $self->_rehouse or return $self->_give_up($failure, FTMPI::Words::NO_HOST);
	my $again = FTMPI::Words::restart(@$self{qw(row max)}, $self->_from);
	return (
		[ say => $failure->{text} . FTMPI::Words::last_words($failure->{words}) . "$moved; $again." ],
		$crew->restart($self->{epoch}),
		@actions,
		$crew->probe($self->{now}),
		[ timer => 'answer', ANSWER_TIME, $self->{epoch} ],
		$self->_advance);
}

# Places for ranks whose host has failed: words, and actions; or nothing when there is none.
sub _rehouse
{
	my ($self) = @_;
	my ($actions, $moved) = $self->{crew}->rehouse($self->{epoch}) or return;
	return (FTMPI::Words::moved($self->{crew}, $moved), @$actions);
}

# Before all run again: its ranks get another place in the same epoch.
sub _host_lost_again
{
	my ($self, $host, $sentence) = @_;
	my $missed = $self->{crew}->ranks($host);
	$self->{crew}->lost($host, $self->{now}, $self->{epoch});
	return ([ log => $sentence ], [ drop => $host ]) if !$missed;
	my ($moved, @actions) = $self->_rehouse
		or return ([ drop => $host ], $self->_fail(1, $sentence . FTMPI::Words::NO_HOST));
	return ([ say => "$sentence$moved." ], [ drop => $host ], @actions, $self->_advance);
}

sub _no_answer
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my ($host) = grep { $self->{crew}->state($_) eq 'well' } $self->{crew}->late;
	my @again = [ timer => 'answer', ANSWER_TIME, $epoch ];
	return @again if !defined $host;
	return (
		$self->_host_lost_again($host, FTMPI::Words::no_answer($self->{crew}->name($host), ANSWER_TIME)),
		@again);
}

1;
