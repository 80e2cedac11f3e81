# SPDX-License-Identifier: BSD-3-Clause
#
# One event loop over select(2): descriptors, timers, signals. Bit vectors of any length, so the
# number of descriptors is bounded by the process's limit only. A callback may watch, unwatch and
# close what it likes, also what is ready in the same turn.
package FTMPI::Loop;

use strict;
use warnings;

use Errno qw(EINTR);
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use List::Util ();
use POSIX ();
use Time::HiRes ();

use FTMPI::Processors ();

use constant CLOCK => Time::HiRes::CLOCK_MONOTONIC();

# Later than any time.
use constant NEVER => 9**9**9;

sub new
{
	my ($class) = @_;
	return bless {
		read    => {},
		write   => {},
		readv   => '',
		writev  => '',
		timers  => {},
		first   => NEVER,
		deferred => [],
		serial  => 0,
		running => 0,
		came    => {},
		signals => undef,
	}, $class;
}

sub now { return Time::HiRes::clock_gettime(CLOCK) }

sub on_read   { $_[0]->_watch('read', $_[1], $_[2]);  return }
sub on_write  { $_[0]->_watch('write', $_[1], $_[2]); return }
sub off_read  { $_[0]->_unwatch('read', $_[1]);       return }
sub off_write { $_[0]->_unwatch('write', $_[1]);      return }

sub _watch
{
	my ($self, $kind, $handle, $callback) = @_;
	my $fd = fileno $handle;
	$self->{$kind}{$fd} = $callback;
	vec($self->{ $kind . 'v' }, $fd, 1) = 1;
	return;
}

sub _unwatch
{
	my ($self, $kind, $handle) = @_;
	my $fd = fileno $handle;
	return if !defined $fd || !delete $self->{$kind}{$fd};
	vec($self->{ $kind . 'v' }, $fd, 1) = 0;
	return;
}

# Reads and writes of this handle do not wait. (perl would compile IO::Handle for this.)
sub never_block
{
	my ($handle) = @_;
	my $flags = fcntl($handle, F_GETFL, 0) // die "cannot ask for the flags of a file: $!\n";
	fcntl($handle, F_SETFL, $flags | O_NONBLOCK) or die "cannot set the flags of a file: $!\n";
	return;
}

# Unwatch and close.
sub drop
{
	my ($self, $handle) = @_;
	return if !defined fileno $handle;
	$self->off_read($handle);
	$self->off_write($handle);
	close $handle;
	return;
}

# Call back once, `seconds` from now. Returns a name for cancel().
sub after
{
	my ($self, $seconds, $callback) = @_;
	my ($id, $due) = (++$self->{serial}, now() + $seconds);
	$self->{timers}{$id} = [ $due, $callback ];
	$self->{first} = $due if defined $self->{first} && $due < $self->{first};
	return $id;
}

# Call back once, at the end of this turn.
sub defer
{
	my ($self, $callback) = @_;
	push @{ $self->{deferred} }, $callback;
	return;
}

# Call back, with the seconds, before a timer is run so much later than it was due: we got no processor,
# or were stopped, or one turn took that long.
sub on_late
{
	my ($self, $seconds, $callback) = @_;
	$self->{late} = [ $seconds, $callback ];
	return;
}

# We were stopped on purpose: what is due now is not late.
sub forgive { $_[0]{forgiven} = 1; return }

sub cancel
{
	my ($self, $id) = @_;
	$self->{first} = undef if defined $id && delete $self->{timers}{$id};
	return;
}

# Signals that came before anybody could listen to them (bin/ftmpirun).
our %early;

