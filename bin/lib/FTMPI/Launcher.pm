# SPDX-License-Identifier: BSD-3-Clause
#
# One job from its start to its exit status. The happy path: an agent to every host; all are here;
# every agent binds the sockets of its ranks; the table of all ranks goes to every agent, which
# starts its ranks; output, input and news are carried; all ranks end; the agents leave. What every
# other course of things means is decided in FTMPI::Launcher::Job; here it is only carried out, and by
# FTMPI::Launcher::Fleet as far as agents are concerned.
package FTMPI::Launcher;

use strict;
use warnings;

use POSIX ();

use FTMPI::Condition           ();
use FTMPI::Control             ();
use FTMPI::Error               ();
use FTMPI::Lateness            ();
use FTMPI::Launcher::Builds    ();
use FTMPI::Launcher::Fleet     ();
use FTMPI::Launcher::Job       ();
use FTMPI::Launcher::Sentences ();
use FTMPI::Launcher::Stdin     ();
use FTMPI::Launcher::Streams   ();
use FTMPI::Launcher::Verdict   ();
use FTMPI::Launcher::Workdir   ();
use FTMPI::Loop                ();
use FTMPI::StoppedProcesses    ();

# Bytes of output that may wait for a slow reader before the agents get no more credit; seconds that
# agents have to leave after the job, and that the order to stop has to get on its way.
use constant {
	OUTPUT_MAX   => 1 << 20,
	LEAVE_TIME   => 3,
	SUSPEND_TIME => 1,
};

# After how long without an answer a host is lost: in seconds, when nothing could mend that, or it is this
# machine; with heartbeats in times of their timeout, while it starts its ranks, and when ranks on other
# hosts tell sooner that nothing comes from there, or it has been told to begin again.
use constant { PATIENCE => 20, STARTING => 5, OBSERVED => 3 };

my %FRAMES = (
	HERE  => sub { $_[0]->_step("host $_[2] is here"); $_[0]->_event('here', $_[1]) },
	PORTS => sub { $_[0]->_event('ports', $_[1]) },
	AGAIN => sub { $_[0]->_step("host $_[2] begins again"); $_[0]->_event('again', @_[ 1, 3 ]) },
	HELD  => \&_held,
	FAILED  => sub { $_[0]->_event('unfit', $_[1], "host $_[2]: " . FTMPI::Error::clean($_[3])) },
	STARTED => sub { $_[0]->_log("rank $_[3] on $_[2] is process $_[4]") },
	NEWS    => \&_news,
	BROKEN  => sub { $_[0]->_event('broken', @_[ 3, 4 ]) },
	CANNOT_RUN => sub { $_[0]->_event('cannot_run', $_[1], "host $_[2]: $_[4]") },
	OUT        => \&_out,
	EXITED     => sub { $_[0]->_event('exited', @_[ 3 .. 5 ], $_[0]{streams}->last_words($_[3])) },
	TRACED     => sub { $_[0]->_event('traced', $_[3], FTMPI::Error::clean("$_[5], process $_[4]")) },
	STOPPED    => sub { $_[0]->_event('stopped', @_[ 3, 4 ]) },
	FOREIGN    => sub { $_[0]->_event('foreign', @_[ 3, 4 ], FTMPI::Error::clean($_[5])) },
	CONDITION  => \&_condition,
	STRAINED   => \&_strained,
	STDIN_TAKEN  => sub { $_[0]{stdin}->taken($_[3]) if $_[0]{stdin} },
	STDIN_CLOSED => sub { $_[0]{stdin}->close if $_[0]{stdin} },
	PONG         => sub { },
	PROBED => sub { $_[0]{workdir}->answered($_[1], $_[3], FTMPI::Error::clean($_[4])) },
);

