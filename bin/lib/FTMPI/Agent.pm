# SPDX-License-Identifier: BSD-3-Clause
#
# The agent: what ftmpirun runs on each host. It binds the listening sockets of its ranks, starts
# them, carries their output and news to the launcher and its orders to them, and tells how each
# ended. When the launcher is gone, or silent for too long, it kills them and leaves; when it is gone
# itself, its guard does (FTMPI::Agent::Sweep). Standard input and output are the channel to the launcher.
#
# A launcher that breaks the control protocol counts as gone.
package FTMPI::Agent;

use strict;
use warnings;

use POSIX ();

use FTMPI::Agent::Examiner       ();
use FTMPI::FixedAddresses ();
use FTMPI::Agent::Injection      ();
use FTMPI::Agent::ForeignMpi     ();
use FTMPI::Agent::Listeners      ();
use FTMPI::Agent::Pipes          ();
use FTMPI::Agent::Program        ();
use FTMPI::Agent::Ranks          ();
use FTMPI::Agent::Spawn          ();
use FTMPI::Agent::Sweep          ();
use FTMPI::Agent::Watchdog       ();
use FTMPI::Address                ();
use FTMPI::Channel               ();
use FTMPI::Condition             ();
use FTMPI::Control               ();
use FTMPI::Lateness              ();
use FTMPI::Loop                  ();
use FTMPI::Net                   ();
use FTMPI::Probe                 ();
use FTMPI::Processors            ();
use FTMPI::StoppedProcesses      ();
use FTMPI::Wire                  ();

# Seconds for the last words.
use constant FAREWELL => 2;

# What a field of a message holds.
use constant U32_MAX => 0xffffffff;

# Linux; POSIX does not have them: to be told of children that go on, and the status of such.
use constant { WCONTINUED => 8, CONTINUED => 0xffff };

my %HANDLERS = (
	SETUP       => \&_setup,
	OPEN        => \&_open,
	BIND        => \&_bind,
	RUN         => \&_run,
	PART        => sub { my ($self, @part) = @_; push @{ $self->{parts} }, \@part },
	STDIN       => sub { $_[0]{ranks}->input($_[1]) },
	STDIN_END   => sub { $_[0]{ranks}->input_end },
	KILL        => sub { $_[0]{ranks}->kill_all($_[1]) },
	SUSPEND     => \&_suspend,
	PROBE       => sub { $_[0]{probe}->obey(@_[ 1 .. 3 ]) },
	CREDIT      => sub { $_[0]{pipes}->credit($_[1]) },
	PING        => sub { $_[0]->_tell('PONG') },
	END         => \&_leave,
	RESTART_ALL => \&_restart,
	FENCE       => sub { $_[0]{ranks}->fence($_[1]) },
	OBSERVE_ALL => sub { $_[0]{ranks}->order('OBSERVE', $_[1]) },
	DUMP_ALL    => sub { $_[0]{ranks}->order('DUMP', $_[1]) },
	SAVE_ALL    => sub { my ($self, @save) = @_; $self->{ranks}->order('SAVE', @save) },
	SAVE_ONE    => sub { my ($self, @save) = @_; $self->{ranks}->save_one(@save) },
	LEAVE_ALL   => sub { $_[0]{ranks}->order('LEAVE', $_[1]) },
	RERUN       => \&_rerun,
	MOVED_ALL   => \&_moved,
	EXAMINE     => \&_examine,
	PATIENCE    => sub { $_[0]{patience} = $_[1] },
	PIECE       => \&_piece,
	INJECT      => \&_inject,
);

