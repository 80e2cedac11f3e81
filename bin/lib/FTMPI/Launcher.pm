# SPDX-License-Identifier: BSD-3-Clause
#
# One job from its start to its exit status. The happy path: an agent is started on every host; all are
# here; every agent binds the sockets of its ranks; the table of all ranks goes to every agent, which
# starts its ranks; output, input and news are carried; all ranks end; the agents leave.
#
# What agents and ranks send comes as events (FTMPI::Launcher::Inbox) to FTMPI::Launcher::Job, which decides
# what they mean, and in every other course of things, too; the actions that it asks for are carried out
# here, from top to bottom in the order of a job, and by FTMPI::Launcher::Fleet as far as agents are
# concerned.
package FTMPI::Launcher;

use strict;
use warnings;

use List::Util ();
use POSIX      ();
use Time::HiRes ();

use FTMPI::Launcher::Builds    ();
use FTMPI::Launcher::EarlyAgent ();
use FTMPI::Launcher::Fleet     ();
use FTMPI::Launcher::Inbox     ();
use FTMPI::Launcher::Job       ();
use FTMPI::Launcher::Notes     ();
use FTMPI::Launcher::Patience  ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Launcher::Stdin     ();
use FTMPI::Launcher::Streams   ();
use FTMPI::Launcher::Verdict   ();
use FTMPI::Launcher::Workdir   ();
use FTMPI::Net                 ();
use FTMPI::Version             ();
use FTMPI::Later qw(FTMPI::KeeperFolder FTMPI::RankFolders);
use FTMPI::Later rest => qw(Restarts Requests);
use FTMPI::Loop                ();
use FTMPI::StoppedProcesses    ();

# Bytes of output that may wait for a slow reader before the agents get no more credit; seconds that
# agents have to leave after the job, and that the order to stop has to get on its way.
use constant {
	OUTPUT_MAX   => 1 << 20,
	LEAVE_TIME   => 3,
	SUSPEND_TIME => 1,
};

# Seconds after which a job is none of those that are over at once: what else the launcher may need is read, each package so long after
# the one before. A processor that ranks wait on has time for one; all of them at once would be taken from ranks that compute.
use constant { LATER_TIME => 1.25, LATER_STEP => 0.02 };

# Packages of launchers, and those that all parts of FTMPI share; not those that read the command line.
my $LATER = qr/^FTMPI::(?:Launcher\b|\w+\z)/;

# Seconds that a line may take when a batch system ends the job, which kills it after 30 (Slurm's KillWait) or more; when the user wants it, at least; and of -time-limit
# what is left for a line and the end: so much, or three times what the longest line has taken, but never more than a quarter of the limit
# to begin with.
use constant { TERM_TIME => 20, STOP_TIME => 600, LIMIT_LEAST => 10, LIMIT_LINES => 3, LIMIT_PART => 0.25, LIMIT_TURN => 5 };

# What FTMPI::Launcher::Job may ask for. An action that is a message to agents has its name.
my %ACTIONS = (
	start       => '_start',
	bind        => '_bind',
	keeper      => '_start_keeper',
	run         => '_run',
	rerun       => '_rerun',
	take        => '_take',
	leave_all   => sub { $_[0]{fleet}->tell_all('LEAVE_ALL', $_[1]) },
	observe_all => '_observe_all',
	save_all    => sub { my ($self, @step) = @_; $self->{fleet}->tell_all('SAVE_ALL', @step) },
	save_one    => sub { my ($self, $rank, @step) = @_; $self->_tell_home($rank, 'SAVE_ONE', $rank, @step) },
	examine     => sub { my ($self, $rank, $s) = @_; $self->_note('suspicion', rank => $rank); $self->_tell_home($rank, 'EXAMINE', $rank, int 1000 * $s) },
	fence       => sub { my ($self, $rank) = @_; $self->_tell_home($rank, 'FENCE', $rank) },
	restart_all => '_restart_all',
	drop        => sub { $_[0]{workdir}->lost($_[1]); $_[0]{fleet}->drop($_[1]) },
	dismiss     => sub { $_[0]{workdir}->lost($_[1]); $_[0]{fleet}->dismiss($_[1]) },
	kill        => sub { $_[0]{fleet}->tell_all('KILL', $_[1]) },
	say         => sub { $_[0]->_say($_[1]) },
	log         => sub { $_[0]->_step($_[1]) },
	timer       => '_timer',
	gone        => sub { $_[0]{streams}->finish(@_[ 1, 2 ]) },
	over        => '_over',
);

