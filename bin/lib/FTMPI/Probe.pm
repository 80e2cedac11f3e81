# SPDX-License-Identifier: BSD-3-Clause
#
# The agent's part of finding out whether all hosts share the work directory: on one host a small file
# is made there, on the others it is looked for, then it is removed. A process of its own does that: a
# file system that does not answer must not hold up the agent.
package FTMPI::Probe;

use strict;
use warnings;

use Errno qw(ENOENT);
use Fcntl qw(O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK O_RDONLY O_WRONLY);
use POSIX ();

use FTMPI::Loop ();

# Behind what the process says: it has said all.
use constant END_OF_ANSWER => '.';

# What PROBE asks for.
use constant { LOOK => 0, MAKE => 1, REMOVE => 2 };

# How often, and after how many seconds again, a file is looked for that is not there: a client of a file
# server may learn of it late.
use constant { TRIES => 4, PAUSE => 0.5 };

# loop; tell => sub (message to the launcher).
sub new
{
	my ($class, %arg) = @_;
	return bless { %arg, orders => [] }, $class;
}

# Obey a PROBE: PROBED follows, unless the file system does not answer. One after the other: a file is not
# removed before it was made.
sub obey
{
	my ($self, @order) = @_;
	push @{ $self->{orders} }, [@order];
	$self->_obey(@order) if @{ $self->{orders} } == 1;
	return;
}

sub _obeyed
{
	my ($self, $order, $why) = @_;
	shift @{ $self->{orders} };
	$self->{tell}->('PROBED', $order, $why);
	$self->_obey(@{ $self->{orders}[0] }) if @{ $self->{orders} };
	return;
}

sub _obey
{
	my ($self, $order, $workdir, $name) = @_;
	my $path = "$workdir/$name";
	pipe my $reader, my $writer or return $self->_obeyed($order, "pipe: $!");
	my $pid = FTMPI::Loop::spawn(
		sub {
			FTMPI::Loop::call_myself('ftmpi-probe');
			_keep_only(fileno $writer);
			my $answer = _do($order, $path, $name) . END_OF_ANSWER;
			POSIX::write(fileno $writer, $answer, length $answer);
			POSIX::_exit(0);
		});
	close $writer;
	return $self->_obeyed($order, "fork: $!") if !defined $pid;
	push @{ $self->{made} }, $path if $order == MAKE;
	my $answer = '';
	$self->{loop}->on_read(
		$reader,
		sub {
			return if sysread $reader, $answer, 4096, length $answer;
			$self->{loop}->off_read($reader);
			$self->_obeyed($order, chop $answer eq END_OF_ANSWER ? $answer : 'the process that looked was killed');
		});
	return;
}

# While the file system does not answer, this process holds nothing else of the agent: the ends of what
# others listen to tell of the agent's own end.
sub _keep_only
{
	my ($kept) = @_;
	POSIX::dup2(1, 2);
	opendir my $dir, '/proc/self/fd' or return;
	my @numbers = grep { /^\d+\z/ && $_ > 2 && $_ != $kept } readdir $dir;
	closedir $dir;
	POSIX::close($_) for @numbers;
	return;
}

# Why it cannot be done, or ''.
sub _do
{
	my ($order, $path, $name) = @_;
	return _make($path, $name) if $order == MAKE;
	return _look($path, $name) if $order == LOOK;
	return unlink($path) || $!{ENOENT} ? '' : "$!";
}

sub _make
{
	my ($path, $text) = @_;
	sysopen my $file, $path, O_CREAT | O_EXCL | O_WRONLY, 0600 or return "$!";
	return (syswrite($file, $text) // 0) == length $text && close $file ? '' : "$!";
}

sub _look
{
	my ($path, $text) = @_;
	for (2 .. TRIES) {
		last if -e $path;
		select undef, undef, undef, PAUSE;
	}
	sysopen my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return "$!";
	return 'it is no file there' if !-f $file;
	my $read = sysread $file, my $there, 1 + length $text;
	return "$!" if !defined $read;
	return $there eq $text ? '' : 'it holds something else there';
}

# The agent leaves, and nothing of its session runs any more.
sub clear
{
	my ($self) = @_;
	unlink @{ $self->{made} // [] };
	return;
}

1;