# is_alone: there is nobody in its session but whom it starts. (Others may have come by a login script, whose processes its session has.)
sub main
{
	my ($is_alone) = @_;
	my $self = bless { loop => FTMPI::Loop->new }, __PACKAGE__;
	FTMPI::Processors::give_way();
	$self->{session} = FTMPI::Agent::Sweep::own_session();
	my $mark = FTMPI::Agent::Sweep::mark();
	$self->{guard} = FTMPI::Agent::Sweep::guard($self->{session}, $mark) if $self->{session};
	$self->{adopts} = FTMPI::Agent::Sweep::adopt_orphans();
	$self->{mark} = $mark if !$self->{adopts};
	$self->{knows_all} = $is_alone && $self->{adopts};
	FTMPI::Loop::call_myself('ftmpi-agent');
	# a rank is none of the processes of the step that the agent, or ftmpirun, may have been started in
	delete @ENV{ grep { /^(?:PMIX?_|SLURM_(?:PROCID|LOCALID|GTIDS|STEP))/ } keys %ENV };
	my ($in, $out) = _take_streams();
	$SIG{PIPE} = 'IGNORE';
	$SIG{CHLD} = 'DEFAULT';
	$self->{loop}->on_signal('CHLD', sub { $self->_reap });
	$self->{loop}->on_signal($_, sub { $self->_vanish }) for qw(INT TERM HUP QUIT);
	$self->_make_parts;
	$self->{channel} = FTMPI::Channel->new(
		loop     => $self->{loop},
		in       => $in,
		out      => $out,
		on_frame => sub { $self->_obey(@_) },
		on_end   => sub { $self->_vanish });
	$self->{channel}->send_bytes(FTMPI::Control::GREETING);
	$self->{loop}->run;
	return;
}

sub _make_parts
{
	my ($self) = @_;
	my @common = (loop => $self->{loop}, tell => sub { $self->_tell(@_) });
	$self->{stopped}   = FTMPI::StoppedProcesses->new;
	$self->{lateness}  = FTMPI::Lateness->new;
	$self->{examiner}  = FTMPI::Agent::Examiner->new(loop => $self->{loop});
	$self->{listeners} = FTMPI::Agent::Listeners->new;
	$self->{pipes}     = FTMPI::Agent::Pipes->new(@common);
	$self->{probe}     = FTMPI::Probe->new(@common);
	$self->{ranks}     = FTMPI::Agent::Ranks->new(@common,
		map { $_ => $self->{$_} } qw(session listeners pipes));
	$self->{foreign} = FTMPI::Agent::ForeignMpi->new(@common, map { $_ => $self->{$_} } qw(session ranks));
	$self->{injection} = FTMPI::Agent::Injection->new(@common,
		ranks   => $self->{ranks},
		channel => sub { $self->{channel}->input },
		sweep   => sub { $self->_kill_all });
	return;
}

# The channel moves away from 0 and 1, so that no rank inherits it.
sub _take_streams
{
	open my $in,  '<&', \*STDIN  or die "dup: $!\n";
	open my $out, '>&', \*STDOUT or die "dup: $!\n";
	open STDIN,  '<', '/dev/null' or die "/dev/null: $!\n";
	open STDOUT, '>', '/dev/null' or die "/dev/null: $!\n";
	return ($in, $out);
}

sub _tell
{
	my ($self, @message) = @_;
	$self->{channel}->send_bytes(FTMPI::Control::encode(@message));
	return;
}

sub _obey
{
	my ($self, $type, $body) = @_;
	my ($name, @fields) = eval { FTMPI::Control::decode('launcher', $type, $body) };
	if (!defined $name) {
		$self->_disobey($@);
		return;
	}
	$HANDLERS{$name}->($self, @fields);
	return;
}

# Bytes of frames that came in pieces. None of these is a piece.
sub _piece
{
	my ($self, $bytes) = @_;
	my $wire = $self->{pieces} //= FTMPI::Wire->new;
	return $self->_disobey('a PIECE in a PIECE') if $self->{in_piece};
	local $self->{in_piece} = 1;
	$wire->feed($bytes);
	while (my ($type, $body) = $wire->next_frame) {
		$self->_obey($type, $body);
	}
	$self->_disobey($wire->error) if defined $wire->error;
	return;
}

# The launcher cannot mean that: as if it were gone.
sub _disobey
{
	my ($self, $why) = @_;
	chomp $why;
	print STDERR "ftmpirun: the agent got $why\n";
	$self->{channel}->refuse($why);
	return;
}

