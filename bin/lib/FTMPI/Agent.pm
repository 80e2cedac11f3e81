# SPDX-License-Identifier: BSD-3-Clause
#
# The agent: what ftmpirun runs on each host. It binds the listening sockets of its ranks, starts
# them, carries their output and news to the launcher and its orders to them, and tells how each
# ended. When the launcher is gone it kills them and leaves; when it is gone itself, its guard does
# (FTMPI::Sweep). Standard input and output are the channel to the launcher.
#
# Failure modes: a rank breaks the control protocol: it is told and killed. The launcher does: as if
# it were gone. A rank has ended but others hold its pipes: what is in them at that time is
# forwarded before its end is told, the rest as it comes.
package FTMPI::Agent;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EMFILE ENOENT EWOULDBLOCK);
use IO::Handle ();
use POSIX qw(WNOHANG WIFSIGNALED WTERMSIG WEXITSTATUS);

use FTMPI::Channel ();
use FTMPI::Control ();
use FTMPI::Feed    ();
use FTMPI::Listeners ();
use FTMPI::Loop    ();
use FTMPI::Net     ();
use FTMPI::Rank    ();
use FTMPI::Sweep   ();

# The first bytes to the launcher: what comes before is not ours.
use constant GREETING => "\0FTMPI agent 1\n";

# TERM to KILL, in seconds; ranks started in one turn of the loop; bytes of one read; the most that
# a pipe can hold; seconds for the last words.
use constant { GRACE => 1, BATCH => 16, CHUNK => 65536, PIPE_MAX => 1 << 20, FAREWELL => 2 };

my %HANDLERS = (
	SETUP     => \&_setup,
	BIND      => \&_bind,
	RUN       => \&_run,
	STDIN     => sub { $_[0]{feed}->add($_[1]) if $_[0]{feed} },
	STDIN_END => sub { $_[0]{feed}->end if $_[0]{feed} },
	KILL      => \&_kill,
	SUSPEND   => \&_suspend,
	CREDIT    => \&_credit,
	PING      => sub { $_[0]->_tell('PONG') },
	END       => \&_leave,
);

sub main
{
	my $self = bless {
		loop    => FTMPI::Loop->new,
		listeners => FTMPI::Listeners->new,
		ranks   => {},
		pids    => {},
		waiting => [],
		credit  => 0,
		paused  => 0,
	}, __PACKAGE__;
	$self->{session} = FTMPI::Sweep::own_session();
	$self->{guard} = FTMPI::Sweep::guard($self->{session}) if $self->{session};
	FTMPI::Sweep::call_myself('ftmpi-agent');
	my ($in, $out) = _take_streams();
	$SIG{PIPE} = 'IGNORE';
	$SIG{CHLD} = 'DEFAULT';
	$self->{loop}->on_signal('CHLD', sub { $self->_reap });
	$self->{loop}->on_signal($_, sub { $self->_vanish }) for qw(INT TERM HUP QUIT);
	$self->_open_complaints;
	$self->{channel} = FTMPI::Channel->new(
		loop     => $self->{loop},
		in       => $in,
		out      => $out,
		on_frame => sub { $self->_obey(@_) },
		on_end   => sub { $self->_vanish });
	$self->{channel}->send_bytes(GREETING);
	$self->{loop}->run;
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
		print STDERR "ftmpirun: the agent got $@";
		$self->{channel}->refuse($@);
		return;
	}
	$HANDLERS{$name}->($self, @fields);
	return;
}

sub _setup
{
	my ($self, $credit, $silence) = @_;
	$self->{credit} = $credit;
	my $interfaces = FTMPI::Net::interfaces();
	my (undef, undef, $arrived) = split ' ', $ENV{SSH_CONNECTION} // '';
	$self->_tell(
		'HERE', FTMPI::Net::cores(), $arrived // '',
		[ map { $_->[0] } @$interfaces ],
		[ map { $_->[1] } @$interfaces ]);
	return;
}

