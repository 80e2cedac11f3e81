# SPDX-License-Identifier: BSD-3-Clause
#
# Examines processes of the agent's ranks when the launcher asks: reads /proc, for most processes twice, and
# tells the condition that FTMPI::Condition makes of it. Nothing is read while no rank is suspected.
package FTMPI::Agent::Examiner;

use strict;
use warnings;

use FTMPI::Condition ();
use FTMPI::Loop      ();

# Threads of a process that are read: those of the library are among its first.
use constant THREADS_MAX => 256;

# Bytes of a text of /proc.
use constant TEXT_MAX => 4096;

# loop.
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, timers => {} }, $class;
}

# What is the matter with this process: `told` is called with the word and the machine's load, at once
# or after so many seconds. key: of another question, whose answer serves both.
sub ask
{
	my ($self, $key, $pid, $seconds, $told) = @_;
	return if $self->{timers}{$key};
	my $before = look($pid);
	my $word   = FTMPI::Condition::at_once($before);
	if (defined $word) {
		$told->($word, load());
		return;
	}
	$self->{timers}{$key} = $self->{loop}->after($seconds, sub {
		delete $self->{timers}{$key};
		$told->(FTMPI::Condition::judge($before, look($pid)), load());
	});
	return;
}

# What was asked, or what was asked of this one, is of no interest any more.
sub forget
{
	my ($self, $key) = @_;
	my $timers = $self->{timers};
	$self->{loop}->cancel($_) for grep { defined } delete @$timers{ defined $key ? $key : keys %$timers };
	return;
}

sub look
{
	my ($pid) = @_;
	my $look = { at => FTMPI::Loop::now(), threads => {} };
	opendir my $dir, "/proc/$pid/task" or return $look;
	my @ids = sort { $a <=> $b } grep { /^\d+\z/ } readdir $dir;
	for my $id (splice @ids, 0, THREADS_MAX) {
		my $place  = "/proc/$pid/task/$id";
		my $thread = FTMPI::Condition::thread(_text("$place/stat"), _text("$place/schedstat")) // next;
		$look->{threads}{$id} = $thread;
	}
	return $look;
}

sub load { return FTMPI::Condition::load(_text('/proc/loadavg')) }

sub _text
{
	my ($path) = @_;
	open my $file, '<:raw', $path or return;
	my $n = sysread $file, my $text, TEXT_MAX;
	return $n ? $text : undef;
}

1;