# Frames that begin with a rank, and those of rank 0: it is one of that host.
my %OF_RANK_0 = map { $_ => 1 } qw(STDIN_TAKEN STDIN_CLOSED);
my %OF_RANK = map { $_ => 1 } qw(STARTED NEWS BROKEN CANNOT_RUN OUT EXITED STOPPED TRACED FOREIGN CONDITION);

my %NEWS = (
	INITED    => sub { $_[0]->_event('inited',    $_[1]) },
	FINALIZED => sub { $_[0]->_event('finalized', $_[1]) },
	ABORTED   => sub { $_[0]->_event('aborted', @_[ 1, 2 ], FTMPI::Error::clean($_[3])) },
	LOST      => sub { $_[0]->_event('lost',    @_[ 1, 2 ], FTMPI::Error::clean($_[3])) },
	PROGRAM   => sub { $_[0]->_event('program', @_[ 1, 2 ]); $_[0]->_ask_whether_shared if $_[2] },
	LINE      => sub { $_[0]->_event('line', $_[2]); $_[0]{workdir}->keep_record },
	RESTORED  => sub { $_[0]->_restored(@_[ 2, 3 ]) },
	SUSPECT   => sub { $_[0]->_event('suspect', @_[ 1 .. 3 ]) },
	HEARD     => sub { $_[0]->_event('heard', @_[ 1, 2 ]) },
	RESTARTING => sub { },
	RUNS       => sub { $_[0]->_runs(@_[ 1 .. 3 ]) },
);

my %ACTIONS = (
	say     => sub { $_[0]->_say($_[1]) },
	log     => sub { $_[0]->_step($_[1]) },
	start   => \&_start,
	bind    => \&_bind,
	restart_all => \&_restart_all,
	run     => \&_run,
	drop    => sub { $_[0]{workdir}->lost($_[1]); $_[0]{fleet}->drop($_[1]) },
	dismiss => sub { $_[0]{workdir}->lost($_[1]); $_[0]{fleet}->dismiss($_[1]) },
	observe_all => sub { $_[0]{fleet}->tell_all('OBSERVE_ALL', $_[1]) },
	examine => sub { my ($self, $rank, $s) = @_; $self->_tell_home($rank, 'EXAMINE', $rank, int 1000 * $s) },
	fence   => sub { my ($self, $rank) = @_; $self->_tell_home($rank, 'FENCE', $rank) },
	kill    => sub { $_[0]{fleet}->tell_all('KILL', $_[1]) },
	timer   => sub { my ($self, @timer) = @_; $self->_timer(@timer) },
	gone    => sub { $_[0]{streams}->finish($_[1]) },
	over    => \&_over,
);

# plan: hosts => [{ name, local, slots, ranks }] (without ranks: a spare), size, prog => [words],
# env => [words], wdir, workdir, ssh => [words], iface, ports => [first, last], timeout, tag,
# verbosity; heartbeat, timeout_heartbeat, silence in ms; starved_limit in s; settings => [words]; restart_on,
# max_restarts, from_start, debug; restoring: words for what -restore named; expected: { session, line } of
# it; notes: sentences to begin with; parts => [[number of ranks, program, arguments]], for the record.
sub run
{
	my ($plan) = @_;
	my $self = bless { plan => $plan, loop => FTMPI::Loop->new, over => 0, timers => {}, events => [],
		lateness => FTMPI::Lateness->new }, __PACKAGE__;
	$self->_prepare;
	$self->_log("session $self->{session_name}: " . FTMPI::Launcher::Sentences::count($plan->{size}, 'rank') . ' on '
			. FTMPI::Launcher::Sentences::count(scalar(() = $self->{job}->hosts->used), 'host'));
	$self->_say($_) for @{ $plan->{notes} };
	$self->_event('begin');
	$self->{loop}->run;
	$self->{workdir}->clear($self->{job}->epoch);
	return $self->{status};
}