sub _bind
{
	my ($self, @how) = @_;
	my $listeners = $self->{listeners};
	if (my @ports = $listeners->bind(@how)) {
		$self->_tell('PORTS', \@ports);
		return;
	}
	$self->_tell('FAILED', $listeners->why // "cannot listen on a port at $how[0]: " . _system_reason());
	return;
}

sub _run
{
	my ($self, @fields) = @_;
	my %run;
	@run{qw(session secret epoch size verbosity workdir session_name)} = splice @fields, 0, 7;
	@run{qw(ranks wdir argv env settings table)} = @fields;
	$self->{run} = \%run;
	if (my $wrong = $self->{listeners}->assign($run{table}, @{ $run{ranks} })) {
		$self->{channel}->refuse($wrong);
		return;
	}
	_set_environment(@{ $run{env} });
	if (!chdir $run{wdir}) {
		$self->_tell('FAILED', "cannot enter the working directory $run{wdir}: $!");
		return;
	}
	$run{path} = FTMPI::Rank::find_program($run{argv}[0]);
	if (!defined $run{path}) {
		$self->_tell('FAILED', "cannot run $run{argv}[0]: $!");
		return;
	}
	if (_descriptor_limit() < FTMPI::Rank::DESCRIPTORS_MIN) {
		$self->_tell('FAILED', 'cannot start ranks: the limit of open files there is '
				. _descriptor_limit() . ' (ulimit -n), and '
				. FTMPI::Rank::DESCRIPTORS_MIN . ' is the least');
		return;
	}
	$self->{waiting} = [ map { [ $_, $run{ranks}[$_] ] } 0 .. $#{ $run{ranks} } ];
	$self->_start_some;
	return;
}

sub _system_reason
{
	return "$!" if !$!{EMFILE};
	return "$!: the limit there is " . _descriptor_limit() . ' (ulimit -n)';
}

sub _descriptor_limit { return POSIX::sysconf(POSIX::_SC_OPEN_MAX()) }

# VAR=value sets, VAR alone unsets.
sub _set_environment
{
	for my $word (@_) {
		my ($name, $value) = split /=/, $word, 2;
		if (defined $value) {
			$ENV{$name} = $value;
		} else {
			delete $ENV{$name};
		}
	}
	return;
}

# A batch of ranks; the others in later turns, so that orders are heard in between.
sub _start_some
{
	my ($self) = @_;
	return if $self->{suspended};
	for my $place (splice @{ $self->{waiting} }, 0, BATCH) {
		return if !$self->_start_rank(@$place);
	}
	$self->{loop}->after(0, sub { $self->_start_some }) if @{ $self->{waiting} };
	return;
}

sub _start_rank
{
	my ($self, $local_rank, $rank) = @_;
	my $run = $self->{run};
	my ($stdin, $feed);
	pipe($stdin, $feed) if $rank == 0;
	my ($listen, $beat) = $self->{listeners}->of($rank);
	my $process  = FTMPI::Rank::start({
		%$run,
		rank       => $rank,
		local_rank => $local_rank,
		listen     => $listen,
		beat       => $beat,
		stdin      => $stdin,
		complaints => $self->{complaints}{writer},
	});
	if (!$process) {
		$self->{waiting} = [];
		$self->_tell('FAILED', "cannot start rank $rank: " . _system_reason());
		return 0;
	}
	$self->_adopt($rank, $process);
	$self->{feed} = FTMPI::Feed->new(
		loop      => $self->{loop},
		handle    => $feed,
		on_taken  => sub { $self->_tell('STDIN_TAKEN', $_[0]) },
		on_closed => sub { $self->_tell('STDIN_CLOSED') })
		if $feed;
	my $head = FTMPI::Control::encode('START', @$run{qw(session epoch)}, $rank, $run->{size},
		$run->{secret}, $local_rank, scalar @{ $run->{ranks} },
		@$run{qw(verbosity workdir session_name settings table)});
	$self->{ranks}{$rank}{control}->send_bytes($head);
	return 1;
}

# From now on this process is ours to watch.
sub _adopt
{
	my ($self, $rank, $process) = @_;
	my $entry = $self->{ranks}{$rank} = { rank => $rank, pid => $process->{pid}, alive => 1 };
	$self->{pids}{ $process->{pid} } = $entry;
	$entry->{control} = FTMPI::Channel->new(
		loop     => $self->{loop},
		in       => $process->{control},
		out      => $process->{control},
		on_frame => sub { $self->_news($entry, @_) },
		on_end   => sub { $self->_broken($entry, $_[0]) if length $_[0] });
	for my $stream (1, 2) {
		my $pipe = $process->{out}{$stream};
		$pipe->blocking(0);
		$entry->{out}{$stream} =
			{ handle => $pipe, call => sub { $self->_read_output($entry, $stream) } };
		$self->{loop}->on_read($pipe, $entry->{out}{$stream}{call}) if !$self->{paused};
	}
	$self->_tell('STARTED', $rank, $process->{pid});
	return;
}

# A frame of a rank is checked here, so that what is wrong is found out beside the one that did it.
sub _news
{
	my ($self, $entry, $type, $body) = @_;
	my ($name) = eval { FTMPI::Control::decode('rank', $type, $body) };
	if (!defined $name) {
		chomp(my $why = $@);
		$entry->{control}->refuse($why);
		return;
	}
	$self->_tell('NEWS', $entry->{rank}, $type, $body);
	return;
}

# A rank whose control connection ends uncleanly is killed, unless it is its death that ended it.
sub _broken
{
	my ($self, $entry, $why) = @_;
	return if !$entry->{alive};
	$self->_tell('BROKEN', $entry->{rank}, $why);
	kill 'KILL', -$entry->{pid};
	return;
}

# One read. Returns the number of bytes that were there.
sub _read_output
{
	my ($self, $entry, $stream) = @_;
	my $out = $entry->{out}{$stream} or return 0;
	my $n = sysread $out->{handle}, my $bytes, CHUNK;
	return 0 if !defined $n && ($!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK});
	if (!$n) {
		$self->{loop}->drop($out->{handle});
		delete $entry->{out}{$stream};
		return 0;
	}
	$self->_tell('OUT', $entry->{rank}, $stream, $bytes);
	$self->{credit} -= $n;
	$self->_pause if $self->{credit} <= 0 && !$self->{paused};
	return $n;
}

# The launcher has as much as it wants: the pipes fill, and the ranks wait.
sub _pause
{
	my ($self) = @_;
	$self->{paused} = 1;
	$self->{loop}->off_read($_->{handle}) for $self->_outputs;
	return;
}

sub _credit
{
	my ($self, $bytes) = @_;
	$self->{credit} += $bytes;
	return if !$self->{paused} || $self->{credit} <= 0;
	$self->{paused} = 0;
	$self->{loop}->on_read($_->{handle}, $_->{call}) for $self->_outputs;
	return;
}

sub _outputs
{
	my ($self) = @_;
	return map { values %{ $_->{out} } } values %{ $self->{ranks} };
}

# Where a child writes (rank, errno) when its exec failed: one pipe for all.
sub _open_complaints
{
	my ($self) = @_;
	pipe my $reader, my $writer or die "pipe: $!\n";
	$reader->blocking(0);
	$self->{complaints} = { reader => $reader, writer => $writer };
	$self->{loop}->on_read($reader, sub { $self->_read_complaints });
	return;
}

sub _read_complaints
{
	my ($self) = @_;
	while (sysread $self->{complaints}{reader}, my $record, 8) {
		my ($rank, $errno) = unpack 'V V', $record;
		local $! = $errno;
		my $why = $!{ENOENT} ? "$! (that is, its interpreter)" : "$!";
		$self->_tell('CANNOT_RUN', $rank, "cannot run $self->{run}{argv}[0]: $why");
	}
	return;
}

sub _reap
{
	my ($self) = @_;
	while ((my $pid = waitpid -1, WNOHANG) > 0) {
		my $status = $?;
		my $entry = delete $self->{pids}{$pid} or next;
		$self->_ended($entry, $status);
	}
	return;
}

# All that the rank said comes before the news of its end.
sub _ended
{
	my ($self, $entry, $status) = @_;
	$self->_read_complaints;
	$entry->{alive} = 0;
	$entry->{control}->drain;
	$entry->{control}->close;
	for my $stream (1, 2) {
		my $left = PIPE_MAX;
		while ($left > 0) {
			my $n = $self->_read_output($entry, $stream) or last;
			$left -= $n;
		}
	}
	$self->{feed}->close if $entry->{rank} == 0 && $self->{feed};
	my $signal = WIFSIGNALED($status) ? WTERMSIG($status) : 0;
	$self->_tell('EXITED', $entry->{rank}, $signal ? 0 : WEXITSTATUS($status), $signal);
	return;
}

# hard: at once. Otherwise they get GRACE seconds. Ranks that were not started yet end here.
sub _kill
{
	my ($self, $hard) = @_;
	my @never = map { $_->[1] } splice @{ $self->{waiting} };
	$self->_tell('EXITED', $_, 0, POSIX::SIGTERM()) for @never;
	if ($hard) {
		$self->_signal('KILL');
		return;
	}
	$self->_signal($_) for qw(TERM CONT);
	$self->{loop}->after(GRACE, sub { $self->_signal('KILL') });
	return;
}

# By SIGSTOP: what has no terminal is not stopped by SIGTSTP.
sub _suspend
{
	my ($self, $stop) = @_;
	$self->{suspended} = $stop;
	$self->_signal($stop ? 'STOP' : 'CONT');
	$self->_start_some if @{ $self->{waiting} };
	return;
}

sub _signal
{
	my ($self, $name) = @_;
	kill $name, -$_ for keys %{ $self->{pids} };
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

# The launcher is gone.
sub _vanish
{
	my ($self) = @_;
	$self->_clear;
	POSIX::_exit(1);
	return;
}

sub _clear
{
	my ($self) = @_;
	$self->_signal('KILL');
	return if !$self->{guard};
	FTMPI::Sweep::sweep($self->{session}, $self->{guard}{pid});
	FTMPI::Sweep::dismiss($self->{guard});
	return;
}

1;
