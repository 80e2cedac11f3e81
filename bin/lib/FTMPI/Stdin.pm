# SPDX-License-Identifier: BSD-3-Clause
#
# Standard input on its way to rank 0: never more than WINDOW bytes ahead of what that rank took.
package FTMPI::Stdin;

use strict;
use warnings;

use Errno qw(EAGAIN EINTR EWOULDBLOCK);
use POSIX ();

# RETRY: seconds after which a terminal that belongs to another job is looked at again.
use constant { WINDOW => 262144, CHUNK => 65536, RETRY => 0.5 };

# loop; on_bytes => sub (bytes); on_end => sub.
sub new
{
	my ($class, %arg) = @_;
	my $self = bless { %arg, under_way => 0, over => 0 }, $class;
	$self->_open;
	return $self;
}

sub _open
{
	my ($self) = @_;
	$self->{loop}->on_read(\*STDIN, sub { $self->_read })
		if !$self->{over} && $self->{under_way} < WINDOW;
	return;
}

# Rank 0 took so many bytes.
sub taken
{
	my ($self, $n) = @_;
	$self->{under_way} -= $n;
	$self->_open;
	return;
}

# Nobody reads any more.
sub close
{
	my ($self) = @_;
	$self->{over} = 1;
	$self->{loop}->off_read(\*STDIN);
	return;
}

# Reading a terminal in the background would stop us.
sub _in_background
{
	return if !-t STDIN;
	my $owner = POSIX::tcgetpgrp(0);
	return defined $owner && $owner != getpgrp;
}

sub _read
{
	my ($self) = @_;
	if (_in_background()) {
		$self->{loop}->off_read(\*STDIN);
		$self->{loop}->after(RETRY, sub { $self->_open });
		return;
	}
	my $n = sysread STDIN, my $bytes, CHUNK;
	return if !defined $n && ($!{EINTR} || $!{EAGAIN} || $!{EWOULDBLOCK});
	if (!$n) {
		$self->close;
		$self->{on_end}->();
		return;
	}
	$self->{under_way} += $n;
	$self->{loop}->off_read(\*STDIN) if $self->{under_way} >= WINDOW;
	$self->{on_bytes}->($bytes);
	return;
}

1;