# Call back in the loop, not in the signal handler, and before all that is ready in the same turn: what else
# a signal to our process group has ended is heard of after it. A signal that was ignored when we were
# started (nohup, a background job) stays ignored.
sub on_signal
{
	my ($self, $name, $callback) = @_;
	return if ($SIG{$name} // '') eq 'IGNORE';
	$self->_open_signal_pipe if !$self->{signals};
	my ($writer, $came) = ($self->{signals}{writer}, $self->{came});
	$self->{signals}{calls}{$name} = $callback;
	$SIG{$name} = sub { local $!; $came->{$name} = 1; syswrite $writer, '.' };
	$SIG{$name}->() if delete $early{$name};
	return;
}

# Fork: what `child` does ends in an exec. A signal that reaches the child before that is its own:
# with our handlers it would be lost to the child, and told to our loop as one that came to us.
sub spawn
{
	my ($child) = @_;
	my ($all, $before) = (POSIX::SigSet->new, POSIX::SigSet->new);
	$all->fillset;
	POSIX::sigprocmask(POSIX::SIG_BLOCK(), $all, $before);
	my $pid   = fork;
	my $error = $!;
	if (defined $pid && !$pid) {
		$SIG{$_} = 'DEFAULT' for grep { /^[A-Z]/ && ref $SIG{$_} } keys %SIG;
		POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
		FTMPI::Processors::give_way_no_more();
		$child->();
		POSIX::_exit(127);
	}
	POSIX::sigprocmask(POSIX::SIG_SETMASK(), $before);
	$! = $error;
	return $pid;
}

# The name that ps -e, top and pgrep have for this process. Perl's $0 would not do: it overwrites
# the environment that others can see.
sub call_myself
{
	my ($name) = @_;
	open my $file, '>', '/proc/self/comm' or return;
	syswrite $file, $name;
	return;
}

# The pipe ends the sleep of a turn.
sub _open_signal_pipe
{
	my ($self) = @_;
	pipe my $reader, my $writer or die "pipe: $!\n";
	never_block($_) for $reader, $writer;
	$self->{signals} = { writer => $writer, calls => {} };
	$self->on_read($reader, sub { sysread $reader, my $bytes, 4096 });
	return;
}

sub _run_signals
{
	my ($self) = @_;
	my ($calls, $came) = ($self->{signals}{calls}, $self->{came});
	for my $name (sort keys %$came) {
		$calls->{$name}->() if delete $came->{$name};
	}
	return;
}

# Turns until stop() is called.
sub run
{
	my ($self) = @_;
	$self->{running} = 1;
	$self->turn while $self->{running};
	return;
}

sub stop { $_[0]{running} = 0; return }

# One turn: sleep until something is ready or due, then call back. Each line that a rank prints is a turn of its agent and of
# the launcher, which find nothing of theirs in the caches of a processor that computes: no sub is called for what is not there.
sub turn
{
	my ($self) = @_;
	my ($readable, $writable) = ($self->{readv}, $self->{writev});
	my $n = select $readable, $writable, undef, $self->_sleep_time;
	die "select: $!\n" if $n < 0 && !$!{EINTR};
	$self->_run_signals if %{ $self->{came} };
	$self->_dispatch('write', $writable) if $n > 0 && %{ $self->{write} };
	$self->_dispatch('read',  $readable) if $n > 0;
	$self->_run_timers;
	$self->_run_deferred if @{ $self->{deferred} };
	return;
}

# When the next timer is due: looked for when the one that was the next is no more.
sub _first_due
{
	my ($self) = @_;
	return $self->{first} = List::Util::min(NEVER, map { $_->[0] } values %{ $self->{timers} });
}

sub _sleep_time
{
	my ($self) = @_;
	return 0 if @{ $self->{deferred} };
	my $first = $self->{first} // $self->_first_due;
	return if $first == NEVER;
	my $left = $first - now();
	return $left > 0 ? $left : 0;
}

sub _dispatch
{
	my ($self, $kind, $vector) = @_;
	my $bits = unpack 'b*', $vector;
	for (my $fd = index $bits, '1'; $fd >= 0; $fd = index $bits, '1', $fd + 1) {
		my $callback = $self->{$kind}{$fd};
		$callback->() if $callback;
	}
	return;
}

sub _run_timers
{
	my ($self) = @_;
	my ($now, $first) = (now(), $self->{first} // $self->_first_due);
	return if $first > $now;
	$self->_judge_lateness($now - $first) if $self->{late};
	my $timers = $self->{timers};
	my @due    = grep { $timers->{$_}[0] <= $now } keys %$timers;
	for my $id (sort { $timers->{$a}[0] <=> $timers->{$b}[0] || $a <=> $b } @due) {
		my $timer = delete $timers->{$id} or next;
		$self->{first} = undef;
		$timer->[1]->();
	}
	return;
}

sub _judge_lateness
{
	my ($self, $seconds) = @_;
	my ($limit, $callback) = @{ $self->{late} };
	return if delete $self->{forgiven};
	$callback->($seconds) if $seconds >= $limit;
	return;
}

# What these defer is for the next turn.
sub _run_deferred
{
	my ($self) = @_;
	my $deferred = $self->{deferred};
	$self->{deferred} = [];
	$_->() for @$deferred;
	return;
}

1;
