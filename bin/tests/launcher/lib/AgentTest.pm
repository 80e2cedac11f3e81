# SPDX-License-Identifier: BSD-3-Clause
#
# A launcher in a test's hands, over a real agent: orders go to it, what it answers is kept as lines
# ("EXITED 0 0 9") that can be waited for.
package AgentTest;

use strict;
use warnings;

use POSIX qw(WNOHANG);
use Test::More  ();
use Time::HiRes ();

# what is sent to the agent's host is read from where these were loaded
use FTMPI::Agent               ();
use FTMPI::Control             ();
use FTMPI::Launcher::Bootstrap ();
use FTMPI::Wire                ();
use LauncherTest;

use constant { DEADLINE => $ENV{FTMPI_TEST_DEADLINE} // 60, ADDRESS => '127.0.0.1', CREDIT => 1 << 20 };

our $SESSION = 'S' x 16;

# silence: ms; credit: bytes; ports: [first, last]; strain: STRAINED is to be heard.
sub new
{
	my ($class, %arg) = @_;
	my $command = [ FTMPI::Launcher::Bootstrap::command({ name => 'here', local => 1, ranks => [], size => 8 }) ];
	my $process = FTMPI::Launcher::Bootstrap::launch(@$command) or die "agent: $!\n";
	my $self    = bless {
		%$process,
		wire  => FTMPI::Wire->new,
		lines => [],
		from  => 0,
		text  => {},
		ports => {},
		hears_strain => $arg{strain},
	}, $class;
	$self->_write(FTMPI::Launcher::Bootstrap::payload());
	$self->_greeting;
	$self->order('SETUP', $arg{credit} // CREDIT, $arg{silence} // 0, 3600000);
	$self->await(qr/^HERE /);
	return $self;
}

sub _write
{
	my ($self, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';
	while (length $bytes) {
		my $n = syswrite $self->{out}, $bytes;
		return if !defined $n;
		substr $bytes, 0, $n, '';
	}
	return;
}

sub _greeting
{
	my ($self) = @_;
	my $left = length FTMPI::Control::GREETING;
	while ($left > 0) {
		my $n = sysread $self->{in}, my $bytes, $left or die "no greeting of the agent\n";
		$left -= $n;
	}
	return;
}

sub order
{
	my ($self, @message) = @_;
	$self->_write(FTMPI::Control::encode(@message));
	return;
}

# Sockets for these ranks, for data and for heartbeats. False when there are none.
sub bind
{
	my ($self, @ranks) = @_;
	my $seen = $self->pass;
	$self->order('BIND', ADDRESS, 2 * @ranks, 0, 0);
	my ($list) = $self->await(qr/^PORTS (.*)$/) or return 0;
	my @ports = split /,/, $list;
	$self->{ports}{ $ranks[$_] } = [ @ports[ $_, @ranks + $_ ] ] for 0 .. $#ranks;
	$self->{from} = $seen;
	return 1;
}

sub table
{
	my ($self, $size) = @_;
	return join '', map {
		my $ports = $self->{ports}{$_} // [ 1, 1 ];
		FTMPI::Wire::pack_fields(FTMPI::Control::ROW, 'here', ADDRESS, @$ports, 0, 1)
	} 0 .. $size - 1;
}

# ranks: list; epoch; command: list; settings: list of "name=value". What is not given is as in the last RUN.
sub run
{
	my ($self, %arg) = @_;
	my $run = $self->{run} = { epoch => 0, %{ $self->{run} // {} }, %arg };
	my $size = $run->{size} // @{ $run->{ranks} };
	$self->order(
		'RUN', $SESSION, 'k' x 32, $run->{epoch}, $size, 0, '/nowhere', 'name',
		$run->{ranks}, scratch(), $run->{command},
		[ "FTMPI_TEST_TAG=$ENV{FTMPI_TEST_TAG}" ],
		[ "restarts=$run->{epoch}", @{ $run->{settings} // [] } ],
		$self->table($size));
	return;
}

# A whole start: BIND, RUN.
sub start
{
	my ($self, $ranks, @command) = @_;
	$self->bind(0 .. $ranks - 1);
	$self->run(ranks => [ 0 .. $ranks - 1 ], command => \@command);
	return;
}

# The order to begin again, and the answer.
sub restart
{
	my ($self, $epoch) = @_;
	$self->order('RESTART_ALL', $epoch);
	return $self->await(qr/^RESTARTING_ALL $epoch$/);
}

# What came, from the mark on.
sub lines { my ($self) = @_; return @{ $self->{lines} }[ $self->{from} .. $#{ $self->{lines} } ] }

# Those that match.
sub said { my ($self, $pattern) = @_; return grep { $_ =~ $pattern } $self->lines }

# Put the mark behind all that came. Returns where it was.
sub pass
{
	my ($self) = @_;
	my $was = $self->{from};
	$self->{from} = @{ $self->{lines} };
	return $was;
}

# Wait for a line behind the mark. Returns what the pattern caught, or 1; nothing, after having said
# what came, at the deadline.
sub await
{
	my ($self, $pattern) = @_;
	my @caught;
	my $found = sub {
		for my $line ($self->lines) {
			@caught = $line =~ $pattern and return 1;
		}
		return 0;
	};
	return @caught if $self->_gather($found);
	$self->_complain($pattern);
	return;
}

# The same for what a rank wrote. Takes it, and all before it, away.
sub await_text
{
	my ($self, $rank, $pattern) = @_;
	my @caught;
	my $found = sub {
		my $text = \($self->{text}{$rank} //= '');
		@caught = $$text =~ $pattern or return 0;
		substr $$text, 0, $+[0], '';
		return 1;
	};
	return @caught if $self->_gather($found);
	$self->_complain($pattern);
	return;
}

sub text { return $_[0]{text}{ $_[1] } // '' }

sub _complain
{
	my ($self, $pattern) = @_;
	my @text = map { "rank $_ wrote: $self->{text}{$_}" } sort keys %{ $self->{text} };
	Test::More::diag(join "\n", "no match of $pattern; behind the mark came:", $self->lines, @text,
		left_over());
	return;
}

# Read until the condition holds. False at the deadline, or at the end of the channel.
sub _gather
{
	my ($self, $condition) = @_;
	my $end = Time::HiRes::time() + DEADLINE;
	while (!$condition->()) {
		my $left = $end - Time::HiRes::time();
		return 0 if $left <= 0 || $self->{over};
		my $bits = '';
		vec($bits, fileno $self->{in}, 1) = 1;
		next if select($bits, undef, undef, $left) <= 0;
		my $n = sysread $self->{in}, my $bytes, 65536;
		$self->{over} = 1 if !$n;
		$self->{wire}->feed($bytes) if $n;
		$self->_take_frames;
	}
	return 1;
}

sub _take_frames
{
	my ($self) = @_;
	while (my ($type, $body) = $self->{wire}->next_frame) {
		my ($name, @fields) = FTMPI::Control::decode('agent', $type, $body);
		if ($name eq 'OUT') {
			my ($rank, undef, $bytes) = @fields;
			$self->{text}{$rank} .= $bytes;
			$self->order('CREDIT', length $bytes) if !$self->{mean};
			next;
		}
		if ($name eq 'NEWS') {
			my ($rank, $kind, $news) = splice @fields;
			@fields = ($rank, FTMPI::Control::decode('rank', $kind, $news));
		}
		# of a loaded machine, and no matter of the test's
		next if $name eq 'STRAINED' && !$self->{hears_strain};
		push @{ $self->{lines} },
			join ' ', $name, map { ref ? join ',', @$_ : $_ } @fields;
	}
	return;
}

# The agent's process, under the shell that started it.
sub pid { return $_[0]{pid} }

sub descriptors
{
	my ($self) = @_;
	return scalar(my @open = glob "/proc/$self->{pid}/fd/*");
}

# We are gone.
sub hang_up { my ($self) = @_; close $self->{$_} for qw(in out); return }

# Wait until the agent has ended; its status as a shell has it, and what it said on standard error.
sub finish
{
	my ($self) = @_;
	my $end = Time::HiRes::time() + DEADLINE;
	my $err = '';
	my $n   = 1;
	while ($n) {
		my $bits = '';
		vec($bits, fileno $self->{err}, 1) = 1;
		if (select($bits, undef, undef, $end - Time::HiRes::time()) <= 0) {
			Test::More::diag("the agent does not end; it said: $err");
			kill 'KILL', -$self->{pid};
		}
		$n = sysread $self->{err}, $err, 4096, length $err;
	}
	waitpid $self->{pid}, 0;
	return ($? & 127 ? 128 + ($? & 127) : $? >> 8, $err);
}

# END, and nobody is left.
sub end_well
{
	my ($self, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$self->order('END');
	$self->await(qr/^BYE/);
	my ($status, $err) = $self->finish;
	Test::More::is($status, 0, "$name: the agent leaves");
	Test::More::is($err, '', '... without complaint');
	return nobody_left('... and nobody is left');
}

# What a rank says about itself with `facts`.
sub facts
{
	my ($self, $rank) = @_;
	my @facts = $self->await_text($rank, qr/^epoch=(\d+) pid=(\d+) local=(\S+) name=(\d+) settings=(.*)\n/m);
	my %facts;
	@facts{qw(epoch pid local name settings)} = @facts;
	return \%facts;
}

# One of them, of every rank: ('pid', 0, 1) as "711 712".
sub all
{
	my ($self, $fact, @ranks) = @_;
	return join ' ', map { $self->facts($_)->{$fact} // 'nothing' } @ranks;
}

# An agent on which so many ranks have told their process ids, and these.
sub begun
{
	my ($class, $ranks, @command) = @_;
	my $self = $class->new;
	$self->start($ranks, @command);
	return ($self, split ' ', $self->all('pid', 0 .. $ranks - 1));
}

# The order to begin again, the answer, and the start; the mark is put behind the answer.
sub again
{
	my ($self, $epoch, %run) = @_;
	$self->restart($epoch);
	$self->pass;
	$self->run(epoch => $epoch, %run);
	return;
}

sub alive { return scalar grep { my $pid = $_; grep { /^$pid:/ } left_over() } @_ }

# These processes end.
sub gone
{
	my ($name, @pids) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return Test::More::ok(eventually(sub { !alive(@pids) }, sub { join "\n", left_over() }), $name);
}

1;