# plan: hosts => [{ name, local, slots, ranks }] (without ranks: a spare), size, prog => [words],
# env => [words], wdir, workdir, ssh => [words] (for the keeper), reach: FTMPI::Launcher::Reach, iface, ports => [first, last], timeout, tag, stamped, files: see FTMPI::Launcher::Streams,
# verbosity; heartbeat, timeout_heartbeat, silence in ms; starved_limit in s; settings => [words]; restart_on,
# max_restarts, from_start, debug; alone: message logging; outcome_limit: of its keeper, in bytes; keeper_hosts => [{ name, local }] for it, or undef; image: see FTMPI::Launcher::Lines (with alone FTMPI::Launcher::Checkpoints), or undef; interval: of -ckpt-interval, or undef; bind: core if the user insists on that; goes_on: { session, its name; id, its bytes; is_gone => sub, why nobody can go on there any more; places, of its ranks, by rank } that the ranks go on in from their own checkpoints (message logging), or undef; transport: tcp if that was asked for, also when the job began, or undef; restoring: words for what -restore named; expected: { session, line } of
# it; progress: a line about the job's state is wanted; auto: FTMPI::Launcher::AutoInterval, or undef; program_lines: see FTMPI::Launcher::Job; time_limit: in s, or undef; stop_after: the job ends after a line that SIGUSR2 asks for; saves_at_term: SIGTERM asks for one, too; asks_program: programs without images can be told that a line is due; record: the run record is wanted from the beginning; notes: sentences to begin with; parts => [[number of ranks, program, arguments]], for the record; injection: { faults, random } (FTMPI::Launcher::Injection), or undef; on_restored =>
# sub (session), when a job that -restore began has restored that: its parts, and sentences.
sub run
{
	my ($plan) = @_;
	my $self = bless { plan => $plan, loop => FTMPI::Loop->new, over => 0, timers => {}, events => [] }, __PACKAGE__;
	my $before = $plan->{goes_on};
	@$self{qw(began now)} = (Time::HiRes::time(), FTMPI::Loop::now());
	@$self{qw(session session_name)} = $before ? @$before{qw(id session)} : new_session($self->{began});
	$self->{secret} = _random(32);
	$self->{notes} = FTMPI::Launcher::Notes->new;
	$self->_make_parts;
	$self->_observe if $plan->{progress} || $plan->{record} || $plan->{verbosity} || $plan->{auto};
	$self->_listen_to_signals;
	$self->{loop}->after($plan->{timeout}, sub { $self->_event('timeout', $plan->{timeout}) })
		if defined $plan->{timeout};
	$self->_watch_limit if defined $plan->{time_limit};
	$self->{loop}->after(LATER_TIME, sub { $self->_read_later });
	$self->_log("session $self->{session_name}: " . FTMPI::Launcher::Sentences::count($plan->{size}, 'rank') . ' on '
			. FTMPI::Launcher::Sentences::count(scalar(() = $self->{job}->hosts->used), 'host'));
	$self->_note_start;
	$self->{observer}->begin_record if $plan->{record} && $self->{observer};
	$self->_say($_) for @{ $plan->{notes} };
	FTMPI::Launcher::EarlyAgent::discard() if !grep { $_->{local} && @{ $_->{ranks} } } @{ $plan->{hosts} };
	$self->_event('begin');
	$self->{loop}->run;
	$self->{fleet}->leave;
	$self->_clear;
	return $self->{status};
}

# What -restore can go on from stays. It is another launcher's while the keeper has not come to this one.
sub _stays
{
	my ($self) = @_;
	return 1 if $self->{plan}{goes_on} && !$self->{owns};
	return $self->_can_go_on && $self->{status} && FTMPI::RankFolders::with_checkpoint($self->{workdir}->folder);
}

