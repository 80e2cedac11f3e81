# SPDX-License-Identifier: BSD-3-Clause
#
# The keeper of a job under message logging (doc/keeper.md): a process beside the launcher, for what has to outlive
# a rank. The happy path: it is started, says where it listens, and is there until the job is over; then its
# standard input is closed, it ends, and its folder is removed.
#
# Failure modes: it cannot be started at first: the job does not begin; when it was killed it is tried again. It
# dies later: it is started again on its files, and listens where it did; ranks find it by themselves. It is stopped, or
# hangs, so that ranks wait for it: it is asked each second, and when it does not answer it is killed (FTMPI::Launcher::Pulse).
# Another program has its port meanwhile: ranks know no other, so the job ends, and -restore goes on.
# The launcher is killed: the keeper's standard input is closed by that, and it ends. It may be on another host (-keeper-hosts),
# which ssh reaches; it ends when it hears nothing of the launcher for SILENCE seconds.
package FTMPI::Launcher::Keeper;

use strict;
use warnings;

use POSIX      qw(WEXITSTATUS WIFSIGNALED WTERMSIG);

use FTMPI::Address              ();
use FTMPI::Condition            ();
use FTMPI::Error                ();
use FTMPI::KeeperFolder         ();
use FTMPI::Launcher::Bootstrap  ();
use FTMPI::Launcher::Failure    ();
use FTMPI::Launcher::KeeperHost ();
use FTMPI::Launcher::Pulse      ();
use FTMPI::Launcher::Sentences  ();
use FTMPI::Loop                 ();
use FTMPI::Places               ();

# All timers, in seconds: until it listens for the first time; from its end to its next start, at first and at
# most; after so long it is taken to be well again; from one question to the next; on another host: until it ends as it is not asked, and
# for one that may be there still.
use constant { READY_TIME => 30, PAUSE_LEAST => 0.02, PAUSE_MOST => 1, WELL_TIME => 10, ASK_TIME => 1, SILENCE => 30, LONG_SILENCE => 86400, WAIT => 40 };

# How often it may be killed before it was ready for the first time.
use constant FIRST_KILLS => 5;

# How often in a row it may not listen where it did, a second apart at most.
use constant PORT_TRIES => 60;

# Bytes of one read, of a line that has not ended, and of a text of /proc.
use constant { CHUNK => 4096, LINE_MAX => 4096, STAT_MAX => 4096 };

