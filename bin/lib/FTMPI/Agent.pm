# SPDX-License-Identifier: BSD-3-Clause
#
# The agent: what ftmpirun runs on each host. It binds the listening sockets of its ranks, starts
# them, carries their output and news to the launcher and its orders to them, and tells how each
# ended. When the launcher is gone, or silent for too long, it kills them and leaves; when it is gone
# itself, its guard does (FTMPI::Sweep). Standard input and output are the channel to the launcher.
#
# A launcher that breaks the control protocol counts as gone.
package FTMPI::Agent;

use strict;
use warnings;

use POSIX qw(WNOHANG WUNTRACED WIFSTOPPED);

use FTMPI::Channel   ();
use FTMPI::Control   ();
use FTMPI::Listeners ();
use FTMPI::Loop      ();
use FTMPI::Net       ();
use FTMPI::Outputs   ();
use FTMPI::Rank      ();
use FTMPI::Ranks     ();
use FTMPI::Silence   ();
use FTMPI::Stopped   ();
use FTMPI::Sweep     ();

# The first bytes to the launcher: what comes before is not ours.
use constant GREETING => "\0FTMPI agent 1\n";

# Seconds for the last words.
use constant FAREWELL => 2;

# Linux; POSIX does not have them: to be told of children that go on, and the status of such.
use constant { WCONTINUED => 8, CONTINUED => 0xffff };

my %HANDLERS = (
	SETUP       => \&_setup,
	BIND        => \&_bind,
	RUN         => \&_run,
	STDIN       => sub { $_[0]{ranks}->input($_[1]) },
	STDIN_END   => sub { $_[0]{ranks}->input_end },
	KILL        => sub { $_[0]{ranks}->kill_all($_[1]) },
	SUSPEND     => \&_suspend,
	CREDIT      => sub { $_[0]{outputs}->credit($_[1]) },
	PING        => sub { $_[0]->_tell('PONG') },
	END         => \&_leave,
	RESTART_ALL => \&_restart,
	FENCE       => sub { $_[0]{ranks}->fence($_[1]) },
	OBSERVE_ALL => sub { $_[0]{ranks}->order('OBSERVE', $_[1]) },
	DUMP_ALL    => sub { $_[0]{ranks}->order('DUMP', $_[1]) },
);

sub main
{
	my $self = bless { loop => FTMPI::Loop->new }, __PACKAGE__;
	$self->{session} = FTMPI::Sweep::own_session();
	$self->{guard} = FTMPI::Sweep::guard($self->{session}) if $self->{session};
	FTMPI::Sweep::call_myself('ftmpi-agent');
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
	$self->{channel}->send_bytes(GREETING);
	$self->{loop}->run;
	return;
}

sub _make_parts
{
	my ($self) = @_;
	my @common = (loop => $self->{loop}, tell => sub { $self->_tell(@_) });
	$self->{stopped}   = FTMPI::Stopped->new;
	$self->{listeners} = FTMPI::Listeners->new;
	$self->{outputs}   = FTMPI::Outputs->new(@common);
	$self->{ranks}     = FTMPI::Ranks->new(@common,
		map { $_ => $self->{$_} } qw(session listeners outputs));
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
	my ($self, $credit, $silence) = @_;
	$self->{outputs}->credit($credit);
	$self->{silence} = FTMPI::Silence->new(
		loop      => $self->{loop},
		ms        => $silence,
		heard     => sub { $self->{channel}->heard },
		on_silent => sub { $self->_give_up($silence) });
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
	my $why = $listeners->why
		// "cannot listen on a port at $how[0]: " . FTMPI::Rank::system_reason();
	$self->_tell('FAILED', $why);
	return;
}

sub _run
{
	my ($self, @fields) = @_;
	my %run;
	@run{qw(session secret epoch size verbosity workdir session_name)} = splice @fields, 0, 7;
	@run{qw(ranks wdir argv env settings table)} = @fields;
	my $wrong = $self->{ranks}->refuses($run{epoch})
		// $self->{listeners}->assign($run{table}, @{ $run{ranks} });
	if (defined $wrong) {
		$self->_disobey($wrong);
		return;
	}
	if (defined(my $why = $self->{listeners}->reopen // FTMPI::Rank::prepare(\%run))) {
		$self->_tell('FAILED', $why);
		return;
	}
	$self->{stop_limit} = FTMPI::Stopped::limit(@{ $run{settings} });
	$self->{ranks}->run(\%run);
	return;
}

# What was told so far is of older epochs. AGAIN says so.
sub _restart
{
	my ($self, $epoch) = @_;
	my $wrong = $self->{ranks}->again($epoch);
	if (defined $wrong) {
		$self->_disobey($wrong);
		return;
	}
	$self->_tell('AGAIN', $epoch);
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
	while ((my $pid = waitpid -1, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
		my $status = ${^CHILD_ERROR_NATIVE};
		if (WIFSTOPPED($status)) {
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
	$self->{counting} = $self->{loop}->after($self->{stop_limit} / 1000 / FTMPI::Stopped::TURNS,
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

sub _clear
{
	my ($self) = @_;
	$self->{ranks}->signal('KILL');
	return if !$self->{guard};
	FTMPI::Sweep::sweep($self->{session}, $self->{guard}{pid});
	$self->{ranks}->remove_unfinished;
	FTMPI::Sweep::dismiss($self->{guard});
	return;
}

1;