sub _prepare
{
	my ($self) = @_;
	my ($plan, $loop) = @$self{qw(plan loop)};
	$self->{fleet} = FTMPI::Launcher::Fleet->new(
		plan     => $plan,
		loop     => $loop,
		patience => sub { $self->_patience(@_) },
		on_log   => sub { $self->_log(@_) },
		on_frame => sub { $self->_frame(@_) },
		on_lost  => sub { $self->_lost(@_) });
	$self->{builds} = FTMPI::Launcher::Builds->new(accept => $plan->{accept_binary});
	$self->{streams} = FTMPI::Launcher::Streams->new(
		loop    => $loop,
		tag     => $plan->{tag},
		has_input => sub { $self->{stdin} && !$self->{stdin}->is_over },
		on_gone => sub { $self->_output_gone(@_) },
		on_room => sub { $self->_settle });
	@$self{qw(session secret)} = (_random(16), _random(32));
	$self->{session_name} = POSIX::strftime('%Y%m%d-%H%M%S-', localtime)
		. unpack 'H8', $self->{session};
	$self->{job} = $self->_job;
	$self->{workdir} = FTMPI::Launcher::Workdir->new(
		path    => $plan->{workdir},
		session => $self->{session_name},
		ranks   => $plan->{size},
		parts   => $plan->{parts},
		tell    => sub { $self->{fleet}->tell(@_) },
		say     => sub { $self->_say(@_) },
		log     => sub { $self->_log(@_) },
		name    => sub { $self->{fleet}->name(@_) });
	$SIG{$_} = 'IGNORE' for qw(PIPE TTIN);
	$SIG{CHLD} = 'DEFAULT';
	$loop->on_signal('CHLD', sub { $self->_reap });
	for my $name (qw(INT TERM HUP)) {
		$loop->on_signal($name, sub { $self->_signal($name) });
	}
	$loop->on_signal('TSTP', sub { $self->_suspend });
	$loop->on_signal('USR1', sub { $self->_dump });
	$loop->after($plan->{timeout}, sub { $self->_event('timeout', $plan->{timeout}) })
		if defined $plan->{timeout};
	$loop->on_late(FTMPI::StoppedProcesses::lateness($plan->{timeout_heartbeat}), sub { $self->_late($_[0]) })
		if $plan->{heartbeat} && $plan->{starved_limit};
	return;
}

sub _ask_whether_shared
{
	my ($self) = @_;
	my $hosts = $self->{job}->hosts;
	my $home = $hosts->home(0);
	return if $self->{job}->phase ne 'running';
	$self->{workdir}->ask_whether_shared($home, grep { $_ != $home } $hosts->used);
	return;
}

sub _job
{
	my ($self) = @_;
	my $plan = $self->{plan};
	my ($period, $limit) = map { $plan->{$_} / 1000 } qw(heartbeat timeout_heartbeat);
	return FTMPI::Launcher::Job->new(
		hosts      => $plan->{hosts},
		on         => $plan->{restart_on},
		max        => $plan->{max_restarts},
		from_start => $plan->{from_start},
		debug      => $plan->{debug},
		restoring  => $plan->{restoring},
		session    => $self->{session_name},
		term_ranks => $plan->{term_ranks},
		silent     => sub { $self->{fleet}->silence(@_) },
		lenient    => sub { $self->_lenient(@_) },
		verdict => FTMPI::Launcher::Verdict->new(
			period => $period, timeout => $limit, starved => $plan->{starved_limit}, size => $plan->{size}));
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
			$ACTIONS{$name}->($self, @arguments);
		}
	}
	return;
}

sub _timer
{
	my ($self, $name, $seconds, @data) = @_;
	$self->{loop}->cancel($self->{timers}{$name}) if $name eq 'leave';
	$self->{timers}{$name} = $self->{loop}->after($seconds, sub { $self->_event($name, @data) });
	return;
}

sub _say
{
	my ($self, $text) = @_;
	$self->{streams}->put(2, "ftmpirun: $text\n");
	return;
}