sub _forget { my ($self) = @_; FTMPI::RankFolders::remove($self->{workdir}->folder); return }

sub _clear
{
	my ($self) = @_;
	my $workdir = $self->{workdir};
	my $stays   = $self->_stays;
	$self->_forget if $self->{plan}{alone} && !$stays;
	$self->{observer}->forget if $self->{observer} && !$self->{plan}{record} && !$workdir->has_lines && !$stays;
	$workdir->clear($self->{job}->epoch);
	$self->{keeper}->clear if $self->{keeper} && !$stays;
	return;
}

# Each rank may have checkpoints of its own, images or data, from which an ftmpirun to come can let it go on.
sub _can_go_on { my ($self) = @_; return $self->{plan}{alone} }

sub _read_later
{
	my ($self) = @_;
	$self->{loop}->after(LATER_STEP, sub { $self->_read_later }) if FTMPI::Later::read_one($LATER);
	return;
}

# ---- what happens ----

sub _note
{
	my ($self, $event, %fields) = @_;
	$self->{notes}->at(FTMPI::Loop::now());
	$self->{notes}->add($event, %fields);
	$self->_tell_notes;
	return;
}

# Nobody is told before somebody wants to know: an ordinary start does not wait for perl to compile who is.
sub _tell_notes
{
	my ($self) = @_;
	my $observer = $self->{observer} // return;
	$observer->take(@$_) for $self->{notes}->take;
	return;
}

