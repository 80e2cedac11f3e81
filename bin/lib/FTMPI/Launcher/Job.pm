# SPDX-License-Identifier: BSD-3-Clause
#
# The course of a job: what comes in which phase, and how it ends. Pure: an event comes in, a list of
# actions goes out; FTMPI::Launcher performs them. What a failure is: FTMPI::Launcher::Failure. Hosts, places and
# awaited answers: FTMPI::Launcher::HostTable. Ranks that show no life: FTMPI::Launcher::Verdict.
#
#	starting    agents are on their way; no rank runs yet
#	running     ranks run
#	recovering  a failure is being mended: agents have been told to begin again; what ranks tell is
#	            of the epoch before, until all agents have answered and RUN is sent
#	ending      something has failed for good, or the user wants the end: every rank has been told
#	            to go, and deaths are only counted
#	over        nothing is left; the exit status is known
#
# What mends failures is in FTMPI::Launcher::Recovery; this is the course of things otherwise.
#
# Actions, beside those of FTMPI::Launcher::HostTable: [say => sentence], [log => text], [kill => hard],
# [timer => name, seconds, what the event is to carry], [gone => rank] when its output is to be
# finished, [examine => rank, seconds] when its agent is to look at it, [fence => rank],
# [observe => epoch] when all ranks beat, [run => epoch], [over => status].
package FTMPI::Launcher::Job;

use strict;
use warnings;

use FTMPI::Launcher::Failure   ();
use FTMPI::Launcher::HostTable ();
use FTMPI::Launcher::Recovery  ();
use FTMPI::Launcher::Sentences ();

our @ISA = ('FTMPI::Launcher::Recovery');

# All timers of a job, in seconds, but for those of FTMPI::Launcher::Recovery: how long ranks have to end after they
# were told to, and after they were killed.
use constant { LEAVE_TIME => 5, KILLED_TIME => 3 };

my %EVENTS = (
	starting => {
		begin       => '_begin',
		here        => '_here',
		ports       => '_ports',
		cannot      => '_cannot',
		unfit       => '_unfit_at_first',
		host_lost   => '_unfit_at_first',
		signal      => '_interrupted',
		timeout     => '_timed_out',
		output_gone => '_output_gone',
	},
	running => {
		here        => '_here',
		inited      => '_inited',
		finalized   => '_finalized',
		cannot_run  => '_cannot_run',
		program     => '_program',
		line        => '_line',
		restored    => '_restored',
		aborted     => '_aborted',
		lost        => '_lost',
		broken      => '_broken',
		suspect     => '_suspect',
		heard       => '_heard',
		condition   => '_condition',
		strained    => '_strained',
		bears       => '_bears',
		stopped     => '_stopped',
		foreign     => '_foreign',
		cannot      => '_cannot',
		unfit       => '_unfit',
		exited      => '_exited',
		traced      => '_traced',
		explain     => '_unexplained',
		judge       => '_judge',
		fenced      => '_not_gone',
		undecided   => '_undecided',
		tell        => '_tell',
		host_lost   => '_host_lost',
		signal      => '_interrupted',
		timeout     => '_timed_out',
		output_gone => '_output_gone',
	},
	recovering => {
		here        => '_here',
		ports       => '_ports',
		again       => '_again',
		line        => '_late_line',
		cannot      => '_cannot',
		unfit       => '_host_lost_again',
		host_lost   => '_host_lost_again',
		answer      => '_no_answer',
		signal      => '_interrupted',
		timeout     => '_timed_out',
		output_gone => '_output_gone',
	},
	ending => {
		exited    => '_counted',
		line      => '_last_line',
		unfit     => '_host_counted',
		host_lost => '_host_counted',
		signal    => '_hurried',
		timeout   => '_hurried',
		leave     => '_over',
	},
	over => {},
);

my %SIGNAL_NUMBER = (HUP => 1, INT => 2, TERM => 15);

# hosts: { name, slots, local, ranks } each, in the order of the machine file. on, max: of restarts;
# from_start: also of programs that make no checkpoints; verdict: an FTMPI::Launcher::Verdict; silent: sub
# (host) -> seconds since its agent was heard; lenient: sub (host) -> for how many it may be silent because it
# is short of processors, or 0; restoring: words for the line of -restore, or undef;
# session: the job's name; term_ranks: seconds that ranks get after a SIGTERM, or undef.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless {
		on => 'failure', max => 3, silent => sub { 0 }, lenient => sub { 0 }, %arg,
		crew  => FTMPI::Launcher::HostTable->new(@{ $arg{hosts} }),
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
sub why    { return $_[0]{why} }
sub epoch  { return $_[0]{epoch} }
sub crew   { return $_[0]{crew} }

# The newest recovery line that this job has committed, or nothing.
sub line { return $_[0]{line} }

# What time it is, for all events until it is told again.
sub at { $_[0]{now} = $_[1]; return }

# The actions that this event asks for.
sub event
{
	my ($self, $name, @data) = @_;
	my $method = $EVENTS{ $self->{phase} }{$name} // return;
	return $self->$method(@data);
}

