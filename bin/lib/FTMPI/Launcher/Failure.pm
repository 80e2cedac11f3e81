# SPDX-License-Identifier: BSD-3-Clause
#
# The classes of failures: how a failure comes about, which classes -restart-on mends, and the words for
# the end of a process. Pure.
#
#	error   the program's own: an exit status other than 0, MPI_Abort
#	crash   the program's own: a signal that a program brings on itself
#	killed  a signal from outside: a person, the kernel when memory is short, a limit
#	hung    it showed no life, and was killed for that
#	lost    a connection between two ranks, or two hosts, that both live
#	host    a host, or the way to it
package FTMPI::Launcher::Failure;

use strict;
use warnings;

# Signals by the words that the C library has for them.
my %SIGNAL_TEXT = (
	1  => 'Hangup',
	2  => 'Interrupt',
	3  => 'Quit',
	4  => 'Illegal instruction',
	5  => 'Trace/breakpoint trap',
	6  => 'Aborted',
	7  => 'Bus error',
	8  => 'Floating point exception',
	9  => 'Killed',
	11 => 'Segmentation fault',
	13 => 'Broken pipe',
	14 => 'Alarm clock',
	15 => 'Terminated',
	24 => 'CPU time limit exceeded',
	25 => 'File size limit exceeded',
	31 => 'Bad system call',
);

# ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS
my %CRASH = map { $_ => 1 } 4 .. 8, 11, 31;

my @OUTSIDE = qw(killed hung lost host);
my %MENDED  = (
	none    => [],
	failure => [@OUTSIDE],
	crash   => [ @OUTSIDE, 'crash' ],
	any     => [ @OUTSIDE, 'crash', 'error' ],
);

# A shell tells the signal that ended its program as a status: 128 more than the number of the signal.
sub _signal_in
{
	my ($status) = @_;
	return $status > 128 && $SIGNAL_TEXT{ $status - 128 } ? $status - 128 : 0;
}

# The class of the end of a process; nothing for a good end.
sub of_exit
{
	my ($status, $signal) = @_;
	$signal ||= _signal_in($status);
	return $CRASH{$signal} ? 'crash' : 'killed' if $signal;
	return $status ? 'error' : undef;
}

# Whether a restart is the answer to it, with -restart-on `on`.
sub is_mended
{
	my ($on, $class) = @_;
	return scalar grep { $_ eq $class } @{ $MENDED{$on} };
}

sub how
{
	my ($status, $signal) = @_;
	if (!$signal) {
		my $inner = _signal_in($status);
		return "exited with status $status" . ($inner ? " (as of signal $inner, $SIGNAL_TEXT{$inner})" : '');
	}
	my $text = $SIGNAL_TEXT{$signal} // 'a signal without a name';
	return "was killed by signal $signal ($text)";
}

# As a shell has it.
sub exit_code
{
	my ($status, $signal) = @_;
	return $signal ? 128 + $signal : $status;
}

1;
