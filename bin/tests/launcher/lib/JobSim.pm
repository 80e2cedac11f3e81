# SPDX-License-Identifier: BSD-3-Clause
#
# A job in virtual time: the real FTMPI::Launcher::Job, with FTMPI::Launcher::HostTable, FTMPI::Launcher::Placement and FTMPI::Launcher::Verdict, over
# hosts, agents and ranks that are made up here and struck by whatever the seed says. run() returns
# what was wrong, and how the job ended.
package JobSim;

use strict;
use warnings;

use FTMPI::Launcher::Job     ();
use FTMPI::Launcher::Verdict ();

# Events of one story, at most; seconds of virtual time until ranks are through; for which a rank that gets
# no processor is excused; until a user ends a job that hangs.
use constant { STEPS_MAX => 20000, WORK => 6, STARVED => 60, PATIENCE => 100 };

# class: another kind of job (AloneSim).
sub run
{
	my ($seed, $class) = @_;
	srand $seed;
	my $self = bless { now => 0, queue => [], serial => 0, wrong => [], log => [], agents => [], ran => {},
		silent => {} }, $class // __PACKAGE__;
	$self->_make_job;
	$self->_plan_faults;
	$self->_event('begin');
	my $steps = 0;
	while (my $next = $self->_pop) {
		last if $self->{over};
		$self->{now} = $next->{at};
		$next->{call}->();
		if (++$steps > STEPS_MAX) {
			$self->_wrong('it never ends');
			last;
		}
	}
	$self->_wrong('nothing is awaited, and it is not over') if !$self->{over};
	return $self;
}

sub wrong  { return @{ $_[0]{wrong} } }
sub told   { return join "\n", @{ $_[0]{log} } }
sub status { return $_[0]{status} }
sub epoch  { return $_[0]{job}->epoch }

sub _wrong { my ($self, $text) = @_; push @{ $self->{wrong} }, $text; push @{ $self->{log} }, "WRONG $text"; return }
sub _pick  { my ($from, $to) = @_; return $from + int rand $to - $from + 1 }

# ---- time ----

sub _after
{
	my ($self, $seconds, $call) = @_;
	push @{ $self->{queue} }, { at => $self->{now} + $seconds, serial => $self->{serial}++, call => $call };
	return;
}

sub _pop
{
	my ($self) = @_;
	my $queue = $self->{queue};
	my $first = 0;
	for my $i (1 .. $#$queue) {
		$first = $i if $queue->[$i]{at} < $queue->[$first]{at}
			|| ($queue->[$i]{at} == $queue->[$first]{at} && $queue->[$i]{serial} < $queue->[$first]{serial});
	}
	return @$queue ? splice @$queue, $first, 1 : undef;
}

# ---- the job ----

# Whether its program makes checkpoints is undefined if it does not speak MPI at all. A kind story has
# nothing in it that cannot be mended: it must end well.