# When the failure was noticed that is being mended, until all ranks run again; else nothing.
sub since_failure { return $_[0]{back} }

# Some rank of this host has not come as far as MPI_Init yet.
sub is_starting
{
	my ($self, $host) = @_;
	return scalar grep { $self->{ranks}[$_]{state} eq 'started' } $self->{crew}->ranks($host);
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
	delete @$self{qw(late_status pending restored judging)};
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
		$self->{why} = $sentence;
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
	push @late, [ say => FTMPI::Launcher::Sentences::NOT_ASKED_FOR ]
		if defined $self->{restoring} && !$self->{came_back} && !$self->{foreign} && !defined $self->{status};
	if ($self->{foreign} && !$self->{in_mpi}) {
		push @late, [ say => FTMPI::Launcher::Sentences::foreign(@{ $self->{foreign} }) ];
		$self->{status} ||= $self->{late_status} || 1;
	}
	push @late, [ say => FTMPI::Launcher::Sentences::goes_on(@$self{qw(session line restored restoring)}) ]
		if $self->{tells_line} && ($self->{uses} || defined $self->{restoring});
	$self->{status} //= $self->{late_status} // 0;
	return (@late, [ over => $self->{status} ]);
}

sub _cannot
{
	my ($self, $sentence) = @_;
	return $self->_fail(1, $sentence);
}

# With -term-ranks a SIGTERM is the ranks' first: what they do until they end, they do for a reason.
sub _interrupted
{
	my ($self, $name) = @_;
	$self->{why} = "SIG$name";
	$self->{tells_line} = 1;
	my $status = 128 + $SIGNAL_NUMBER{$name};
	my $seconds = $self->{term_ranks};
	return $self->_fail($status, "SIG$name came; the job is ended.")
		if !$seconds || $name ne 'TERM' || $self->{phase} ne 'running' || !$self->{live};
	@$self{qw(status phase)} = ($status, 'ending');
	return (
		[ say   => "SIGTERM came, and is passed to the ranks; what has not ended in $seconds s is ended." ],
		[ kill  => int 1000 * $seconds + 0.5 ],
		[ timer => 'leave', $seconds + LEAVE_TIME ]);
}

# One that was made while the job was ended.
sub _last_line
{
	my ($self, $number) = @_;
	@$self{qw(uses line)} = (1, $number);
	return [ log => "line $number is committed" ];
}

# A second signal, or the end of the time of -timeout: no more grace.
sub _hurried
{
	my ($self) = @_;
	return ([ kill => 1 ], [ timer => 'leave', KILLED_TIME ]);
}

sub _timed_out
{
	my ($self, $seconds) = @_;
	$self->{tells_line} = 1;
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

sub _begin { return $_[0]{crew}->begin }

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
	$self->{in_mpi} = 1;
	my @known = $self->_program($rank, 0);
	my ($left) = grep { $ranks->[$_]{state} eq 'left' } 0 .. $#$ranks;
	return (@known, $self->_never_came($left)) if defined $left;
	return @known if $self->{unborn} || $self->{phase} ne 'running';
	return (@known, [ observe => $self->{epoch} ], defined $self->{back} ? $self->_all_are_back : ());
}

# It, or what it has started, has loaded the library of another MPI. That may mean nothing.
sub _foreign
{
	my ($self, $rank, $long, $library) = @_;
	return if $self->{in_mpi};
	$self->{foreign} = [ $self->_who($rank), $library ];
	my $note = FTMPI::Launcher::Sentences::foreign_note(@{ $self->{foreign} });
	return $long && !$self->{warned}++ ? [ say => $note ] : [ log => $note ];
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
	$self->_leaves($rank);
	return;
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

# ---- ends of ranks ----

# The verdict on a rank's end: by what it had reached, and how it ended. After MPI_Finalize nobody
# waits for it: others may finish their work, unless it was killed and is to do its own again.
sub _exited
{
	my ($self, $rank, $status, $signal, $words) = @_;
	return if $self->{ranks}[$rank]{gone};
	$self->_bury($rank);
	$self->_leaves($rank);
	my $how     = FTMPI::Launcher::Failure::how($status, $signal);
	my $class   = FTMPI::Launcher::Failure::of_exit($status, $signal);
	my @actions = ([ log => $self->_who($rank) . " $how" ], [ gone => $rank ]);
	if (!defined $class) {
		push @actions, $self->_left($rank);
	} elsif ($self->{ranks}[$rank]{state} eq 'finalized'
		&& !($class eq 'killed' && $self->can_restart)) {
		$self->_ended_late($rank, FTMPI::Launcher::Failure::exit_code($status, $signal), $how);
	} else {
		push @actions, $self->_failure(
			class  => $class,
			status => FTMPI::Launcher::Failure::exit_code($status, $signal),
			text   => FTMPI::Launcher::Sentences::ended($self->_who($rank), $how, @{ $self->{ranks}[$rank] }{qw(silent word tracer)}),
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


1;