# loop; hosts: FTMPI::Launcher::KeeperHost, of which the first that bears it has it; folder: of its files; ranks: how many; limit: bytes of outcomes; address: where they reach this machine; session, secret: bytes; verbose;
# debug: it may be stopped; goes_on: its files are there, of an earlier launcher; stays: they stay if the launcher is killed; say => sub (sentence); log => sub (text); on_ready => sub ({ rank => its newest incarnation, counted from 1, where any has come }), once; on_failed => sub (sentence): it
# cannot be started; on_cannot => sub (sentence): the job cannot go on with it. For tests: ask_time, ready_time and port_tries, in place of ASK_TIME, READY_TIME and PORT_TRIES; patience => { silent, hung }, in place of the times of
# FTMPI::Launcher::Pulse; state => sub (process), in place of _state.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { ask_time => ASK_TIME, ready_time => READY_TIME, port_tries => PORT_TRIES, patience => {}, %arg, said => {}, incarnations => {} }, $class;
	$self->{hosts} = [ @{ $arg{hosts} // [ FTMPI::Launcher::KeeperHost->here ] } ];
	$self->{waits} = $arg{goes_on};    # an older one, on another host, may not know yet that it is alone
	$self->_start_at_first;
	return $self;
}

# On the first of the hosts that are left.
sub _start_at_first
{
	my ($self) = @_;
	my $loop = $self->{loop};
	@$self{qw(pause killed words)} = (PAUSE_LEAST, 0, undef);
	my $time = $self->{ready_time} + ($self->{waits} ? WAIT : 0);
	$self->{timer} = $loop->after($time, sub { $self->_failed("it is not ready after $time s") });
	$self->_start;
	return;
}

# In the source tree it lies beside the library, installed where programs are that no user calls.
sub program
{
	my $root = FTMPI::Places::root();
	my $lib = length($ENV{FTMPI_LIBDIR} // '') ? $ENV{FTMPI_LIBDIR} : "$root/build/lib";
	return FTMPI::Places::is_source($root) ? "$lib/../bin/ftmpi-keeper" : "$root/libexec/ftmpi/ftmpi-keeper";
}

# Where it listens, once it is ready: IP:PORT or [IP]:PORT.
sub at { return $_[0]{at} }

sub host { return $_[0]{hosts}[0] }

# For sentences.
sub _who
{
	my ($self) = @_;
	return $self->host->is_here ? "the keeper (process $self->{pid})" : 'the keeper on ' . $self->host->name;
}

# ---- its start ----

# The files are there from the first time on, and so is the port.
sub _command
{
	my ($self) = @_;
	my $host   = $self->host;
	my $is_new = !defined $self->{at} && !$self->{goes_on};
	my $at     = $self->{at} // ($host->is_here ? $self->{address} : undef);
	return $host->command(program(), '-dir', $self->{folder}, '-ranks', $self->{ranks}, '-limit', $self->{limit}, $self->{stays} ? () : '-clear',
		defined $at ? ('-listen', $at) : (), $is_new ? '-new' : (), $self->{verbose} ? '-v' : (),
		$host->is_here ? () : (-silence => $self->{debug} ? LONG_SILENCE : SILENCE), $self->{waits} ? (-wait => WAIT) : ());
}

sub _start
{
	my ($self) = @_;
	my $process = FTMPI::Launcher::Bootstrap::launch($self->_command);
	if (!$process) {
		$self->_is_down("cannot be started: $!");
		return;
	}
	@$self{qw(pid input born)} = ($process->{pid}, $process->{out}, FTMPI::Loop::now());
	$self->{streams} = {};
	$self->_watch(out => $process->{in},  sub { $self->_heard(@_) });
	$self->_watch(err => $process->{err}, sub { $self->_complained(@_) });
	# the pipe is empty, and takes it; nor is there ever more in it than one question
	FTMPI::Loop::never_block($self->{input});
	syswrite $self->{input}, $self->{session} . $self->{secret};
	return;
}

sub _watch
{
	my ($self, $name, $handle, $on_line) = @_;
	FTMPI::Loop::never_block($handle);
	$self->{streams}{$name} = { handle => $handle, held => '', on_line => $on_line };
	$self->{loop}->on_read($handle, sub { $self->_read($name) });
	return;
}

# One read, and the lines that it completes. False when there is nothing to read now.
sub _read
{
	my ($self, $name) = @_;
	my $stream = $self->{streams}{$name} // return 0;
	my $n = sysread $stream->{handle}, $stream->{held}, CHUNK, length $stream->{held};
	return 0 if !defined $n;
	$stream->{held} .= "\n" if length $stream->{held} > LINE_MAX || (!$n && length $stream->{held});
	$stream->{on_line}->($1) while $stream->{held} =~ s/\A([^\n]*)\n//;
	$self->{loop}->drop((delete $self->{streams}{$name})->{handle}) if !$n;
	return $n;
}

# ---- what it says ----

sub _heard
{
	my ($self, $line) = @_;
	return if $self->{closed};
	return $self->_answered if $line eq 'alive';
	return $self->{on_cannot}->(FTMPI::Launcher::Sentences::keeper_full($self->{limit})) if $line eq 'full';
	return $self->{incarnations}{ $1 + 0 } = $2 + 0 if $line =~ /\Aincarnation ([0-9]{1,9}) ([0-9]{1,10})\z/;
	my ($at) = $line =~ /\Aready (\S+)\z/ or return;
	my $is_first = !defined $self->{at};
	my $unfit = $is_first && !$self->host->is_here ? $self->_unfit($at) : undef;
	return $self->_failed($unfit) if defined $unfit;
	$self->{at} //= $at;
	delete @$self{qw(waits unheard)};
	@$self{qw(ready said)} = (1, {});
	$self->{loop}->cancel(delete $self->{timer});
	$self->{log}->('the keeper is ' . ($self->host->is_here ? "process $self->{pid}" : 'on ' . $self->host->name) . ", and listens at $at");
	$self->_look_after if !$self->{debug};
	$self->{on_ready}->($self->{incarnations}) if $is_first;
	return;
}

# Why one on another host is of no use, or nothing.
sub _unfit
{
	my ($self, $at) = @_;
	my ($address) = $at =~ /\A\[?(.*?)\]?:[0-9]+\z/s or return "it listens at $at";
	return "ssh has reached it at $address, which other hosts do not reach" if FTMPI::Address::is_loopback($address);
	return if FTMPI::KeeperFolder::is_locked($self->{folder});
	return 'the work directory there is not the one of this host, or locks (flock) do not reach from host to host: it has to be a folder that both share';
}

# While it does not come up it complains of the same again and again.
sub _complained
{
	my ($self, $line) = @_;
	$line =~ s/\Aftmpi-keeper: //;
	$line = FTMPI::Error::clean($line);
	$self->{cannot_listen} = 1 if $line =~ s/\A(cannot listen: .*); give another address or port with -listen\z/$1/;
	$self->{words} = $line;
	return if !defined $self->{at} || $self->{closed} || (!$self->{ready} && $self->{said}{$line}++);
	$self->{say}->("the keeper: $line");
	return;
}

# ---- whether it is well ----

# From when it is ready until it has ended.
sub _look_after
{
	my ($self) = @_;
	$self->{pulse} = FTMPI::Launcher::Pulse->new(%{ $self->{patience} });
	$self->_ask_later;
	return;
}

sub _ask_later
{
	my ($self) = @_;
	$self->{loop}->cancel($self->{asking});
	$self->{asking} = $self->{loop}->after($self->{ask_time}, sub { $self->_ask_later; $self->_turn });
	return;
}

# A second is over.
sub _turn
{
	my ($self) = @_;
	my ($pulse, $pid) = @$self{qw(pulse pid)};
	if (!$pulse->is_open) {
		$pulse->asked;
		syswrite $self->{input}, '?';
		return;
	}
	my $verdict = $pulse->turn($self->_state) // return;
	my ($what, $words) = @$verdict;
	if ($what eq 'say') {
		$self->{say}->($self->_who . " $words; what depends on it is held up.");
		return;
	}
	$self->{say}->($self->_who . " $words; " . $self->_begun_again);
	delete $self->{ready};    # so that its end is not told once more
	$self->_kill;
	return;
}

sub _answered
{
	my ($self) = @_;
	$self->{say}->('the keeper answers again.') if $self->{pulse} && $self->{pulse}->answered;
	return;
}

# The letter for the state of its process, or nothing. On another host that is not seen, and it may be lost: it is not
# waited for longer than for one that hangs.
sub _state
{
	my ($self) = @_;
	return $self->{state}->($self->{pid}) if $self->{state};
	return 'S' if !$self->host->is_here;
	open my $file, '<:raw', "/proc/$self->{pid}/stat" or return;
	sysread $file, my $text, STAT_MAX or return;
	my $thread = FTMPI::Condition::thread($text) // return;
	return $thread->{state};
}

sub _leave_alone
{
	my ($self) = @_;
	$self->{loop}->cancel(delete $self->{asking});
	delete $self->{pulse};
	return;
}

# ---- its end ----

# A child of ours has ended, maybe the keeper.
sub ended
{
	my ($self, $pid, $status) = @_;
	return if $pid != ($self->{pid} // 0);
	for my $name (qw(out err)) {
		1 while $self->_read($name);
	}
	return if $pid != ($self->{pid} // 0);    # what it said has led to another one, on the next host
	$self->_let_go;
	return if $self->{closed};
	$self->_is_down(WIFSIGNALED($status) ? FTMPI::Launcher::Failure::how(0, WTERMSIG($status))
		: FTMPI::Launcher::Failure::how(WEXITSTATUS($status), 0));
	return;
}

# Nothing of its process is kept.
sub _let_go
{
	my ($self) = @_;
	my $loop = $self->{loop};
	$self->_leave_alone;
	$loop->drop($_->{handle}) for values %{ delete $self->{streams} // {} };
	$loop->drop(delete $self->{input}) if $self->{input};
	delete $self->{pid};
	return;
}

# It is told once that it is down, however long it takes to come up.
sub _is_down
{
	my ($self, $how) = @_;
	return $self->_down_at_first($how) if !defined $self->{at};
	$self->{loop}->cancel(delete $self->{timer}) if $self->{timer};
	$self->{unheard} = delete $self->{cannot_listen} ? ($self->{unheard} // 0) + 1 : 0;
	return $self->{on_cannot}->(FTMPI::Launcher::Sentences::keeper_port($self->{at}, $self->{unheard}))
		if $self->{unheard} >= $self->{port_tries};
	$self->{say}->("the keeper $how; it is started again.") if delete $self->{ready};
	$self->{pause} = PAUSE_LEAST if FTMPI::Loop::now() - $self->{born} >= WELL_TIME;
	$self->{timer} = $self->{loop}->after($self->{pause}, sub { $self->_start_again });
	$self->{pause} *= 2;
	$self->{pause} = PAUSE_MOST if $self->{pause} > PAUSE_MOST;
	return;
}

# One that does not get ready is no better than one that is stopped.
sub _start_again
{
	my ($self) = @_;
	$self->{timer} = $self->{loop}->after($self->{ready_time}, sub {
		$self->{say}->($self->_who . " is not ready after $self->{ready_time} s; " . $self->_begun_again);
		$self->_kill;
	});
	$self->_start;
	return;
}

# Its files are not made yet, and nobody has come: one that was killed is begun again, a few times.
sub _down_at_first
{
	my ($self, $how) = @_;
	return $self->_failed($self->{words} // "it $how") if $how !~ /^was killed/ || defined $self->{words} || ++$self->{killed} > FIRST_KILLS;
	$self->{waits} ||= !$self->host->is_here;    # only ssh may have been killed
	$self->{again} = $self->{loop}->after($self->{pause}, sub { delete $self->{again}; $self->_start });
	return;
}

# At first. Its process may be there still.
sub _failed
{
	my ($self, $why) = @_;
	my $where = $self->host->is_here ? '' : ' on ' . $self->host->name;
	if (@{ $self->{hosts} } > 1) {
		$self->_drop;
		$self->{waits} ||= !$self->host->is_here;
		shift @{ $self->{hosts} };
		$self->{say}->("the keeper cannot be started$where: $why; " . $self->host->name . ' is tried.');
		return $self->_start_at_first;
	}
	$self->close(!$self->{goes_on});
	$self->{on_failed}->("the keeper of the job (-coord msglog) cannot be started$where: $why");
	return;
}

# ssh may be a script that waits for ssh, so all that it has started goes. (The child has a session of its own.)
sub _kill
{
	my ($self) = @_;
	my $pid = $self->{pid} or return;
	kill('KILL', -$pid) || kill 'KILL', $pid;
	return;
}

sub _begun_again { return $_[0]->host->is_here ? 'it was killed, and is started again.' : 'its connection was ended, and it is started again.' }

sub _drop
{
	my ($self) = @_;
	$self->{loop}->cancel(delete $self->{$_}) for grep { $self->{$_} } qw(timer again);
	$self->_kill;
	$self->_let_go;
	return;
}

# The job is over: it is to end, by the end of its standard input. clears: its files go.
sub close
{
	my ($self, $clears) = @_;
	my $loop = $self->{loop};
	syswrite $self->{input}, 'c' if $clears && $self->{input};
	$self->{closed} = 1;
	$self->_leave_alone;
	$loop->cancel(delete $self->{timer});
	$loop->cancel(delete $self->{again}) if $self->{again};
	$loop->drop(delete $self->{input}) if $self->{input};
	return;
}

# It is not waited for any more.
sub abandon
{
	my ($self) = @_;
	$self->close;
	$self->_kill;
	$self->_let_go;
	return;
}

sub is_gone { return !defined $_[0]{pid} }

# Its folder, when it has gone.
sub clear { FTMPI::KeeperFolder::remove($_[0]{folder}); return }

1;
