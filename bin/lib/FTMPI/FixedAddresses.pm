# SPDX-License-Identifier: BSD-3-Clause
#
# Processes whose memory is at the same addresses at each start, as the image of a process needs it:
# the kernel does not choose them by chance, and the limit of the stack, from which it counts where it
# maps the rest, is the same on all hosts. Both stay through exec and fork. Linux alone.
package FTMPI::FixedAddresses;

use strict;
use warnings;

use Config ();
use Errno qw(ENOSYS);

# personality and prlimit64, by the kind of machine that perl was built for; there are images on these.
my %CALLS = (x86_64 => [ 135, 302 ], aarch64 => [ 92, 261 ]);

# ADDR_NO_RANDOMIZE; what asks for the personality; RLIMIT_STACK
use constant { NOT_RANDOM => 0x0040000, ASK => 0xffffffff, STACK => 3 };

# Bytes of stack where the limit here is none, or is not known: enough for a program that needs much, and not so
# much that its threads, which have stacks of the same size, get none.
use constant { STACK_UNLIMITED => 1 << 30, STACK_USUAL => 8 << 20 };

# The value of the setting for a job that is started here: all its hosts are to do as this one.
sub stack_here
{
	my ($soft) = _stack_limits();
	return STACK_USUAL if !defined $soft;
	return length $soft > 15 ? STACK_UNLIMITED : $soft;
}

# What the value of the setting fixed-addresses means: bytes of stack, or 0 for none of this.
sub stack_of
{
	my ($value) = @_;
	return ($value // '') =~ /^([0-9]{1,15})\z/ ? $1 + 0 : 0;
}

# Why processes here cannot have that, with a stack of so many bytes, or nothing. This process stays as it is.
sub refuses
{
	my ($stack) = @_;
	my $now = _personality(ASK);
	if ($now < 0 || _personality($now | NOT_RANDOM) < 0) {
		return "its ranks cannot be at the same addresses at each start, as images of processes need it: personality there: $!"
			. ' (the filter of a container may be the reason: docker run --security-opt seccomp=unconfined)';
	}
	_personality($now);
	my (undef, $most) = _stack_limits();
	return "its ranks are to have a stack of $stack bytes, the same on all hosts, as images of processes need it: there the limit is "
		. ($most // "not known: $!") . ' (ulimit -H -s)'
		if !defined $most || $stack > $most;
	return;
}

# This process, once it has executed a program. False, with $! set, where that cannot be.
sub have
{
	my ($stack) = @_;
	my $now = _personality(ASK);
	return 0 if $now < 0 || _personality($now | NOT_RANDOM) < 0;
	my (undef, $most) = _stack_limits() or return 0;
	return _call(1, 0, STACK, pack('Q Q', $stack, $most), 0) == 0;
}

# The personality is this from now on. Returns what it was, or -1.
sub _personality { my ($persona) = @_; return _call(0, $persona) }

# The soft limit of the stack and the hard one.
sub _stack_limits
{
	my $limits = "\0" x 16;
	return _call(1, 0, STACK, 0, $limits) == 0 ? unpack('Q Q', $limits) : ();
}

# The first of %CALLS or the second, with these arguments, which may be written to.
sub _call
{
	my $which = shift;
	my ($machine) = $Config::Config{archname} =~ /^(\w+)/;
	my $numbers = $CALLS{$machine};
	if (!$numbers) {
		$! = ENOSYS;
		return -1;
	}
	return syscall($numbers->[$which], @_);
}

1;