sub _setup
{
	my ($self, $credit, $silence, $most) = @_;
	@$self{qw(patience patience_most)} = (0, $most);
	$self->{pipes}->credit($credit);
	$self->{silence} = FTMPI::Agent::Watchdog->new(
		loop      => $self->{loop},
		ms        => $silence,
		heard     => sub { $self->{channel}->heard },
		allowed   => sub { $self->_patience },
		excused   => sub { $self->_is_launcher_starved },
		most_excused => $most,
		on_silent => sub { $self->_give_up($silence) });
	my $interfaces = FTMPI::Net::interfaces();
	$self->_tell(
		'HERE', FTMPI::Processors::at_once(), _arrived($interfaces),
		[ map { $_->[0] } @$interfaces ],
		[ map { $_->[1] } @$interfaces ]);
	return;
}

# The address of this host at which what started the agent came here, or ''. A batch system may have handed on the SSH_CONNECTION of
# another host.
sub _arrived
{
	my ($interfaces) = @_;
	my $launcher = $ENV{SLURM_LAUNCH_NODE_IPADDR};
	my $towards = defined $launcher && FTMPI::Address::family($launcher) ? FTMPI::Net::source_towards($launcher) : undef;
	return $towards if defined $towards;
	my (undef, undef, $arrived) = split ' ', $ENV{SSH_CONNECTION} // '';
	my $its = FTMPI::Address::normal($arrived // '');
	return (grep { FTMPI::Address::normal($_->[1]) eq $its } @$interfaces) ? $arrived : '';
}

# What the job begins with is kept, and told, before anything of it runs.
sub _open
{
	my ($self, $wdir, $env, $names) = @_;
	my @programs;
	local %ENV = %ENV;    # one part of the job has nothing of another's
	@programs = map { $self->_program($wdir, $_) } @$names if !defined FTMPI::Agent::Spawn::enter($env, $wdir);
	$self->_tell('OPENED', [ map { $_->path // '' } @programs ], [ map { $_->id } @programs ]);
	return;
}

sub _program
{
	my ($self, $wdir, $name) = @_;
	my $where = join "\0", $wdir, $name, $ENV{PATH} // ();
	return $self->{programs}{$where} //= FTMPI::Agent::Program->hold($name, $wdir);
}

sub _bind
{
	my ($self, @how) = @_;
	my $listeners = $self->{listeners};
	if (my @ports = $listeners->bind(@how)) {
		$self->_tell('PORTS', \@ports);
		return;
	}
	my $why = $listeners->why
		// "cannot listen on a port at $how[0]: " . FTMPI::Agent::Spawn::system_reason();
	$self->_tell('UNFIT', $why);
	return;
}

sub _run
{
	my ($self, @fields) = @_;
	my %run;
	@run{qw(session secret epoch size verbosity workdir session_name)} = splice @fields, 0, 7;
	@run{qw(ranks wdir argv env settings table)} = @fields;
	my @parts = splice @{ $self->{parts} //= [] };
	_take_settings(\%run);
	my $wrong = $self->{ranks}->refuses(\%run)
		// $self->{listeners}->assign($run{table}, @{ $run{ranks} });
	if (defined $wrong) {
		$self->_disobey($wrong);
		return;
	}
	if (defined(my $why = $self->{listeners}->reopen // $self->_prepare(\%run, @parts))) {
		$self->_tell('UNFIT', $why);
		return;
	}
	$self->{stop_limit} = FTMPI::StoppedProcesses::limit(@{ $run{settings} });
	$self->{loop}->on_late(FTMPI::StoppedProcesses::lateness($self->{stop_limit}), sub { $self->_late($_[0]) })
		if $self->{stop_limit};
	$self->{ranks}->run(\%run);
	$self->{foreign}->watch;
	return;
}

# Those that are for the agent; ranks are not told of them.
sub _take_settings
{
	my ($run) = @_;
	my %own = map { /^(pty|bind|fixed-addresses|printed|output-repeat|remote-keeper)=(.*)/s ? ($1 => $2) : () } @{ $run->{settings} };
	$run->{settings} = [ grep { !/^(?:pty|bind|fixed-addresses|printed|output-repeat|remote-keeper)=/ } @{ $run->{settings} } ];
	$run->{pty}   = ($own{pty}  // '') eq '1';
	$run->{remote_keeper} = $own{'remote-keeper'};
	$run->{output_repeat} = ($own{'output-repeat'} // '') eq '1';
	$run->{bind}  = ($own{bind} // '') =~ /^(auto|core)\z/ ? $1 : 'none';
	$run->{stack} = FTMPI::FixedAddresses::stack_of($own{'fixed-addresses'});
	$run->{image} = grep { $_ eq 'image=1' } @{ $run->{settings} };
	$run->{printed} = { map { /^([0-9]{1,9}):([0-9]{1,15})((?::[0-9]{1,10}=[0-9]{1,15})*)\z/ ? ($1 => [ $2, $3 ]) : () } split /,/, $own{printed} // '' };
	$run->{alone} = grep { $_ eq 'coord=msglog' } @{ $run->{settings} };
	return;
}

# Why ranks cannot be run here, or nothing.
sub _prepare
{
	my ($self, $run, @parts) = @_;
	my $fixed = $run->{stack} && FTMPI::FixedAddresses::refuses($run->{stack});
	return $fixed if $fixed;
	FTMPI::Agent::Spawn::set_environment(@{ $run->{env} });
	return $self->_prepare_program($run, []) if !@parts;
	for my $number (0 .. $#parts) {
		my %part = (number => $number);
		@part{qw(first n wdir argv own_env)} = @{ $parts[$number] };
		push @{ $run->{parts} }, \%part;
		my $end = $part{first} + $part{n};
		next if !grep { $_ >= $part{first} && $_ < $end } @{ $run->{ranks} };
		my $why = $self->_prepare_program(\%part, $part{own_env});
		return $why if defined $why;
	}
	return;
}

# The same of one program, of those that a job of several parts has.
sub _prepare_program
{
	my ($self, $part, $env) = @_;
	local %ENV = %ENV;
	my $why = FTMPI::Agent::Spawn::enter($env, $part->{wdir});
	return $why if defined $why;
	$part->{program} = $self->_program($part->{wdir}, $part->{argv}[0]);
	return FTMPI::Agent::Spawn::refuses($part->{program});
}

# What was told so far is of older epochs. RESTARTING_ALL says so.
sub _restart
{
	my ($self, $epoch) = @_;
	my $wrong = $self->{ranks}->restart($epoch);
	if (defined $wrong) {
		$self->_disobey($wrong);
		return;
	}
	$self->{examiner}->forget;
	$self->_tell('RESTARTING_ALL', $epoch);
	return;
}

# One rank alone. All that was told of it so far is of its process before: the STARTED that follows says so.
sub _rerun
{
	my ($self, @what) = @_;
	my $wrong = $self->{ranks}->rerun(@what);
	$self->{examiner}->forget($what[0]);
	$self->_disobey($wrong) if defined $wrong;
	return;
}

# Ranks are at other hosts now, maybe here.
sub _moved
{
	my ($self, @where) = @_;
	my $wrong = $self->{ranks}->moved(@where);
	$self->_disobey($wrong) if defined $wrong;
	return;
}

# What is the matter with a rank that shows no life. Those that are stopped by SUSPEND are well.
sub _examine
{
	my ($self, $rank, $ms) = @_;
	my $answer = sub {
		$self->{ranks}->tell_tracer($rank) if $_[0] eq 'stopped';
		$self->_tell('CONDITION', $rank, FTMPI::Condition::number($_[0]), $_[1]);
	};
	my $pid    = $self->{ranks}->process_of($rank);
	if (!defined $pid || $self->{stopped}->paused) {
		$answer->(defined $pid ? 'runs' : 'gone', FTMPI::Agent::Examiner::load());
	} else {
		$self->{examiner}->ask($rank, $pid, $ms / 1000, $answer);
	}
	return;
}

sub _inject
{
	my ($self, @what) = @_;
	my $wrong = $self->{injection}->obey(@what);
	$self->_disobey($wrong) if defined $wrong;
	return;
}

# For how many ms the launcher may be silent because it, or we, are short of processors: what it says may
# wait here for others that are, too (sshd).
sub _patience
{
	my ($self) = @_;
	my ($told, $own) = ($self->{patience}, 1000 * $self->{lateness}->allowance(FTMPI::Loop::now()));
	my $ms = $told > $own ? $told : $own;
	return $ms < $self->{patience_most} ? $ms : $self->{patience_most};
}

# Our parent gets no processor, or waits for a disk, between this look at it and the one before: the launcher itself, or what
# brings us its words.
sub _is_launcher_starved
{
	my ($self) = @_;
	my $before = $self->{look};
	my $look = $self->{look} = FTMPI::Agent::Examiner::look(getppid);
	return $before && FTMPI::Condition::judge($before, $look) eq 'starved';
}

# A launcher that hears nothing of us shall know why.
sub _late
{
	my ($self, $seconds) = @_;
	return if !$self->{lateness}->late($seconds, FTMPI::Loop::now());
	my $ms = int 1000 * $seconds;
	$self->_tell('STRAINED', $ms < U32_MAX ? $ms : U32_MAX, FTMPI::Agent::Examiner::load());
	return;
}

# A launcher that is stopped is silent.
sub _suspend
{
	my ($self, $stop) = @_;
	$self->{ranks}->suspend($stop);
	$self->{silence}->pause($stop) if $self->{silence};
	$self->{stopped}->pause($stop);
	$self->_count_stops;
	return;
}

# Children that have ended, were stopped or go on. ($? says nothing of the last two.)
sub _reap
{
	my ($self) = @_;
	my ($ranks, $stopped) = @$self{qw(ranks stopped)};
	while ((my $pid = waitpid -1, POSIX::WNOHANG() | POSIX::WUNTRACED() | WCONTINUED) > 0) {
		my $status = ${^CHILD_ERROR_NATIVE};
		if (POSIX::WIFSTOPPED($status)) {
			$stopped->stop($pid) if $ranks->has($pid);
			next;
		}
		$stopped->go($pid);
		$ranks->reap($pid, $status) if $status != CONTINUED;
	}
	$self->_count_stops;
	return;
}

# A rank that is stopped may be one that nobody observes: we see it all the same.
sub _count_stops
{
	my ($self) = @_;
	return if $self->{counting} || !$self->{stop_limit} || !$self->{stopped}->is_counting;
	$self->{counting} = $self->{loop}->after($self->{stop_limit} / 1000 / FTMPI::StoppedProcesses::TURNS,
		sub { delete $self->{counting}; $self->_stops_turn });
	return;
}

sub _stops_turn
{
	my ($self) = @_;
	for my $due ($self->{stopped}->turn) {
		my ($pid, $limits) = @$due;
		$self->{ranks}->stopped($pid, $limits * $self->{stop_limit});
	}
	$self->_count_stops;
	return;
}

# All ranks have ended, or the launcher does not want to wait for them.
sub _leave
{
	my ($self) = @_;
	$self->_clear;
	$self->_tell('BYE');
	my $channel = $self->{channel};
	$self->{loop}->after(FAREWELL, sub { POSIX::_exit(0) });
	$self->{loop}->turn while $channel->queued && !$channel->ended;
	POSIX::_exit(0);
	return;
}

sub _give_up
{
	my ($self, $ms) = @_;
	print STDERR "ftmpirun: the agent heard nothing from ftmpirun for $ms ms: its ranks are ended\n";
	$self->_vanish;
	return;
}

# The launcher is gone.
sub _vanish
{
	my ($self) = @_;
	$self->_clear;
	POSIX::_exit(1);
	return;
}

sub _kill_all
{
	my ($self) = @_;
	$self->{ranks}->signal('KILL');
	return if !$self->{guard} || $self->{knows_all} && FTMPI::Agent::Sweep::has_only($self->{guard}{pid});
	FTMPI::Agent::Sweep::sweep(@$self{qw(session mark)}, $self->{guard}{pid});
	return;
}

sub _clear
{
	my ($self) = @_;
	$self->_kill_all;
	return if !$self->{guard};
	FTMPI::Agent::Sweep::end_children($self->{guard}{pid}) if $self->{adopts};
	$self->{ranks}->remove_unfinished;
	$self->{probe}->clear;
	FTMPI::Agent::Sweep::dismiss($self->{guard});
	return;
}

1;
