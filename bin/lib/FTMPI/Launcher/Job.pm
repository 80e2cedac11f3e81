# SPDX-License-Identifier: BSD-3-Clause
#
# The course of a job: what comes in which phase, and how it ends. Pure: an event comes in, a list of
# actions goes out; FTMPI::Launcher performs them.
#
#	starting    agents are on their way; no rank runs yet
#	running     ranks run
#	recovering  after a failure: agents have been told that all begin again; what ranks tell is of the
#	            epoch before, until all agents have answered and RUN is sent
#	ending      something has failed for good, or the user wants the end: every rank has been told
#	            to go, and deaths are only counted
#	over        nothing is left; the exit status is known
#
# The happy path: start, run, and the end of all ranks. After a failure: FTMPI::Launcher::Recovery decides
# whether all begin again; then every agent that has ranks is told so (restart_all), and when all have
# answered, and sockets are bound where ranks are new, the ranks are told to run in the next epoch. Other
# courses: a host is lost before that, and its ranks get another place in the same epoch; no host is left:
# the job ends. While a failure waits for the news whether the program makes checkpoints, the job runs on.
# Under message logging (alone) it runs on, too, while ranks that failed begin again (rerun), on other hosts where theirs
# is lost (FTMPI::Launcher::Moving, take); and no rank leaves
# MPI_Finalize before all have come there (leave_all). Its keeper is started before the ranks are.
#
# The job's state is changed in this package alone; failures and restarts, recovery lines, and ends are in its folder (FTMPI::Later). Its parts: how far ranks are (FTMPI::Launcher::RankTable); which
# hosts are well, and where ranks are (FTMPI::Launcher::HostTable); restarts (FTMPI::Launcher::Recovery);
# ranks and hosts that show no life (FTMPI::Launcher::Suspects); recovery lines that ranks are asked for
# (FTMPI::Launcher::Lines); connections that broke (FTMPI::Launcher::LostConnections); ranks on their way to other hosts
# (FTMPI::Launcher::Moving); checkpoints that ranks are asked for one by one under message logging (FTMPI::Launcher::Checkpoints, in place of
# Lines); status and last sentences (FTMPI::Launcher::Outcome).
#
# Actions, beside those of FTMPI::Launcher::HostTable: [say => sentence], [log => text], [kill => hard],
# [timer => name, seconds, what the event is to carry], [gone => rank, goes on] when its output is to be
# finished, but what its next process prints goes on where its standard output ends (message logging), [examine => rank, seconds] when its agent is to look at it, [fence => rank],
# [observe_all => epoch] when all ranks beat, [save_all => epoch, n, step] for a recovery line (SAVE in doc/control.md),
# [save_one => rank, epoch, n, step] for a checkpoint of that rank alone (SAVE_ONE there), [run => epoch], [over => status]. Under message logging: [keeper] that it is to be started, [rerun => rank, incarnation],
# [take => ranks] that have other hosts now, [leave_all => epoch] when all have called MPI_Finalize.
package FTMPI::Launcher::Job;

use strict;
use warnings;

use FTMPI::Launcher::Failure   ();
use FTMPI::Launcher::HostTable ();
use FTMPI::Launcher::Lines     ();
use FTMPI::Launcher::LostConnections ();
use FTMPI::Launcher::Moving    ();
use FTMPI::Launcher::Notes     ();
use FTMPI::Launcher::Outcome   ();
use FTMPI::Launcher::RankTable ();
use FTMPI::Launcher::Recovery  ();
use FTMPI::Launcher::Suspects  ();
use FTMPI::Later qw(FTMPI::Launcher::Checkpoints);
use FTMPI::Later rest => qw(Saving Failures Ends);

# All timers of a job but those of its parts, in seconds. The end: ranks have to end after they
# were told to, and after they were killed. Failures: agents have to answer restart_all; the news that all run again waits for
# that of the line.
use constant {
	LEAVE_TIME   => 5,
	KILLED_TIME  => 3,
	ANSWER_TIME  => 30,
	TELL_TIME    => 1,
	AGAIN_TIME   => 1,
};

