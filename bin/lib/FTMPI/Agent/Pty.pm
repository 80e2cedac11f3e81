# SPDX-License-Identifier: BSD-3-Clause
#
# A pseudo-terminal for what a rank prints (-pty): its programs then believe that somebody is watching.
# It is nobody's controlling terminal, and changes no byte.
package FTMPI::Agent::Pty;

use strict;
use warnings;

use Fcntl qw(F_SETFD FD_CLOEXEC O_NOCTTY O_RDWR);
use POSIX ();

# Linux: to unlock the other side, and the number of it; some machines (mips, powerpc, sparc) spell
# "write" and "read" in another way.
my @TIOCSPTLCK = (0x40045431, 0x80045431);
my @TIOCGPTN   = (0x80045430, 0x40045430);

# The side that is read here, and the side that the rank writes to; or nothing, with $! set.
sub pair
{
	sysopen my $reader, '/dev/ptmx', O_RDWR | O_NOCTTY or return;
	_control($reader, pack('i', 0), @TIOCSPTLCK) // return;
	my $number = unpack 'I', _control($reader, pack('I', 0), @TIOCGPTN) // return;
	sysopen my $writer, "/dev/pts/$number", O_RDWR | O_NOCTTY or return;
	_make_plain($writer) or return;
	fcntl $_, F_SETFD, FD_CLOEXEC for $reader, $writer;
	return ($reader, $writer);
}

# What the device has made of the value.
sub _control
{
	my ($handle, $value, @codes) = @_;
	for my $code (@codes) {
		return $value if ioctl $handle, $code, $value;
	}
	return;
}

# No "\r" before the end of a line.
sub _make_plain
{
	my ($handle) = @_;
	my $terminal = POSIX::Termios->new;
	$terminal->getattr(fileno $handle) or return;
	$terminal->setoflag($terminal->getoflag & ~POSIX::OPOST());
	return $terminal->setattr(fileno $handle, POSIX::TCSANOW());
}

1;