sub _log
{
	my ($self, $text) = @_;
	$self->_say($text) if $self->{plan}{verbosity};
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

# ---- hosts ----

sub _frame
{
	my ($self, $index, $name, @fields) = @_;
	my $rank = $OF_RANK{$name} ? $fields[0] : $OF_RANK_0{$name} ? 0 : undef;
	if (defined $rank && !$self->{job}->hosts->has($index, $rank)) {
		$self->{fleet}->refuse($index, 'it spoke of a rank that it has not');
		return;
	}
	$FRAMES{$name}->($self, $index, $self->{fleet}->name($index), @fields);
	return;
}

# What the agent found by the name of a part's program.
sub _held
{
	my ($self, $index, $host, $paths, $ids) = @_;
	my ($part, $name) = $self->{fleet}->next_held($index) or return;
	my ($path, $id) = map { $_->[0] // '' } $paths, $ids;
	return if !length $path || !length $id;
	my $why = $self->{builds}->held($host, $part, $name, $path, $id) // return;
	$self->_event('unfit', $index, FTMPI::Error::clean($why));
	return;
}

# What a rank is, in its own words.
sub _runs
{
	my ($self, $rank, $hash, $path) = @_;
	my $who = $self->{job}->hosts->who($rank);
	my $why = $self->{builds}->runs($rank, $who, FTMPI::Error::clean($path), unpack 'H*', $hash);
	$self->_event('cannot', $why) if defined $why;
	return;
}

sub _lost
{
	my ($self, $index, $why, $heard) = @_;
	my $name = $self->{fleet}->name($index);
	my $words = length $why ? " ($why)" : '';
	$self->{workdir}->lost($index);
	$self->_event('host_lost', $index, $heard ? "lost the connection to host $name$words"
		: "host $name: cannot start: $why", $heard);
	return;
}

# What the agent saw of a rank.
sub _condition
{
	my ($self, $index, undef, $rank, $number, $load) = @_;
	my $word = FTMPI::Condition::word($number);
	$self->_event('condition', $rank, $word, $word eq 'starved'
		? $self->{fleet}->starves($index, $self->{plan}{timeout_heartbeat} / 1000, $load) : undef);
	return;
}

sub _strained
{
	my ($self, $index, undef, $ms, $load) = @_;
	return if !$self->{plan}{starved_limit};
	$self->_event('strained', $index, $ms, $self->{fleet}->starves($index, $ms / 1000, $load));
	return;
}

# We are late ourselves: nobody was heard, nor heard us. The agents shall bear with us, until we are on
# time again for a while.
sub _late
{
	my ($self, $seconds) = @_;
	my ($loop, $now) = ($self->{loop}, FTMPI::Loop::now());
	my $is_news = $self->{lateness}->late($seconds, $now);
	$loop->cancel($self->{calming});
	$self->{calming} = $loop->after(FTMPI::Lateness::CALM_TIME, sub { $self->{fleet}->tell_all('PATIENCE', 0) });
	return if !$is_news;
	$self->_log(sprintf 'ftmpirun itself is late by %.0f ms', 1000 * $seconds);
	$self->{fleet}->tell_all('PATIENCE', int 1000 * $self->_limited($self->{lateness}->allowance($now)));
	return;
}

sub _limited
{
	my ($self, $seconds) = @_;
	my $limit = $self->{plan}{starved_limit};
	return $seconds < $limit ? $seconds : $limit;
}

# For how many seconds this host may be silent because it, or we, are short of processors.
sub _lenient
{
	my ($self, $index) = @_;
	my @allowed = ($self->{lateness}->allowance(FTMPI::Loop::now()), $self->{fleet}->lenient($index));
	return $self->_limited($allowed[0] > $allowed[1] ? $allowed[0] : $allowed[1]);
}

sub _patience
{
	my ($self, $index) = @_;
	my ($usual, $lenient) = ($self->_usual_patience($index), $self->_lenient($index));
	return $usual if $lenient <= $usual;
	$self->_event('bears', $index, $self->{fleet}->load($index) // 'ftmpirun itself is late')
		if $self->{fleet}->silence($index) >= $usual;
	return $lenient;
}

sub _usual_patience
{
	my ($self, $index) = @_;
	my ($job, $plan) = @$self{qw(job plan)};
	return PATIENCE if !$plan->{heartbeat} || $plan->{hosts}[$index]{local} || !$job->recovery->can_restart;
	my $unit = $plan->{timeout_heartbeat} / 1000;
	return OBSERVED * $unit if $job->phase ne 'running';
	return STARTING * $unit if $job->is_starting($index);
	return $job->hosts->used > 1 ? OBSERVED * $unit : $unit;
}

sub _start
{
	my ($self, $index) = @_;
	return if eval { $self->{fleet}->start($index); 1 };
	die $@ if !ref $@;
	$self->_event('host_lost', $index, $@->text, 0);
	return;
}

# Where no address fits, the hosts that are to blame are done without, if there are others.
sub _bind
{
	my ($self, @orders) = @_;
	my ($hosts, $fleet) = ($self->{job}->hosts, $self->{fleet});
	return if eval { $fleet->bind(\@orders, $hosts->used); 1 };
	die $@ if !ref $@;
	my $text  = $@->text;
	my %unfit = map { $_ => $fleet->unfit($_) } map { $_->[0] } @orders;
	my @unfit = grep { defined $unfit{$_} } sort { $a <=> $b } keys %unfit;
	$self->_event('unfit', $_, $unfit{$_}) for @unfit;
	$self->_event('cannot', $text) if !@unfit;
	return;
}

sub _restart_all
{
	my ($self, $index, $epoch) = @_;
	$self->{stdin}->hold if $self->{stdin};
	$self->{fleet}->tell($index, 'RESTART_ALL', $epoch);
	return;
}

# What ranks of the epoch before have left of a line is finished; rank 0 reads again what it had read.
sub _run
{
	my ($self, $epoch) = @_;
	my ($plan, $hosts) = ($self->{plan}, $self->{job}->hosts);
	$self->_step('all are told to run') if $epoch;
	$self->{streams}->finish;
	my @head = (@$self{qw(session secret)}, $epoch, @$plan{qw(size verbosity workdir)}, $self->{session_name});
	my @settings = (@{ $plan->{settings} }, "restarts=$epoch", $self->_expected);
	$self->{fleet}->run(sub { $hosts->ranks($_[0]) }, \@head, \@settings, $hosts->used);
	if ($self->{stdin}) {
		$self->{stdin}->rewind;
		return;
	}
	$self->{stdin} = FTMPI::Launcher::Stdin->new(
		loop     => $self->{loop},
		keep     => $plan->{restart_on} ne 'none' && $plan->{max_restarts},
		on_bytes => sub { $self->_tell_home(0, 'STDIN', $_[0]) },
		on_end   => sub { $self->_tell_home(0, 'STDIN_END') },
		on_lost  => sub { $self->{job}->recovery->input_lost });
	return;
}

# What lines the ranks are to find, and whether the job may do without.
sub _expected
{
	my ($self) = @_;
	my $line = $self->{job}->recovery->line // return;
	return ("committed=$line", $self->{plan}{from_start} ? 'from-start=1' : ());
}

sub _tell_home
{
	my ($self, $rank, @message) = @_;
	$self->{fleet}->tell($self->{job}->hosts->home($rank), @message);
	return;
}

# ---- ranks and output ----

sub _news
{
	my ($self, $index, undef, $rank, $type, $body) = @_;
	my ($name, @fields) = eval { FTMPI::Control::decode('rank', $type, $body) };
	if (!defined $name) {
		$self->{fleet}->refuse($index, 'it sent news that make no sense');
		return;
	}
	$NEWS{$name}->($self, $rank, @fields) if $NEWS{$name};
	return;
}

sub _out
{
	my ($self, $index, undef, $rank, $stream, $bytes) = @_;
	$self->{streams}->take($rank, $stream == 1 ? 1 : 2, $bytes);
	$self->_settle;
	return;
}

# Also the last words of a job that has ended may find nobody.
sub _output_gone
{
	my ($self, $stream, $error) = @_;
	return if $stream != 1;
	if ($self->{over}) {
		$self->_say("cannot write to standard output: $error") if $error ne '';
		$self->{status} ||= $error eq '' ? 128 + 13 : 1;
		return;
	}
	$self->_event('output_gone', $error);
	return;
}

# A line that is older than the one that was named has its reason in what ranks have said of that.
sub _restored
{
	my ($self, $number, $session) = @_;
	$session = FTMPI::Error::clean($session);
	$self->{workdir}->restored($session, $number);
	$self->_event('restored', $number, $session);
	my $expected = delete $self->{plan}{expected} // return;
	$self->_say("line $number of session $session is restored instead of line $expected->{line}.")
		if $session eq $expected->{session} && $number != $expected->{line};
	return;
}

# Give the agents credit for what has gone on, in large pieces.
sub _settle
{
	my ($self) = @_;
	$self->_stop_if_done;
	return if $self->{streams}->queued > OUTPUT_MAX;
	$self->{fleet}->settle;
	return;
}

# ---- the end ----

# A signal while the last output waits for its reader, or agents leave: no more waiting.
sub _signal
{
	my ($self, $name) = @_;
	if ($self->{over}) {
		$self->{fleet}->abandon;
		$self->{loop}->stop;
		return;
	}
	$self->_event('signal', $name);
	return;
}

# Ctrl-Z: the ranks, which have no terminal, are stopped by their agents; then we are. What follows
# the kill is done when somebody lets us go on.
sub _suspend
{
	my ($self) = @_;
	my $loop = $self->{loop};
	my $late = 0;
	$self->{fleet}->tell_all('SUSPEND', 1);
	my $timer = $loop->after(SUSPEND_TIME, sub { $late = 1 });
	$loop->turn while !$late && $self->{fleet}->is_telling;
	$loop->cancel($timer);
	kill 'STOP', $$;
	$loop->forgive;
	$self->{fleet}->tell_all('SUSPEND', 0);
	return;
}

# SIGUSR1: what ranks wait for, in their own words.
sub _dump
{
	my ($self) = @_;
	my $job = $self->{job};
	if (!$self->{plan}{dump}) {
		$self->_say('SIGUSR1 has no effect: ranks print their queues when the job is started with -dump.');
	} elsif ($job->phase ne 'running') {
		$self->_say('SIGUSR1 has no effect now: no ranks run.');
	} else {
		$self->_log('the ranks are told to print their queues');
		$self->{fleet}->tell_all('DUMP_ALL', $job->epoch);
	}
	return;
}

# The status is known: the agents are told to leave.
sub _over
{
	my ($self, $status) = @_;
	@$self{qw(over status)} = (1, $status);
	$self->{workdir}->keep_record([ $status, time, $self->{job}->why ]);
	$self->{stdin}->close if $self->{stdin};
	$self->{streams}->finish;
	$self->{fleet}->dismiss_all;
	$self->{loop}->after(LEAVE_TIME, sub { $self->{fleet}->abandon; $self->_stop_if_done });
	$self->_stop_if_done;
	return;
}

sub _reap
{
	my ($self) = @_;
	$self->{fleet}->reap;
	$self->_stop_if_done;
	return;
}

sub _stop_if_done
{
	my ($self) = @_;
	$self->{loop}->stop if $self->{over} && !$self->{streams}->queued && $self->{fleet}->is_gone;
	return;
}

1;