sub _note_start
{
	my ($self) = @_;
	my ($plan, $hosts) = ($self->{plan}, $self->{plan}{hosts});
	my %start = (
		v          => 1,
		version    => FTMPI::Version::NUMBER,
		session    => $self->{session_name},
		host       => FTMPI::Net::hostname(),
		pid        => $$,
		workdir    => $plan->{workdir},
		hosts      => _hosts(map { [ $_->{name}, $_->{slots}, @{ $_->{ranks} } ] } @$hosts),
		parts      => [ map { { ranks => $_->[0], program => $_->[1], arguments => [ @$_[ 2 .. $#$_ ] ] } } @{ $plan->{parts} } ],
		holds      => $plan->{image} ? 'images' : 'data',
		protocol   => $plan->{coord},
		interval   => $plan->{interval});
	$start{from} = { session => $plan->{expected}{session}, line => $plan->{expected}{line} } if $plan->{expected};
	$start{from} = { session => $plan->{goes_on}{session} } if $plan->{goes_on};
	$self->_note('start', %start);
	return;
}

# [name, slots, ranks] each.
sub _hosts { return [ map { my ($name, $slots, @ranks) = @$_; { name => $name, slots => $slots, ranks => \@ranks } } @_ ] }

# A session that begins at this time (in seconds): its bytes, and its name. The first 12 bits of the bytes are the part of the second, the
# others random; the name is the date and the first 32 bits. So names sort by time also where one job follows another at once.
sub new_session
{
	my ($time) = @_;
	my $hex = unpack 'H*', _random(16);
	substr $hex, 0, 3, sprintf '%03x', 4096 * ($time - int $time);
	return (pack('H*', $hex), POSIX::strftime('%Y%m%d-%H%M%S-', localtime $time) . substr $hex, 0, 8);
}

sub _random
{
	my ($n) = @_;
	open my $file, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
	my $bytes = '';
	my $got = sysread $file, $bytes, $n;
	die "/dev/urandom: too few bytes\n" if ($got // 0) != $n;
	return $bytes;
}

sub _make_parts
{
	my ($self) = @_;
	my ($plan, $loop) = @$self{qw(plan loop)};
	my @voice = (say => sub { $self->_say(@_) }, log => sub { $self->_log(@_) });
	$self->{streams} = FTMPI::Launcher::Streams->new(
		loop    => $loop,
		tag     => $plan->{tag},
		stamped => $plan->{stamped},
		files   => $plan->{files},
		has_input => sub { $self->{stdin} && !$self->{stdin}->is_over },
		make_way => sub { $self->{observer} ? $self->{observer}->make_way(@_) : $_[1] },
		on_gone => sub { $self->_output_gone(@_) },
		on_room => sub { $self->_has_room });
	$self->{job}   = $self->_make_job;
	$self->{fleet} = FTMPI::Launcher::Fleet->new(
		plan     => $plan,
		loop     => $loop,
		patience => sub { $self->{patience}->of(@_) },
		on_log   => sub { $self->_log($_[1]) },
		on_owed  => sub { $self->{owes} = 1; $self->_settle },
		on_frame => sub { $self->{inbox}->frame(@_) },
		on_lost  => sub { $self->_agent_lost(@_) });
	$self->{patience} = FTMPI::Launcher::Patience->new(
		@voice,
		loop     => $loop,
		plan     => $plan,
		job      => $self->{job},
		tell_all => sub { $self->{fleet}->tell_all(@_) },
		on_bears => sub { $self->_bears(@_) });
	$self->{workdir} = FTMPI::Launcher::Workdir->new(
		@voice,
		path    => $plan->{workdir},
		session => $self->{session_name},
		id      => $self->_can_go_on ? $self->{session} : undef,
		kind    => $plan->{image} ? 'image' : 'data',
		transport => $plan->{transport},
		kept    => $plan->{alone} ? 'checkpoint' : 'recovery line',
		ranks   => $plan->{size},
		parts   => $plan->{parts},
		tell    => sub { $self->{fleet}->tell(@_) },
		name    => sub { $self->{job}->hosts->name(@_) });
	$self->{inbox} = FTMPI::Launcher::Inbox->new(
		@voice,
		step      => sub { $self->_step(@_) },
		plan      => $plan,
		job       => $self->{job},
		event     => sub { $self->_event(@_) },
		note      => sub { $self->_note(@_) },
		on_folder => sub { $self->_has_folder },
		builds    => FTMPI::Launcher::Builds->new(accept => $plan->{accept_binary}),
		programs  => [ map { $_->[2][0] } FTMPI::Launcher::Fleet::programs($plan) ],
		streams   => $self->{streams},
		workdir   => $self->{workdir},
		stdin     => sub { $self->{stdin} },
		injected  => sub { $self->{injector}->answered(@_) if $self->{injector} });
	$self->_make_injector if $plan->{injection};
	$loop->on_late(FTMPI::StoppedProcesses::lateness($plan->{timeout_heartbeat}), sub { $self->{patience}->late($_[0]) })
		if $plan->{heartbeat} && $plan->{starved_limit};
	return;
}

sub _make_job
{
	my ($self) = @_;
	my $plan = $self->{plan};
	my ($period, $limit) = map { $plan->{$_} / 1000 } qw(heartbeat timeout_heartbeat);
	my $agent = sub { $self->{fleet}->agent($_[0]) };
	return FTMPI::Launcher::Job->new(
		hosts      => $plan->{hosts},
		on         => $plan->{restart_on},
		max        => $plan->{max_restarts},
		from_start => $plan->{from_start},
		alone      => $plan->{alone},
		debug      => $plan->{debug},
		image      => $plan->{image},
		interval   => $plan->{interval},
		program_lines => $plan->{program_lines},
		restoring  => $plan->{restoring},
		newest     => sub { scalar $self->{workdir}->newest_line },
		session    => $self->{session_name},
		notes      => $self->{notes},
		term_ranks => $plan->{term_ranks},
		silent     => sub { my $its = $agent->(@_); $its ? $its->silence : 0 },
		lenient    => sub { $self->{patience}->lenient($agent->(@_)) },
		verdict => FTMPI::Launcher::Verdict->new(
			period => $period, timeout => $limit, starved => $plan->{starved_limit}, size => $plan->{size}));
}

sub _listen_to_signals
{
	my ($self) = @_;
	my $loop = $self->{loop};
	$SIG{$_} = 'IGNORE' for qw(PIPE TTIN);
	$SIG{CHLD} = 'DEFAULT';
	$loop->on_signal('CHLD', sub { $self->_reap });
	for my $name (qw(INT TERM HUP)) {
		$loop->on_signal($name, sub { $self->_signal($name) });
	}
	$loop->on_signal('TSTP', sub { $self->_suspend });
	$loop->on_signal('USR1', sub { $self->_dump });
	$loop->on_signal('USR2', sub { $self->_wanted });
	return;
}

# ---- events and actions ----

# Events that an action brings about come after all actions of the one before.
sub _event
{
	my ($self, @event) = @_;
	push @{ $self->{events} }, \@event;
	return if $self->{acting};
	local $self->{acting} = 1;
	while (my $next = shift @{ $self->{events} }) {
		$self->{job}->at(FTMPI::Loop::now());
		for my $action ($self->{job}->event(@$next)) {
			my ($name, @arguments) = @$action;
			my $method = $ACTIONS{$name};
			$self->$method(@arguments);
		}
		$self->_tell_notes;    # which may bring about another event
	}
	return;
}

sub _timer
{
	my ($self, $name, $seconds, @data) = @_;
	$self->{loop}->cancel($self->{timers}{$name}) if $name =~ /^(?:leave|line_due|rank_due|rank_late)\z/;
	$self->{timers}{$name} = $self->{loop}->after($seconds, sub { $self->_event($name, @data) });
	return;
}

sub _say
{
	my ($self, $text) = @_;
	$self->{streams}->put(2, "ftmpirun: $text\n");
	return;
}

# With -vv.
sub _log
{
	my ($self, $text) = @_;
	$self->_say($text) if $self->{plan}{verbosity} > 1;
	return;
}

# A log that says how far a restart is.
sub _step
{
	my ($self, $text) = @_;
	my $since = $self->{job}->recovery->since;
	$text .= sprintf ' (%.0f ms after the failure was noticed)', 1000 * (FTMPI::Loop::now() - $since)
		if defined $since;
	$self->_log($text);
	return;
}

# ---- agents ----

sub _start
{
	my ($self, $index) = @_;
	return if eval { $self->{fleet}->start($index); 1 };
	die $@ if !ref $@;
	$self->_event('host_lost', $index, $@->text, 0);
	return;
}

# ---- ranks ----

# Where no address fits, the hosts that are to blame are done without, if there are others.
sub _bind
{
	my ($self, @orders) = @_;
	my $fleet = $self->{fleet};
	return if eval { $fleet->bind(\@orders, $self->{job}->hosts->used); 1 };
	die $@ if !ref $@;
	my $text  = $@->text;
	my %unfit = map { $_ => $fleet->unfit($_) } map { $_->[0] } @orders;
	my @unfit = grep { defined $unfit{$_} } sort { $a <=> $b } keys %unfit;
	$self->_event('unfit', $_, $unfit{$_}) for @unfit;
	$self->_event('cannot', $text) if !@unfit;
	return;
}

# All ranks have called MPI_Init.
sub _observe_all
{
	my ($self, $epoch) = @_;
	$self->{fleet}->tell_all('OBSERVE_ALL', $epoch);
	$self->{injector}->begin if $self->{injector};
	return;
}

# What ranks of the epoch before have left of a line is finished; rank 0 reads again what it had read, unless the image of its
# process has that.
sub _run
{
	my ($self, $epoch) = @_;
	my ($plan, $hosts) = ($self->{plan}, $self->{job}->hosts);
	$self->_step('all are told to run') if $epoch;
	$self->{streams}->finish;
	my @places = $self->{fleet}->place(sub { $hosts->ranks($_[0]) }, $hosts->used);
	$self->{workdir}->begin_alone(@places) if $self->_can_go_on;
	$self->_has_folder if $plan->{goes_on};
	$self->_note('run', epoch => $epoch, hosts => _hosts(map { [ $hosts->name($_), $plan->{hosts}[$_]{slots}, $hosts->ranks($_) ] } $hosts->used));
	my @incarnations = $plan->{goes_on} ? 'incarnations=' . join ',', $self->{job}->incarnations : ();
	$self->{injector}->before_run($epoch) if $self->{injector};
	$self->{fleet}->run(sub { $hosts->ranks($_[0]) }, $self->_run_head($epoch, @incarnations), $hosts->used);
	if ($self->{stdin}) {
		$self->_rewind_input;
		return;
	}
	$self->{stdin} = FTMPI::Launcher::Stdin->new(
		loop     => $self->{loop},
		keep     => $plan->{image} || $plan->{restart_on} ne 'none' && $plan->{max_restarts},
		on_bytes => sub { $self->_tell_home(0, 'STDIN', $_[0]) },
		on_end   => sub { $self->_tell_home(0, 'STDIN_END') },
		on_lost  => sub { $self->{job}->recovery->input_lost($_[0]) },
		on_gone  => sub { $self->_event('cannot', FTMPI::Launcher::Sentences::input_gone($_[0])) },
		awaited  => $plan->{image} && (defined $plan->{restoring} || $plan->{goes_on}),
		on_sums  => $plan->{image} ? sub { $self->{workdir}->keep_input_sums($_[0]) } : undef,
		on_short => sub { $self->_say(FTMPI::Launcher::Sentences::input_short(@_)) },
		on_other => sub { $self->_event('cannot', FTMPI::Launcher::Sentences::input_other(@_)) },
		on_unsure => sub { $self->_say(FTMPI::Launcher::Sentences::input_unsure($_[0])) });
	return;
}

# The head and the settings of RUN; more: settings.
sub _run_head
{
	my ($self, $epoch, @more) = @_;
	my $plan = $self->{plan};
	my @settings = (@{ $plan->{settings} }, "restarts=$epoch", $self->_expected);
	push @settings, map { "keeper=$_" } $self->{keeper} ? $self->_keeper_at : ();
	push @settings, 'remote-keeper=1' if $self->{keeper} && !$self->{keeper}->host->is_here;
	return ([ @$self{qw(session secret)}, $epoch, $plan->{size}, $plan->{verbosity} > 1 ? $plan->{verbosity} - 1 : 0, $plan->{workdir}, $self->{session_name} ], [ @settings, @more ]);
}

# What lines the ranks are to find, and whether the job may do without.
sub _expected
{
	my ($self) = @_;
	my $line = $self->{job}->recovery->line // return;
	return ("committed=$line", $self->{plan}{from_start} ? 'from-start=1' : ());
}

# The agent that has this rank.
sub _tell_home
{
	my ($self, $rank, @message) = @_;
	$self->{fleet}->tell($self->{job}->hosts->home($rank), @message);
	return;
}

# ---- output ----

# Output was written, or its reader is gone.
sub _has_room
{
	my ($self) = @_;
	$self->_stop_if_done if $self->{over};
	$self->_settle       if $self->{owes};
	return;
}

# Give the agents credit for what has gone on, in large pieces.
sub _settle
{
	my ($self) = @_;
	return if $self->{streams}->queued > OUTPUT_MAX;
	$self->{owes} = 0;
	$self->{fleet}->settle;
	return;
}

# ---- the end ----

# The status is known: the agents are told to leave.
sub _over
{
	my ($self, $status) = @_;
	@$self{qw(over status)} = (1, $status);
	$self->{injector}->finish if $self->{injector};
	$self->_output_gone(1, @$_[ 1, 2 ]) for grep { $_->[0] eq 'output_gone' } @{ $self->{events} };    # the job does not hear of it any more
	$self->_note('end', status => $self->{status}, why => $self->{job}->why);
	$self->{observer}->finish if $self->{observer};
	if ($self->{plan}{alone} && !$self->_stays) {
		$self->_forget;    # before the keeper ends: another launcher may wait for that
	} else {
		$self->{workdir}->keep_record([ $status, time, $self->{job}->why ]);
	}
	$self->{stdin}->close if $self->{stdin};
	$self->{streams}->finish;
	$self->{fleet}->dismiss_all;
	$self->{keeper}->close(!$self->_stays) if $self->{keeper};
	$self->{loop}->after(LEAVE_TIME, sub { $self->_abandon; $self->_stop_if_done });
	$self->_stop_if_done;
	return;
}

sub _reap
{
	my ($self) = @_;
	for my $child ($self->{fleet}->reap) {
		$self->{keeper}->ended(@$child) if $self->{keeper};
	}
	$self->_stop_if_done;
	return;
}

sub _stop_if_done
{
	my ($self) = @_;
	$self->{loop}->stop if $self->{over} && !$self->{streams}->queued && $self->{fleet}->is_gone
		&& (!$self->{keeper} || $self->{keeper}->is_gone);
	return;
}

1;
