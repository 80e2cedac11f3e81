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
# The job's state is changed here alone. Its parts: how far ranks are (FTMPI::Launcher::RankTable); which
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

use FTMPI::Control             ();
use FTMPI::Launcher::Failure   ();
use FTMPI::Launcher::HostTable ();
use FTMPI::Launcher::Lines     ();
use FTMPI::Launcher::LostConnections ();
use FTMPI::Launcher::Moving    ();
use FTMPI::Launcher::Notes     ();
use FTMPI::Launcher::Outcome   ();
use FTMPI::Launcher::RankTable ();
use FTMPI::Launcher::Recovery  ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Launcher::Suspects  ();
use FTMPI::Later qw(FTMPI::Launcher::Checkpoints);

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

my %SIGNAL_NUMBER = (HUP => 1, INT => 2, TERM => 15);

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

# How often each rank has begun again alone, by rank.
sub incarnations { return $_[0]{ranks}->incarnations }

# Whether this rank may go on from a checkpoint of its own when it begins again alone.
sub may_have_checkpoint { my ($self, $rank) = @_; return $self->{recovery}->is_alone && $self->{saving}->may_have($rank) }

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

# Some rank of this host has not come as far as MPI_Init yet.
sub is_starting
{
	my ($self, $host) = @_;
	return scalar grep { $self->{ranks}->state($_) eq 'started' } $self->{hosts}->ranks($host);
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

sub _unfit_at_first
{
	my ($self, $host, $sentence, $was_here) = @_;
	return $self->_fail(1, $sentence . ($was_here ? '; the job is ended.' : ''));
}

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

sub _restarting_all
{
	my ($self, $host, $epoch) = @_;
	return if $epoch != $self->{epoch};
	$self->{hosts}->restarting($host);
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

# It, or what it has started, has loaded the library of another MPI. That may mean nothing.
sub _foreign
{
	my ($self, $rank, $long, $library) = @_;
	my ($note, $is_for_user) = $self->{outcome}->foreign($self->{hosts}->who($rank), $long, $library) or return;
	return [ ($is_for_user ? 'say' : 'log') => $note ];
}

sub _never_came
{
	my ($self, $rank) = @_;
	return if $self->{recovery}->is_undecided;
	return $self->_fail(1, $self->{hosts}->who($rank)
		. ' exited with status 0 without calling MPI_Init,'
			. ' while others wait for it; ');
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

# The call that failed is named, but for MPI_Abort itself. A restore that failed will fail again; where all
# ranks have found nothing to go on from, the one that ends first is not to blame.
sub _aborted
{
	my ($self, $rank, $code, $call) = @_;
	return $self->_failure(class => 'final', status => 1, text => FTMPI::Launcher::Sentences::NO_LINE_FITS, tail => '.', rank => $rank)
		if $call eq FTMPI::Control::NO_LINE;
	my $what = length $call ? "stopped on an error in $call" : "called MPI_Abort with code $code";
	my $tail = $self->{ranks}->living > 1 ? '; the other ranks are ended.' : '.';
	return $self->_failure(
		class  => $call =~ /^FTMPI_/ ? 'final' : 'error',
		status => $code & 0xff || 1,
		text   => $self->{hosts}->who($rank) . " $what",
		tail   => $tail,
		rank   => $rank);
}

sub _broken
{
	my ($self, $rank, $text) = @_;
	return if $self->{recovery}->is_undecided;
	return $self->_fail(1,
		$self->{hosts}->who($rank) . " broke the rules of its control connection ($text); ");
}

# Whether the program makes checkpoints.
sub _program
{
	my ($self, $rank, $uses) = @_;
	return $self->_carry_out($self->{recovery}->program($uses));
}

# There are none under message logging.
sub _line
{
	my ($self, $number) = @_;
	return if $self->{recovery}->is_alone;
	$self->{recovery}->committed($number);
	$self->{notes}->add('line_committed', line => $number);
	my @actions = ([ log => "line $number is committed" ], $self->{saving}->committed($number));
	# behind a line that the launcher asks for more is told, of what rank 0 has read, until SAVED
	return (@actions, $self->{stopping} && $self->{phase} eq 'running' && !$self->{saving}->is_saving ? $self->_stop('') : ());
}

# Where lines are made, or FTMPI_Checkpoint_due tells the program that one is due. by: who asks.
sub _saving_wanted
{
	my ($self, $by) = @_;
	return $self->{saving}->wanted($by) if $self->{image};
	return $self->{phase} ne 'running' ? [ say => FTMPI::Launcher::Sentences::no_line_now($by) ] : [ save_all => $self->{epoch}, ++$self->{data_asked}, FTMPI::Control::GO ];
}

# -ckpt-interval auto.
sub _interval { my ($self, $seconds) = @_; return $self->{saving}->interval($seconds) }

# ---- an end from which -restore goes on ----

# why: the first words of the sentence; seconds that the line may take; status: if there is nothing to go on from; by: who asks.
sub _stop_wanted
{
	my ($self, $why, $seconds, $status, $by) = @_;
	my $late = [ timer => 'stop_late', $seconds, $why, $seconds, $status ];
	return $late if $self->{stopping};
	$self->{stopping} = { why => $why, status => $status, by => $by };
	my $what = $self->{recovery}->is_alone ? 'ranks make checkpoints' : 'a recovery line is made';
	my $recovery = $self->{recovery};
	# under message logging a program says itself when its ranks make checkpoints
	return $self->_stop('') if $recovery->makes_none || ($recovery->is_alone && !$self->{image});
	# ranks have not all called MPI_Init
	return $self->_stop('') if $self->{image} && !$self->{saving}->has_begun;
	# it is nearly over by itself
	return $late if $recovery->is_leaving || $self->{finalizing} || $self->{saving}->has_ended;
	return ([ say => "$why: $what, then the job is ended." ], $self->_saving_wanted($by), $late);
}

# A line that was refused is asked for again, as long as there is time.
sub _stop_again { my ($self) = @_; return $self->{stopping} && $self->{saving}->is_idle ? $self->_saving_wanted($self->{stopping}{by}) : () }

sub _ask_again
{
	my ($self) = @_;
	return $self->{stopping} && $self->{image} && $self->{phase} eq 'running' && $self->{saving}->is_idle ? [ timer => 'stop_again', AGAIN_TIME ] : ();
}

sub _stop_unstarted
{
	my ($self, $why, undef, $status) = @_;
	$self->{stopping} = { why => $why, status => $status };
	return $self->_stop('');
}

sub _stop_late
{
	my ($self, undef, $seconds) = @_;
	return $self->_stop($self->{recovery}->is_alone ? '' : "; no recovery line was made within " . (0 + sprintf '%.2f', $seconds) . ' s');
}

# EX_TEMPFAIL of sysexits.h: the same again will do.
use constant GOES_ON => 75;

sub _stop
{
	my ($self, $more) = @_;
	my ($why, $status) = @{ $self->{stopping} }{qw(why status)};
	$self->{outcome}->tell_line;
	return $self->_fail($self->{recovery}->has_line ? GOES_ON : $status, "$why$more; the job is ended.");
}

sub _line_due  { my ($self, @data) = @_; return ($self->{saving}->due(@data), $self->_ask_again) }
sub _rank_due  { my ($self, @data) = @_; return $self->{saving}->due(@data) }
sub _rank_late { my ($self, @data) = @_; return $self->{saving}->late(@data) }
sub _held      { my ($self, @data) = @_; return ($self->{saving}->held(@data), $self->_ask_again) }

sub _saved
{
	my ($self, $rank, $n, $committed) = @_;
	$self->{notes}->add('checkpoint', rank => $rank, number => $n) if $committed && $self->{recovery}->is_alone;
	my @actions = $self->{saving}->saved($rank, $n, $committed);
	return (@actions, $self->_ask_again) if !$self->{stopping} || !$committed;
	return (@actions, $rank == 0 ? $self->_stop('') : ()) if !$self->{recovery}->is_alone;
	$self->{stopping}{saved}{$rank} = 1;
	return (@actions, keys %{ $self->{stopping}{saved} } == $self->{ranks}->size ? $self->_stop('') : ());
}

sub _logs
{
	my ($self, $rank, @data) = @_;
	$self->{notes}->add('logs', rank => $rank, bytes => $data[1] << 10);
	return $self->{saving}->logs($rank, @data);
}

sub _resumed   { return $_[0]{saving}->resumed }

# Under message logging, from a checkpoint of its own.
sub _goes_on
{
	my ($self, $rank, $n) = @_;
	$self->{saving}->goes_on($n);
	$self->{notes}->add('restored', rank => $rank, number => $n);
	return [ log => "rank $rank goes on from its checkpoint $n" ];
}

sub _line_before
{
	my ($self, $number) = @_;
	$self->{recovery}->committed_before($number);
	$self->{notes}->add('line_committed', line => $number);
	return [ log => "line $number is committed" ];
}

sub _restored
{
	my ($self, $number, $session) = @_;
	$self->{recovery}->restored($number, $session);
	$self->{notes}->add('restored', line => $number, session => $session);
	return ([ log => "line $number of session $session is restored" ],
		$self->{ranks}->all_inited ? $self->_all_are_back : ());
}

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

sub _tell
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	$self->_note_back;
	my $sentence = $self->{recovery}->all_run($self->{hosts}->size, $self->{now}) // return;
	return [ say => $sentence ];
}

sub _note_back
{
	my ($self) = @_;
	my $since = $self->{recovery}->since // return;
	$self->{notes}->add('back', epoch => $self->{epoch}, seconds => $self->{now} - $since);
	return;
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

sub _lost
{
	my ($self, $rank, $peer, $reason) = @_;
	return $self->_broken($rank, "it has no peer $peer") if $peer >= $self->{ranks}->size;
	return $self->{lost}->tell($rank, $peer, $reason);
}

sub _unexplained
{
	my ($self, $epoch) = @_;
	my %failure = $self->{lost}->explain($epoch);
	return %failure ? $self->_failure(%failure) : ();
}

sub _suspect
{
	my ($self, $observer, $rank, $ms) = @_;
	return $self->_broken($observer, "it has no peer $rank") if $rank >= $self->{ranks}->size;
	return $self->_of_suspects('suspect', $observer, $rank, $ms);
}

sub _of_suspects
{
	my ($self, $event, @data) = @_;
	return map { $_->[0] eq 'failure' ? $self->_failure(%{ $_->[1] }) : $_ }
		$self->{suspects}->$event($self->{now}, @data);
}

# ---- lost hosts ----

# A host all of whose ranks have ended is not missed. uncounted: its loss is none of the restarts in a row.
sub _host_lost
{
	my ($self, $host, $sentence, undef, $uncounted) = @_;
	my $is_missed = grep { !$self->{ranks}->is_gone($_) } $self->{hosts}->ranks($host);
	if (!$is_missed) {
		$self->{hosts}->lost($host, $self->{now});
		return ([ log => $sentence ], [ drop => $host ]);
	}
	return (
		$self->_failure(
			class => 'host', status => 1, text => $sentence, tail => '; the job is ended.', uncounted => $uncounted,
			drop  => [$host]),
		$self->_nobody_left);
}

# It cannot run the program. At the first start that is the user's to mend; one that came later is done
# without, which is no failure of the job. But when no other host is left it is tried again: from the
# second time on that counts, or it would go on for ever.
sub _unfit
{
	my ($self, $host, $sentence) = @_;
	my @new = grep { $self->{moving}->is_under_way($_) } $self->{hosts}->ranks($host);
	return $self->_refused($host, $sentence, @new) if @new && @new < $self->{hosts}->ranks($host);
	return [ log => $sentence ] if $self->{hosts}->is_full($host);
	return $self->_host_lost($host, $sentence, 1, !$self->{unfit}{$host}++) if $self->_came_later($host);
	$self->{ranks}->bury($self->{hosts}->ranks($host));
	return $self->_fail(1, $sentence);
}

# The same of one rank, whose end will be told.
sub _cannot_run
{
	my ($self, $host, $sentence) = @_;
	return $self->_came_later($host) ? $self->_unfit($host, $sentence) : $self->_fail(1, $sentence);
}

# It was not asked for when the job began.
sub _came_later
{
	my ($self, $host) = @_;
	my @ranks = $self->{hosts}->ranks($host);
	return $self->{epoch} || !@ranks || grep { $self->{ranks}->has_come_back($_) } @ranks;
}

# ---- failures and restarts ----

# A failure (see FTMPI::Launcher::Recovery), and rank: of which it is, if it is one's; drop, dismiss: hosts
# that are lost by it, to be done without whatever is decided.
sub _failure
{
	my ($self, %failure) = @_;
	my ($hosts, @aside) = ($self->{hosts});
	push @aside, map { [ drop    => $_ ] } @{ delete $failure{drop}    // [] };
	push @aside, map { [ dismiss => $_ ] } @{ delete $failure{dismiss} // [] };
	for my $host (map { $_->[1] } @aside) {
		$hosts->lost($host, $self->{now});
		$self->{ranks}->bury($hosts->ranks($host));
		push @{ $failure{ranks} }, $hosts->ranks($host);
	}
	$failure{counted} = [ grep { !$self->{moving}->is_under_way($_) } @{ $failure{ranks} // [] } ];
	my $rank = $failure{rank};
	$failure{at} = defined $rank ? $self->{suspects}->fenced_at($rank) // $self->{now} : $self->{now};
	return (@aside, $self->_carry_out($self->{recovery}->failed(\%failure)));
}

# No rank has said whether it makes checkpoints.
sub _undecided
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	return $self->_carry_out($self->{recovery}->decide);
}

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

# decision: restart of all ranks, rerun of the one, move of those of a host, end of the job.
sub _note_failure
{
	my ($self, $failure, $decision) = @_;
	my $rank  = $failure->{rank};
	my @ranks = defined $rank ? $rank : @{ $failure->{ranks} // [] };
	$self->{notes}->add('failure', class => $failure->{class}, why => $failure->{text}, decision => $decision, ranks => \@ranks);
	$self->{notes}->add('restart', epoch => $self->{epoch}, kind => $decision eq 'restart' ? 'all' : $decision) if $decision ne 'end';
	return;
}

# The rank that failed, alone; the job runs on.
sub _rerun
{
	my ($self, $failure) = @_;
	my ($rank, $recovery) = ($failure->{rank}, $self->{recovery});
	$self->_note_failure($failure, 'rerun');
	$recovery->begins($failure);
	$self->{suspects}->begins_again($rank);
	my $incarnation = $self->{ranks}->begins_again($rank);
	return ([ say => $recovery->sentence_alone($failure) ], [ rerun => $rank, $incarnation ], $self->{saving}->begins_again($rank));
}

# The ranks of hosts that are lost; the job runs on.
sub _move
{
	my ($self, $failure) = @_;
	my ($hosts, $recovery, $moving) = @$self{qw(hosts recovery moving)};
	$self->{moves}++ if @{ $failure->{counted} };
	$self->_note_failure($failure, 'move');
	$recovery->begins($failure);
	my ($moved, @starts) = $self->_rehouse or return $self->_give_up($failure, FTMPI::Launcher::Sentences::NO_HOST);
	$moving->begin(@{ $failure->{ranks} });
	return (
		[ say => $recovery->sentence_moved($failure, $moved) ],
		(map { $self->{saving}->begins_again($_) } @{ $failure->{ranks} }),
		@starts,
		$hosts->probe($self->{now}, $self->_round),
		$self->_await_answers,
		$moving->advance);
}

# A host has ranks, and cannot take these in addition.
sub _refused
{
	my ($self, $host, $sentence, @ranks) = @_;
	$self->{hosts}->refuses($host, @ranks);
	my ($moved, @starts) = $self->_rehouse or return $self->_fail(1, $sentence . FTMPI::Launcher::Sentences::NO_HOST);
	return ([ say => "$sentence$moved." ], @starts, $self->_await_answers, $self->{moving}->advance);
}

# Those that are asked now, and no earlier ones.
sub _await_answers { my ($self) = @_; return [ timer => 'answer', ANSWER_TIME, $self->{epoch}, ++$self->{asked} ] }

# An agent has not bound the sockets of ranks that it is to take.
sub _not_taken
{
	my ($self, undef, $asked) = @_;
	return if !defined $asked || $asked != $self->{asked};
	my $host = $self->{moving}->silent_host // return;
	return $self->_host_lost($host, FTMPI::Launcher::Sentences::not_bound($self->{hosts}->name($host), ANSWER_TIME));
}

sub _give_up
{
	my ($self, $failure, $ending) = @_;
	$self->_note_failure($failure, 'end');
	$self->{outcome}->tell_line if $self->{recovery}->is_off;
	return $self->_fail($failure->{status}, $failure->{text} . $ending);
}

sub _restart
{
	my ($self, $failure) = @_;
	my ($hosts, $recovery) = @$self{qw(hosts recovery)};
	$self->{phase} = 'recovering';
	$self->{epoch}++;
	$self->_note_failure($failure, 'restart');
	$recovery->begins($failure);
	$self->_reset;
	my @orders = $hosts->restart($self->{epoch});
	my ($moved, @starts) = $self->_rehouse or return $self->_give_up($failure, FTMPI::Launcher::Sentences::NO_HOST);
	return (
		[ say => $recovery->sentence($failure, $moved) ],
		@orders,
		@starts,
		$hosts->probe($self->{now}, $self->{epoch}),
		[ timer => 'answer', ANSWER_TIME, $self->{epoch} ],
		$self->_advance);
}

# Places for ranks whose host has failed: words, and actions; or nothing when there is none.
sub _rehouse
{
	my ($self) = @_;
	my ($actions, $moved) = $self->{hosts}->rehouse($self->_round) or return;
	return (FTMPI::Launcher::Sentences::moved($self->{hosts}, $moved), @$actions);
}

# Of what is tried anew: a host that has failed is not tried twice in one.
sub _round { my ($self) = @_; return $self->{epoch} + $self->{moves} }

# Before all run again: its ranks get another place in the same epoch.
sub _host_lost_again
{
	my ($self, $host, $sentence) = @_;
	my $hosts  = $self->{hosts};
	my $missed = $hosts->ranks($host);
	$hosts->lost($host, $self->{now});
	return ([ log => $sentence ], [ drop => $host ]) if !$missed;
	my ($moved, @starts) = $self->_rehouse
		or return ([ drop => $host ], $self->_fail(1, $sentence . FTMPI::Launcher::Sentences::NO_HOST));
	return ([ say => "$sentence$moved." ], [ drop => $host ], @starts, $self->_advance);
}

sub _no_answer
{
	my ($self, $epoch) = @_;
	return if $epoch != $self->{epoch};
	my $hosts = $self->{hosts};
	my ($host) = grep { $hosts->state($_) eq 'well' } $hosts->late;
	my @again = [ timer => 'answer', ANSWER_TIME, $epoch ];
	return @again if !defined $host;
	return (
		$self->_host_lost_again($host, FTMPI::Launcher::Sentences::no_answer($hosts->name($host), ANSWER_TIME)),
		@again);
}

# ---- the end ----

# The first failure that is not mended: say it, and end what still runs.
sub _fail
{
	my ($self, $status, $sentence) = @_;
	my @said = $self->{outcome}->failed($status, $sentence, $self->{ranks}->living);
	return (map({ [ say => $_ ] } @said), $self->_end(0));
}

sub _end
{
	my ($self, $hard) = @_;
	my $unstarted = $self->{phase} =~ /^(?:starting|recovering)\z/;
	$self->{phase} = 'ending';
	$self->{ranks}->bury($self->{moving}->under_way);
	return $self->_over if $unstarted || !$self->{ranks}->living;
	return ($self->{saving}->ends, [ kill => $hard ], [ timer => 'leave', $hard ? KILLED_TIME : LEAVE_TIME ]);
}

sub _cannot
{
	my ($self, $sentence) = @_;
	return $self->_fail(1, $sentence);
}

# What the ranks have is on the disk.
sub _keeper_lost
{
	my ($self, $sentence) = @_;
	$self->{outcome}->tell_line;
	return $self->_fail(1, $sentence);
}

# With -term-ranks a SIGTERM is the ranks' first: what they do until they end, they do for a reason.
sub _interrupted
{
	my ($self, $name) = @_;
	my $outcome = $self->{outcome};
	my $status  = 128 + $SIGNAL_NUMBER{$name};
	$outcome->tell_line;
	my $seconds = $self->{term_ranks};
	$self->{ranks}->bury($self->{moving}->under_way);
	return $self->_fail($status, "SIG$name came; the job is ended.")
		if !$seconds || $name ne 'TERM' || $self->{phase} ne 'running' || !$self->{ranks}->living;
	$outcome->interrupted($status, $name);
	$self->{phase} = 'ending';
	return (
		$self->{saving}->ends,
		[ say   => "SIGTERM came, and is passed to the ranks; what has not ended in $seconds s is ended." ],
		[ kill  => int 1000 * $seconds + 0.5 ],
		[ timer => 'leave', $seconds + LEAVE_TIME ]);
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
	$self->{outcome}->tell_line;
	return $self->_fail(124, "the job did not end within $seconds s (-timeout); it is ended.");
}

# A reader that went away ends the job quietly, as it does a program in a pipeline.
sub _output_gone
{
	my ($self, $error, $what) = @_;
	return $self->_fail(128 + 13) if $error eq '';
	$what //= 'standard output';
	return $self->_fail(1, "cannot write to $what: $error; the job is ended.");
}

# In the phase `ending`.
sub _counted
{
	my ($self, $rank) = @_;
	$self->{ranks}->bury($rank);
	return ([ gone => $rank ], $self->{ranks}->living ? () : $self->_over);
}

sub _host_counted
{
	my ($self, $host) = @_;
	$self->{ranks}->bury($self->{hosts}->ranks($host));
	return $self->{ranks}->living ? () : $self->_over;
}

sub _over
{
	my ($self) = @_;
	$self->{phase} = 'over';
	my @said = map { [ say => $_ ] } $self->{outcome}->over;
	return (@said, [ over => $self->status ]);
}

1;