sub _make_job
{
	my ($self) = @_;
	my $count = _pick(1, 5);
	my @hosts = map { { name => "h$_", slots => _pick(1, 3), ranks => [], local => $_ == 1 && rand() < 0.5 } }
		1 .. $count;
	my ($n, $h) = (0, 0);
	for my $host (@hosts[ 0 .. _pick(0, $#hosts) ]) {
		push @{ $host->{ranks} }, $n++ for 1 .. $host->{slots};
	}
	@$self{qw(n hosts up)} = ($n, \@hosts, [ (1) x $count ]);
	$self->{uses} = (0, undef, (1) x 8)[ rand 10 ];
	$self->{kind} = rand() < 0.3;
	$self->{uses} = 1 if $self->{kind};
	$self->{limit} = rand() < 0.2 ? 0 : STARVED;
	$self->{image} = { interval => 0.1 + rand 2, patience => 1, waits => rand() < 0.7 } if rand() < 0.3;
	$self->_settle;
	$self->{job} = FTMPI::Launcher::Job->new(
		hosts => \@hosts,
		on    => $self->{kind} ? 'failure' : (qw(failure failure failure crash any none))[ rand 6 ],
		max   => $self->{kind} ? 1000 : _pick(0, 4),
		from_start => rand() < 0.1,
		session    => 's',
		image      => $self->{image},
		alone      => $self->{alone},
		silent     => sub { $self->{silent}{ $_[0] } // 0 },
		lenient    => sub { $self->{now} - ($self->{starved}{ $_[0] } // -99) < 10 ? $self->{limit} : 0 },
		verdict    => FTMPI::Launcher::Verdict->new(period => 0.1, timeout => 1, size => $n, starved => $self->{limit}));
	return;
}

# What else is chosen of a job.
sub _settle { return }

# Which process of this rank counts: that of the epoch.
sub _life { my ($self) = @_; return $self->{job}->epoch }

sub _event
{
	my ($self, @event) = @_;
	push @{ $self->{log} }, sprintf '%.3f %s', $self->{now}, join ' ', map { $_ // '-' } @event;
	$self->{job}->at($self->{now});
	my @actions = $self->{job}->event(@event);
	for my $action (@actions) {
		my ($name, @data) = @$action;
		push @{ $self->{log} }, "\t$name " . join ' ', map { ref ? "[@$_]" : $_ // '-' } @data;
		$self->_wrong("$name after the end") if $self->{over};
		my $method = "_do_$name";
		$self->$method(@data);
	}
	return;
}

sub _do_log   { return }

# Who gets no processor is not taken for one that cannot be heard.
sub _do_say
{
	my ($self, $text) = @_;
	$self->_check_blame($1, $text) if $text =~ /^rank (\d+) on \S+ is not heard by/;
	return;
}

sub _do_gone  { return }
sub _do_timer { my ($self, $name, $seconds, @data) = @_; return $self->_after($seconds, sub { $self->_event($name, @data) }) }

sub _do_over
{
	my ($self, $status) = @_;
	@$self{qw(over status)} = (1, $status);
	$self->_wrong('an end without a status') if !defined $status;
	$self->_wrong("a kind story ends with status $status") if $self->{kind} && $status;
	return if $status;
	my $ranks = $self->{ran}{ $self->{job}->epoch }{ranks};
	$self->_wrong('a good end of ranks that are not through') if grep { !$_->{done} } values %$ranks;
	return;
}

# ---- agents: { host, here, bound => {rank}, alive => {rank}, epoch } ----

# A message of an agent arrives after a moment, in order, if it still counts then.
sub _from_agent
{
	my ($self, $agent, $delay, @event) = @_;
	my $at = $self->{now} + $delay;
	$at = $agent->{last} if $at < ($agent->{last} // 0);
	$agent->{last} = $at;
	$self->_after($at - $self->{now}, sub {
		return if ($self->{agents}[ $agent->{host} ] // 0) != $agent;
		$agent->{told} = $event[2] if $event[0] eq 'restarting_all';
		$agent->{bound}{$_} = 2 for $event[0] eq 'ports' ? @{ shift @{ $agent->{asked} } } : ();
		$self->_event(@event);
	});
	return;
}

sub _do_start
{
	my ($self, $host) = @_;
	$self->_wrong("a second agent for $host") if $self->{agents}[$host];
	my $agent = $self->{agents}[$host] = { host => $host, bound => {}, alive => {}, fresh => 1 };
	if (!$self->{up}[$host] || (!$self->{kind} && rand() < 0.05)) {
		$self->_from_agent($agent, rand 3, 'host_lost', $host, 'cannot start', 0);
		return;
	}
	$agent->{here} = 1;
	$self->_from_agent($agent, 0.01 + rand 0.3, 'here', $host);
	return;
}

sub _do_bind
{
	my ($self, @orders) = @_;
	for my $order (@orders) {
		my ($host, @ranks) = @$order;
		my $agent = $self->{agents}[$host];
		if (!$agent || !$agent->{here}) {
			$self->_wrong("sockets on $host, which has no agent");
			next;
		}
		for my $rank (@ranks) {
			$self->_wrong("rank $rank is bound twice on $host") if $agent->{bound}{$rank}++;
		}
		push @{ $agent->{asked} }, \@ranks;
		next if !$self->{up}[$host];
		my @answer = !$self->{kind} && rand() < 0.02 ? ('unfit', $host, 'no port') : ('ports', $host);
		$self->_from_agent($agent, rand 0.05, @answer);
	}
	return;
}

sub _do_restart_all
{
	my ($self, $host, $epoch) = @_;
	my $agent = $self->{agents}[$host];
	if (!$agent) {
		$self->_wrong("a restart on $host, which has no agent");
		return;
	}
	$self->_old_news($agent) if rand() < 0.3;
	return if !$self->{up}[$host];
	$agent->{alive} = {};
	$self->_from_agent($agent, rand() < 0.1 ? rand 3 : rand 0.02, 'restarting_all', $host, $epoch);
	return;
}

# What ranks did before they heard of the restart.
sub _old_news
{
	my ($self, $agent) = @_;
	for my $rank (grep { rand() < 0.5 } sort keys %{ $agent->{alive} }) {
		my @news = ([ 'exited', $rank, 0, 9 ], [ 'exited', $rank, 3, 0 ], [ 'aborted', $rank, 1, '' ],
			[ 'lost', $rank, 0, 'x' ], [ 'finalized', $rank ], [ 'line', 1 ], [ 'suspect', $rank, 0, 1000 ], [ 'stopped', $rank, 1000 ],
			[ 'inited', $rank ], [ 'broken', $rank, 'x' ],
			[ 'held', $rank, 1, '' ], [ 'saved', $rank, 1, 1 ]);
		$self->_from_agent($agent, rand 0.01, @{ $news[ rand @news ] });
	}
	return;
}

sub _do_drop    { my ($self, $host) = @_; $self->{agents}[$host] = undef; return }
sub _do_dismiss { my ($self, $host) = @_; $self->{agents}[$host] = undef; return }

sub _do_run
{
	my ($self, $epoch) = @_;
	my $hosts = $self->{job}->hosts;
	$self->_wrong("epoch $epoch runs twice") if $self->{ran}{$epoch};
	$self->_wrong("epoch $epoch after a later one") if grep { $_ > $epoch } keys %{ $self->{ran} };
	my %place;
	for my $host (0 .. $hosts->count - 1) {
		push @{ $place{$_} }, $host for $hosts->ranks($host);
	}
	for my $rank (0 .. $self->{n} - 1) {
		my @at = @{ $place{$rank} // [] };
		$self->_wrong("rank $rank is at [@at]") if @at != 1 || $at[0] != $hosts->home($rank);
		$self->_check_place($rank, $at[0], $epoch);
	}
	delete $self->{held};
	my $run = $self->{ran}{$epoch} = { ranks => {} };
	$run->{ranks}{$_} = { host => $hosts->home($_) } for 0 .. $self->{n} - 1;
	$self->_start_rank($epoch, $_) for 0 .. $self->{n} - 1;
	$self->_after(0.5 + rand 2, sub { $self->_make_line($epoch, 1) }) if $self->{uses};
	return;
}

sub _check_place
{
	my ($self, $rank, $host, $epoch) = @_;
	my $agent = $self->{agents}[$host];
	my $state = $self->{job}->hosts->state($host);
	$self->_wrong("rank $rank on host $host, which is $state") if $state ne 'well';
	$self->_wrong("rank $rank on host $host, which has no agent") if !$agent || !$agent->{here};
	$self->_wrong("rank $rank has no socket on host $host") if ($agent->{bound}{$rank} // 0) != 2;
	$self->_wrong("host $host has not begun again") if !$agent->{fresh} && ($agent->{told} // 0) != $epoch;
	return;
}

# ---- ranks ----

sub _start_rank
{
	my ($self, $epoch, $rank) = @_;
	my $host  = $self->{ran}{$epoch}{ranks}{$rank}{host};
	my $agent = $self->{agents}[$host];
	$agent->{fresh} = 0;
	return if !$self->{up}[$host];
	if ($epoch && !$self->{kind} && rand() < 0.01) {
		$self->_from_agent($agent, 0.01, 'cannot_run', $host, 'no program');
		return;
	}
	$agent->{alive}{$rank} = $epoch;
	$self->_after(WORK + rand, sub { $self->_finish($epoch, $rank) });
	return if !defined $self->{uses};
	$self->_from_agent($agent, rand 0.1, 'program', $rank, $self->{uses});
	$self->_from_agent($agent, rand 0.1, 'inited', $rank);
	$self->_from_agent($agent, 0.01, 'restored', 1, 's') if $rank == 0 && $self->{uses} && rand() < 0.8;
	return;
}

# It is through, if all ranks could work together all the time.
sub _finish
{
	my ($self, $epoch, $rank) = @_;
	return if $self->{job}->epoch != $epoch || $self->{ran}{$epoch}{spoilt};
	my $entry = $self->{ran}{$epoch}{ranks}{$rank};
	my $agent = $self->{agents}[ $entry->{host} ] // return;
	return if !$self->_lives($agent, $rank, $epoch);
	$self->_from_agent($agent, 0, 'finalized', $rank) if defined $self->{uses};
	$entry->{done} = 1;
	$self->_die($agent, $rank, 0, 0);
	return;
}

sub _lives
{
	my ($self, $agent, $rank, $life) = @_;
	return $self->{up}[ $agent->{host} ] && ($agent->{alive}{$rank} // -1) == $life;
}

sub _die
{
	my ($self, $agent, $rank, $status, $signal) = @_;
	return if !defined delete $agent->{alive}{$rank};
	$self->_from_agent($agent, rand 0.05, 'exited', $rank, $status, $signal, 'words');
	return;
}

sub _make_line
{
	my ($self, $epoch, $number) = @_;
	return if $self->{job}->epoch != $epoch || $self->{ran}{$epoch}{spoilt};
	my $agent = $self->{agents}[ $self->{ran}{$epoch}{ranks}{0}{host} ] // return;
	return if !$self->_lives($agent, 0, $epoch);
	$self->_from_agent($agent, 0.01, 'line', $number);
	$self->_after(1 + rand 2, sub { $self->_make_line($epoch, $number + 1) });
	return;
}

# What its agent sees of a rank; what it runs is the program of some epoch, which may be an old one.
sub _do_examine
{
	my ($self, $rank, $seconds) = @_;
	my $host  = $self->{job}->hosts->home($rank);
	my $agent = $self->{agents}[$host] // return;
	return if !$self->{up}[$host];
	my $epoch = $agent->{alive}{$rank};
	my $state = defined $epoch ? $agent->{state}{"$rank.$epoch"} : undef;
	my $word  = !defined $epoch ? 'gone' : $state ? $state->{word} : rand() < 0.05 ? 'unknown' : 'runs';
	$self->{starved}{$host} = $self->{now} if $word eq 'starved';
	$self->_from_agent($agent, $word =~ /^(?:gone|stopped)\z/ ? 0.01 : $seconds + rand 0.1, 'condition', $rank, $word, 'much');
	return;
}

# It is not blamed too soon.
sub _check_blame
{
	my ($self, $rank, $what) = @_;
	my $agent = $self->{agents}[ $self->{job}->hosts->home($rank) ] // return;
	my $state = $agent->{state}{ "$rank." . ($agent->{alive}{$rank} // '-') } // return;
	$self->_wrong("$what: rank $rank got no processor for " . ($self->{now} - $state->{since}) . ' s only')
		if $self->{limit} && $state->{word} eq 'starved' && $self->{now} - $state->{since} < $self->{limit};
	return;
}

sub _do_fence
{
	my ($self, $rank) = @_;
	$self->_check_blame($rank, 'fenced');
	my $agent = $self->{agents}[ $self->{job}->hosts->home($rank) ] // return;
	$self->_die($agent, $rank, 0, 9) if $self->{up}[ $agent->{host} ] && rand() < 0.9;
	return;
}

# All have begun, in this epoch.
sub _do_observe_all
{
	my ($self, $epoch) = @_;
	$self->_wrong("OBSERVE of epoch $epoch in " . $self->{job}->epoch) if $epoch != $self->{job}->epoch;
	return;
}

# A step of a line: ranks that are held are let go, or told to go on, when the patience is over.
sub _do_save_all
{
	my ($self, $epoch, $n, $step) = @_;
	my $held = $self->{held};
	$self->_wrong("step $step of line $n of epoch $epoch in " . $self->{job}->epoch) if $epoch != $self->{job}->epoch;
	if ($step == 0) {
		$self->_wrong("line $n while ranks are held for $held") if defined $held;
		$self->{held} = $held = "$epoch.$n";
		$self->_answer_save($_, $epoch, 'held', $n, rand() < 0.05 ? 'why' : '') for grep { rand() < 0.99 } 0 .. $self->{n} - 1;
		$self->_after($self->{image}{patience} + 0.001, sub {
			$self->_wrong("ranks are held for line $held too long") if ($self->{held} // '') eq $held && $self->{job}->phase eq 'running';
		});
		return;
	}
	$self->_wrong("step $step of line $n, while ranks are held for " . ($held // 'none'))
		if $self->{image}{waits} && ($held // '') ne "$epoch.$n";
	delete $self->{held};
	$self->_answer_save(0, $epoch, 'saved', $n, rand() < 0.7) if $step == 1 && rand() < 0.9;
	return;
}

sub _answer_save
{
	my ($self, $rank, $epoch, @answer) = @_;
	my $agent = $self->{agents}[ $self->{job}->hosts->home($rank) ] // return;
	my $name  = shift @answer;
	$self->_from_agent($agent, rand 0.3, $name, $rank, @answer) if $self->_lives($agent, $rank, $epoch);
	return;
}

sub _do_kill
{
	my ($self, $hard) = @_;
	for my $agent (grep { $_ && $self->{up}[ $_->{host} ] } @{ $self->{agents} }) {
		$self->_die($agent, $_, 0, 15) for sort keys %{ $agent->{alive} };
	}
	return;
}

# ---- what strikes ----

my %FAULTS = (
	kill  => \&_kill_rank,
	crash => \&_crash_rank,
	fail  => \&_fail_rank,
	hang  => \&_hang_rank,
	stop  => \&_stop_rank,
	starve => \&_starve_rank,
	host  => sub { $_[0]->_lose_host },
	agent => sub { $_[0]->_lose_agent },
	link  => \&_cut_link,
	lost  => \&_lose_connection,
	user  => sub { my ($self) = @_; $self->_event('signal', 'INT') },
	time  => sub { my ($self) = @_; $self->_event('timeout', 3) },
	pipe  => sub { my ($self) = @_; $self->_event('output_gone', '') },
);
my @KIND   = qw(kill host agent hang stop starve link lost);
my @FAULTS = ((@KIND) x 4, qw(crash fail user time pipe));

sub _kind_faults { return @KIND }

sub _plan_faults
{
	my ($self) = @_;
	my @kind = $self->_kind_faults;
	for (1 .. _pick(0, 8)) {
		my $fault = $self->{kind} ? $kind[ rand @kind ] : $FAULTS[ rand @FAULTS ];
		$self->_after(1 + rand 20, sub {
			push @{ $self->{log} }, sprintf '%.3f FAULT %s', $self->{now}, $fault;
			$FAULTS{$fault}->($self) if !$self->{over};
		});
	}
	return;
}

# A rank that lives now, with its agent; none of the job can work on without it.
sub _victim
{
	my ($self, $survives) = @_;
	my @found;
	for my $agent (grep { $_ && $self->{up}[ $_->{host} ] } @{ $self->{agents} }) {
		push @found, map { [ $agent, $_ ] } grep { $agent->{alive}{$_} == $self->_life($_) } sort keys %{ $agent->{alive} };
	}
	return if !@found;
	$self->{ran}{ $self->{job}->epoch }{spoilt} = 1 if !$survives;
	return @{ $found[ rand @found ] };
}

sub _kill_rank  { my ($self) = @_; my ($agent, $rank) = $self->_victim or return; return $self->_die($agent, $rank, 0, 9) }
sub _crash_rank { my ($self) = @_; my ($agent, $rank) = $self->_victim or return; return $self->_die($agent, $rank, 0, 11) }
sub _fail_rank  { my ($self) = @_; my ($agent, $rank) = $self->_victim or return; return $self->_die($agent, $rank, 3, 0) }

# Those who would observe it, as far as they live; what they say comes about a second later.
sub _suspect
{
	my ($self, $rank, @observers) = @_;
	for my $observer (@observers) {
		my $life = $self->_life($observer);
		$self->_after(1 + rand 0.15, sub {
			my $agent = $self->{agents}[ $self->{job}->hosts->home($observer) ] // return;
			$self->_from_agent($agent, rand 0.02, 'suspect', $observer, $rank, 1000 + int rand 100)
				if $self->_lives($agent, $observer, $life);
		});
	}
	return;
}

sub _others
{
	my ($self, $rank) = @_;
	my $n = $self->{n};
	return grep { $_ != $rank } ($rank + 1) % $n, ($rank + 2) % $n;
}

# Without anybody to notice (a job of one rank, others that are through) it hangs for ever: the user ends
# it. So it is with one that is not mended.
sub _hang_rank
{
	my ($self) = @_;
	my ($agent, $rank) = $self->_victim or return;
	my @others = grep { !$self->_is_through($_) } $self->_others($rank);
	@others = () if grep { $_->{done} } values %{ $self->{ran}{ $self->{job}->epoch }{ranks} };
	if (!@others && $self->{kind}) {
		$self->_die($agent, $rank, 0, 9);
		return;
	}
	$self->_suspect($rank, @others);
	my $life = $self->_life($rank);
	$agent->{state}{"$rank.$life"} = { word => 'hung' };
	$self->_after(PATIENCE, sub { $self->_event('signal', 'INT') if $self->_life($rank) == $life });
	return;
}

# It gets no processor for a while, and beats again then, if nobody has killed it for that.
sub _starve_rank
{
	my ($self) = @_;
	my ($agent, $rank) = $self->_victim(1) or return;
	my $life   = $self->_life($rank);
	my %life   = map { $_ => $self->_life($_) } $self->_others($rank);
	my $key    = "$rank.$life";
	my $length = rand() < 0.8 ? rand 10 : rand 90;
	return if $agent->{state}{$key};
	my @others = grep { !$self->_is_through($_) } $self->_others($rank);
	$agent->{state}{$key} = { word => 'starved', since => $self->{now} };
	$self->_suspect($rank, @others) if $length > 1.2;
	$self->_after($length, sub {
		delete $agent->{state}{$key};
		for my $observer (@others) {
			my $its = $self->{agents}[ $self->{job}->hosts->home($observer) ] // next;
			$self->_from_agent($its, 0.1 + rand 0.1, 'heard', $observer, $rank) if $self->_lives($its, $observer, $life{$observer});
		}
	});
	return;
}

# Its agent tells of it each second, observers or not. The user ends a job that is not mended.
sub _stop_rank
{
	my ($self) = @_;
	my ($agent, $rank) = $self->_victim or return;
	my $life = $self->_life($rank);
	$agent->{state}{"$rank.$life"} = { word => 'stopped' };
	$self->_suspect($rank, grep { !$self->_is_through($_) } $self->_others($rank));
	$self->_after(1 + rand 0.15, sub { $self->_tell_stopped($agent, $rank, $life, 1000) });
	$self->_after(PATIENCE, sub { $self->_event('signal', 'INT') if $self->_life($rank) == $life });
	return;
}

sub _tell_stopped
{
	my ($self, $agent, $rank, $life, $ms) = @_;
	return if !$self->_lives($agent, $rank, $life);
	$self->_from_agent($agent, 0.01, 'stopped', $rank, $ms);
	$self->_after(1, sub { $self->_tell_stopped($agent, $rank, $life, $ms + 1000) });
	return;
}

# Its agent falls silent; the ranks elsewhere, and later its missing answers, tell.
sub _lose_host
{
	my ($self) = @_;
	my $host = _pick(0, $#{ $self->{up} });
	return if !$self->{up}[$host] || ($self->{kind} && !$host);
	$self->{up}[$host] = 0;
	my $epoch = $self->{job}->epoch;
	my $agent = $self->{agents}[$host];
	if ($agent) {
		my @ranks = sort keys %{ $agent->{alive} };
		$self->{ran}{$epoch}{spoilt} = 1 if @ranks;
		$self->_after(0.5, sub { $self->{silent}{$host} = 0.6 });
		$self->_suspect($_, $self->_others($_)) for @ranks;
		$self->_from_agent($agent, 3 + rand 17, 'host_lost', $host, "lost host $host", 1);
	}
	$self->_after(rand 60, sub { $self->{up}[$host] = 1; delete $self->{silent}{$host} }) if rand() < 0.5;
	return;
}

# Only the way to it; its ranks go.
sub _lose_agent
{
	my ($self) = @_;
	my ($agent) = $self->_victim or return;
	$agent->{alive} = {};
	$self->_from_agent($agent, rand 0.1, 'host_lost', $agent->{host}, "lost host $agent->{host}", 1);
	return;
}

sub _is_through { my ($self, $rank) = @_; return $self->{ran}{ $self->{job}->epoch }{ranks}{$rank}{done} }

sub _lose_connection
{
	my ($self) = @_;
	my ($agent, $rank) = $self->_victim or return;
	my ($peer) = grep { !$self->_is_through($_) } $self->_others($rank), $rank;
	return if !defined $peer;
	$self->_from_agent($agent, rand 0.1, 'lost', $rank, $peer, 'reset');
	return;
}

# Two hosts do not hear each other, as far as ranks there observe each other. It heals.
sub _cut_link
{
	my ($self) = @_;
	my $run = $self->{ran}{ $self->{job}->epoch } // return;
	my $spoilt = $run->{spoilt};
	my ($agent, $rank) = $self->_victim or return;
	my $hosts = $self->{job}->hosts;
	my ($peer) = grep { $hosts->home($_) != $agent->{host} && !$self->_is_through($_) } $self->_others($rank);
	if (!defined $peer) {
		$run->{spoilt} = $spoilt;
		return;
	}
	$self->_suspect($rank, $peer);
	$self->_suspect($peer, $rank) if rand() < 0.7;
	$self->_from_agent($agent, 2 + rand 5, 'lost', $rank, $peer, 'timed out');
	return;
}

1;