my %EVENTS = (
	starting => {
		begin       => '_begin',
		here        => '_here',
		ports       => '_ports',
		keeper_ready => '_keeper_ready',
		keeper_lost => '_keeper_lost',
		cannot      => '_cannot',
		unfit       => '_unfit_at_first',
		host_lost   => '_unfit_at_first',
		signal      => '_interrupted',
		timeout     => '_timed_out',
		output_gone => '_output_gone',
		line_wanted => '_saving_wanted',
		stop_wanted => '_stop_unstarted',
		interval    => '_interval',
	},
	running => {
		interval    => '_interval',
		stop_wanted => '_stop_wanted',
		stop_late   => '_stop_late',
		stop_again  => '_stop_again',
		here        => '_here',
		ports       => '_ports',
		answer      => '_not_taken',
		started     => '_started',
		inited      => '_inited',
		ending      => '_ending',
		finalized   => '_finalized',
		cannot_run  => '_cannot_run',
		program     => '_program',
		line        => '_line',
		line_wanted => '_saving_wanted',
		line_due    => '_line_due',
		rank_due    => '_rank_due',
		rank_late   => '_rank_late',
		goes_on     => '_goes_on',
		held        => '_held',
		saved       => '_saved',
		logs        => '_logs',
		resumed     => '_resumed',
		restored    => '_restored',
		aborted     => '_aborted',
		lost        => '_lost',
		broken      => '_broken',
		suspect     => '_suspect',
		foreign     => '_foreign',
		cannot      => '_cannot',
		keeper_lost => '_keeper_lost',
		unfit       => '_unfit',
		exited      => '_exited',
		explain     => '_unexplained',
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
		restarting_all => '_restarting_all',
		line        => '_line_before',
		line_wanted => '_saving_wanted',
		stop_wanted => '_stop_unstarted',
		stop_late   => '_stop_unstarted',
		interval    => '_interval',
		cannot      => '_cannot',
		unfit       => '_host_lost_again',
		host_lost   => '_host_lost_again',
		answer      => '_no_answer',
		signal      => '_interrupted',
		timeout     => '_timed_out',
		output_gone => '_output_gone',
	},
	ending => {
		stop_wanted => '_hurried',
		exited    => '_counted',
		line      => '_line',
		unfit     => '_host_counted',
		host_lost => '_host_counted',
		signal    => '_hurried',
		timeout   => '_hurried',
		leave     => '_over',
	},
	over => {},
);

# While ranks run, FTMPI::Launcher::Suspects has a method of the same name for each of these.
my %OF_SUSPECTS = map { $_ => 1 } qw(heard condition stopped traced strained bears judge fenced missed);

# hosts: { name, slots, local, ranks } each, in the order of the machine file. on, max, from_start, restoring, alone, newest: see
# FTMPI::Launcher::Recovery; verdict, silent, lenient, debug: see FTMPI::Launcher::Suspects; image: see FTMPI::Launcher::Lines, and with alone FTMPI::Launcher::Checkpoints; session: the
# job's name; notes: FTMPI::Launcher::Notes, to which what happens is added; term_ranks: seconds that ranks get after a SIGTERM, or undef; interval: of -ckpt-interval, or undef; program_lines: as image of FTMPI::Launcher::Lines, where the program makes the lines and is told when.
sub new
{
	my ($class, %arg) = @_;
	my $hosts    = FTMPI::Launcher::HostTable->new(@{ $arg{hosts} });
	my $ranks    = FTMPI::Launcher::RankTable->new($hosts->size);
	my $image    = defined $arg{image};
	my $by_time  = $image && defined $arg{image}{interval};
	my $notes    = $arg{notes} // FTMPI::Launcher::Notes->new;
	my $recovery = FTMPI::Launcher::Recovery->new(
		on => $arg{on} // 'failure', max => $arg{max} // 3, image => $image && !$arg{alone}, saves => $image && $arg{alone},
		map { $_ => $arg{$_} } qw(from_start restoring alone newest));
	my $suspects = FTMPI::Launcher::Suspects->new(
		ranks    => $ranks,
		hosts    => $hosts,
		recovery => $recovery,
		verdict  => $arg{verdict},
		silent   => $arg{silent}  // sub { 0 },
		lenient  => $arg{lenient} // sub { 0 },
		debug    => $arg{debug});
	my $self = bless {
		hosts    => $hosts,
		ranks    => $ranks,
		recovery => $recovery,
		suspects => $suspects,
		lost     => FTMPI::Launcher::LostConnections->new(hosts => $hosts, ranks => $ranks, suspects => $suspects),
		moving   => FTMPI::Launcher::Moving->new(hosts => $hosts, ranks => $ranks, suspects => $suspects),
		saving   => $arg{alone}
			? FTMPI::Launcher::Checkpoints->new(hosts => $hosts, ranks => $ranks, recovery => $recovery, image => $arg{image})
			: FTMPI::Launcher::Lines->new(hosts => $hosts, image => $arg{image} // $arg{program_lines}, notes => $notes),
		outcome  => FTMPI::Launcher::Outcome->new(recovery => $recovery, session => $arg{session},
			by_time => $by_time && !$arg{alone}, by_rank => $by_time && $arg{alone},
			by_calls => !$image && defined $arg{interval}),
		notes    => $notes,
		phase    => 'starting',
		epoch    => 0,
		moves    => 0,
		asked    => 0,
		now      => 0,
		term_ranks => $arg{term_ranks},
		image      => $image,
		needs_keeper => $arg{alone},
	}, $class;
	$self->_reset;
	return $self;
}

sub phase  { return $_[0]{phase} }
sub status { return $_[0]{outcome}->status }
sub why    { return $_[0]{outcome}->why }
sub epoch  { return $_[0]{epoch} }
sub hosts  { return $_[0]{hosts} }

# For the questions that it answers, and input_lost().
sub recovery { return $_[0]{recovery} }

# What comes of this rank is of its process before, until the new one is there.
sub is_away { my ($self, $rank) = @_; return $self->{phase} eq 'running' && $self->{ranks}->is_away($rank) }

# What time it is, for all events until it is told again.
sub at
{
	my ($self, $now) = @_;
	$self->{now} = $now;
	$self->{notes}->at($now);
	return;
}

# The actions that this event asks for.
sub event
{
	my ($self, $name, @data) = @_;
	return $self->_of_suspects($name, @data) if $OF_SUSPECTS{$name} && $self->{phase} eq 'running';
	my $method = $EVENTS{ $self->{phase} }{$name} // return;
	return $self->$method(@data);
}

# All ranks begin, or begin again.
sub _reset
{
	my ($self) = @_;
	$self->{ranks}->reset;
	$self->{recovery}->reset;
	$self->{suspects}->reset($self->{epoch});
	$self->{saving}->reset($self->{epoch});
	$self->{outcome}->reset;
	$self->{lost}->reset($self->{epoch});
	$self->{finalizing} = 0;
	return;
}

# ---- the start, and the start after a failure ----

sub _begin { return $_[0]{hosts}->begin }

sub _here
{
	my ($self, $host) = @_;
	$self->{hosts}->here($host);
	return $self->_advance;
}

sub _ports
{
	my ($self, $host) = @_;
	$self->{hosts}->ports($host);
	return $self->_advance;
}

# Ask for what is missing, or let the ranks run.
sub _advance
{
	my ($self) = @_;
	return $self->{moving}->advance if $self->{phase} eq 'running';
	my @orders = $self->{hosts}->ask;
	return @orders if @orders || $self->{hosts}->late;
	return ['keeper'] if $self->{needs_keeper};
	$self->{phase} = 'running';
	$self->_reset;
	return [ run => $self->{epoch} ];
}

# It is there as long as the job is. incarnations: of all ranks, when they go on from what an earlier launcher's have left.
sub _keeper_ready
{
	my ($self, @incarnations) = @_;
	$self->{needs_keeper} = 0;
	$self->{ranks}->go_on(@incarnations);
	$self->{saving}->go_on if @incarnations;
	return $self->_advance;
}

# ---- what ranks tell ----

# A rank that has begun again alone: its process before has written its last.
sub _started
{
	my ($self, $rank) = @_;
	$self->{notes}->add('started', rank => $rank);
	return $self->{ranks}->started($rank) ? [ gone => $rank, 1 ] : ();
}

# A rank that ended without MPI_Init will never answer the ones that called it. A failure that waited for a rank
# to come this far is decided first, and settles everything.
sub _inited
{
	my ($self, $rank) = @_;
	my $ranks = $self->{ranks};
	return if !$ranks->inited($rank);
	$self->{outcome}->in_mpi;
	my @known = $self->_program($rank, 0);
	return @known if $self->{phase} ne 'running';
	push @known, $self->_of_suspects('has_come', $rank);
	my $left = $ranks->first_in('left');
	return (@known, $self->_never_came($left)) if defined $left;
	return @known if !$ranks->all_inited;
	$self->{notes}->add('ready', epoch => $self->{epoch}) if !defined $self->{recovery}->since;
	return (@known, [ observe_all => $self->{epoch} ], $self->_all_are_back, $self->{saving}->all_inited);
}

# Under message logging a peer may need the log of each rank until all have come here; one that was fenced is to come
# again. From then on no rank is mended, as none has anything left to do.
sub _ending
{
	my ($self, $rank) = @_;
	$self->{ranks}->ending($rank);
	return $self->_all_leave;
}

sub _all_leave
{
	my ($self) = @_;
	my ($ranks, $recovery) = @$self{qw(ranks recovery)};
	return if !$recovery->is_alone || $recovery->is_leaving || !$ranks->all_ending || $self->{suspects}->awaits_end;
	$ranks->leave;
	$recovery->leaves;
	return ($self->{saving}->ends, [ log => 'all ranks have called MPI_Finalize' ], [ leave_all => $self->{epoch} ]);
}

sub _finalized
{
	my ($self, $rank) = @_;
	$self->{notes}->add('finalizing') if !$self->{finalizing}++;
	$self->{ranks}->finalized($rank);
	$self->{suspects}->leaves($rank);
	return ($self->{saving}->ends, $self->_all_leave);
}

# Whether the program makes checkpoints.
sub _program
{
	my ($self, $rank, $uses) = @_;
	return $self->_carry_out($self->{recovery}->program($uses));
}

# ---- an end from which -restore goes on ----

# EX_TEMPFAIL of sysexits.h: the same again will do.
use constant GOES_ON => 75;

# All ranks have called MPI_Init again, if this is not the first time. Which line they go on from is told by
# rank 0, most often at once.
sub _all_are_back
{
	my ($self) = @_;
	return if !defined $self->{recovery}->since;
	if ($self->{recovery}->is_alone) {
		$self->_note_back;
		return [ log => $self->{recovery}->all_back($self->{now}) ];
	}
	return [ timer => 'tell', TELL_TIME, $self->{epoch} ] if $self->{recovery}->awaits_line;
	return $self->_tell($self->{epoch});
}

# ---- ends of ranks ----

# The verdict on a rank's end: by what it had reached, and how it ended. After MPI_Finalize nobody
# waits for it: others may finish their work, unless it was killed and is to do its own again with all others.
sub _exited
{
	my ($self, $rank, $status, $signal, $words) = @_;
	my ($ranks, $suspects) = @$self{qw(ranks suspects)};
	return if $ranks->is_gone($rank);
	$ranks->bury($rank);
	$suspects->leaves($rank);
	$self->{notes}->add('exited', rank => $rank);
	my $how     = FTMPI::Launcher::Failure::how($status, $signal);
	my $class   = FTMPI::Launcher::Failure::of_exit($status, $signal);
	my $code    = FTMPI::Launcher::Failure::exit_code($status, $signal);
	my @goes_on = defined $class && $self->{recovery}->is_alone ? 1 : ();
	my @actions = ([ log => $self->{hosts}->who($rank) . " $how" ], [ gone => $rank, @goes_on ]);
	if (!defined $class) {
		push @actions, $self->_ended_well($rank);
	} elsif ($ranks->is_through($rank) && !($class eq 'killed' && $self->{recovery}->can_restart_all)) {
		$ranks->ended_late($rank);
		$self->{outcome}->failed_late($self->{hosts}->who($rank), $code, $how);
	} else {
		push @actions, $self->_failure(
			class  => $class,
			status => $code,
			text   => $suspects->ended($rank, $how),
			words  => $words,
			rank   => $rank);
	}
	return (@actions, $self->_nobody_left);
}

# All ranks have ended. If one of them failed, none can tell any more whether it makes checkpoints.
sub _nobody_left
{
	my ($self) = @_;
	my $recovery = $self->{recovery};
	return if $self->{phase} ne 'running' || $self->{ranks}->living;
	return $recovery->is_undecided ? $self->_carry_out($recovery->decide) : $self->_over;
}

# It ended with status 0.
sub _ended_well
{
	my ($self, $rank) = @_;
	my $ranks  = $self->{ranks};
	my $before = $ranks->state($rank);
	$ranks->ended_well($rank);
	return if $self->{recovery}->is_undecided;
	if ($before =~ /^(?:inited|ending)\z/) {
		return $self->_fail(1, $self->{hosts}->who($rank)
				. ($before eq 'inited' ? ' exited without calling MPI_Finalize' : ' exited in MPI_Finalize') . '; the job is ended.');
	}
	my $waited_for = $before eq 'started' && defined($ranks->first_in('inited') // $ranks->first_in('ending'));
	return $waited_for ? $self->_never_came($rank) : ();
}

# ---- lost connections, ranks that show no life ----

sub _of_suspects
{
	my ($self, $event, @data) = @_;
	return map { $_->[0] eq 'failure' ? $self->_failure(%{ $_->[1] }) : $_ }
		$self->{suspects}->$event($self->{now}, @data);
}

# ---- failures and restarts ----

# A decision of FTMPI::Launcher::Recovery.
sub _carry_out
{
	my ($self, $decision, $failure, $ending) = @_;
	return if !defined $decision;
	return [ timer => 'undecided', FTMPI::Launcher::Recovery::PROGRAM_TIME, $self->{epoch} ] if $decision eq 'wait';
	return $self->_stop("; $failure->{text}") if $self->{stopping} && $decision ne 'give_up';
	return $self->_rerun($failure) if $decision eq 'rerun';
	return $self->_move($failure) if $decision eq 'move';
	return $decision eq 'restart' ? $self->_restart($failure) : $self->_give_up($failure, $ending);
}

# ---- the end ----

sub _over
{
	my ($self) = @_;
	$self->{phase} = 'over';
	my @said = map { [ say => $_ ] } $self->{outcome}->over;
	return (@said, [ over => $self->status ]);
}

1;
