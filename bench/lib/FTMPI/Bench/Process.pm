# SPDX-License-Identifier: BSD-3-Clause
#
# One command with a limit of time, of which nothing stays behind. The processes of a job are in several
# process groups, and some outlive their launcher; all of them have MARK in their environment.
package FTMPI::Bench::Process;

use strict;
use warnings;

use POSIX ();
use Time::HiRes qw(time);

use constant {
	MARK           => 'FTMPI_BENCH_MARK',
	GRACE          => 2,                    # seconds to end after the last line
	PATIENCE       => 3,                    # seconds to end after SIGTERM
	KILLED         => 20,                   # seconds to be gone after SIGKILL
	SYS_pidfd_open => 434,                  # the same on all of today's Linux machines
};

my $number = 0;

# What runs now, for whoever must end it.
my $running;

# command, env (all of it), dir, limit (seconds); lines: so many are expected, and when they are there
# the command has GRACE to end (option grace). Returns
#	out, err the lines of its standard output, and error
#	state    ended; failed; lingered (all was said, but it did not end); limit
#	why      a sentence when it did not just end
#	seconds  until its end
sub run
{
	my (%arg) = @_;
	my $job = start(%arg);
	my $end = $job->{from} + $arg{limit};
	while (!$job->{gone}) {
		my $wanted = $arg{lines} && @{ [ $job->{out} =~ /\n/g ] } >= $arg{lines};
		if ($wanted && !$job->{said_all}++) {
			my $soon = time + ($arg{grace} // GRACE);
			$end = $soon if $soon < $end;
		}
		last if !take($job, $end);
	}
	my $seconds = time - $job->{from};
	$job->{by_itself} = $job->{gone};
	stop();
	return { _outcome($job, $arg{limit}), out => [ split /\n/, $job->{out} ], err => [ split /\n/, $job->{err} ], seconds => $seconds };
}

# End what runs; for others: when an exception has left `run`.
sub stop
{
	my $job = $running or return;
	undef $running;
	_end($job) if $job->{pid};
	return;
}

# Of what `run` takes: command, env, dir. The next two are for those who follow a job as it runs; its
# out and err they may cut.
sub start
{
	my (%arg) = @_;
	my $job = { from => time, mark => "$$-" . ++$number, out => '', err => '', name => $arg{command}[0] };
	pipe $job->{out_fh}, my $out or die "pipe: $!\n";
	pipe $job->{err_fh}, my $err or die "pipe: $!\n";
	$running = $job;
	$job->{pid} = fork // die "cannot start a process: $!\n";
	_become($job, \%arg, $out, $err) if !$job->{pid};
	setpgrp $job->{pid}, $job->{pid};
	my $fd = syscall SYS_pidfd_open, $job->{pid} + 0, 0;
	open $job->{life}, '<&=', $fd or die "cannot watch a process: $!\n";
	return $job;
}

sub _become
{
	my ($job, $arg, $out, $err) = @_;
	$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP PIPE);
	setpgrp 0, 0;
	%ENV = (%{ $arg->{env} }, MARK, $job->{mark});
	open my $null, '<', '/dev/null';
	POSIX::dup2(fileno $null, 0);
	POSIX::dup2(fileno $out,  1);
	POSIX::dup2(fileno $err,  2);
	chdir $arg->{dir} or POSIX::_exit(126);
	no warnings 'exec';
	exec { $arg->{command}[0] } @{ $arg->{command} }
		or syswrite STDERR, "cannot run $arg->{command}[0]: $!\n";
	POSIX::_exit(127);
}

# Take in what happens next ({gone}: it has ended); false when nothing does before `end`.
sub take
{
	my ($job, $end) = @_;
	my ($bits, $left) = ('', $end - time);
	my @open = grep { $job->{"${_}_fh"} } qw(out err);
	vec($bits, fileno $job->{"${_}_fh"}, 1) = 1 for @open;
	vec($bits, fileno $job->{life}, 1) = 1;
	my $n = select $bits, undef, undef, $left > 0 ? $left : 0;
	return 0 if $n == 0;
	return 1 if $n < 0;
	for my $name (grep { vec $bits, fileno $job->{"${_}_fh"}, 1 } @open) {
		$! = 0;
		my $got = sysread $job->{"${name}_fh"}, $job->{$name}, 65536, length $job->{$name};
		delete $job->{"${name}_fh"} if !$got && !$!{EINTR};
	}
	$job->{gone} = vec $bits, fileno $job->{life}, 1;
	return 1;
}

# Whatever is left of it goes, politely first. Its last words are taken in.
sub _end
{
	my ($job) = @_;
	my $end = time + PATIENCE;
	if (!$job->{gone}) {
		kill 'TERM', -$job->{pid};
		1 while !$job->{gone} && take($job, $end);
	}
	kill 'KILL', -$job->{pid};
	while (my @left = _marked($job)) {
		kill 'KILL', @left;
		die "processes @left of $job->{name} cannot be killed\n" if time > $end + KILLED;
		select undef, undef, undef, 0.005;
	}
	waitpid $job->{pid}, 0;
	$job->{status} = $?;
	take($job, 0) for 1 .. 16;
	return;
}

sub _marked
{
	my ($job) = @_;
	my $mark = MARK . "=$job->{mark}";
	my @found;
	for my $file (glob '/proc/[0-9]*/environ') {
		my ($pid) = $file =~ /(\d+)/;
		open my $in, '<', $file or next;
		local $/;
		my $text = <$in> // next;
		push @found, $pid if index("\0$text", "\0$mark\0") >= 0;
	}
	return @found;
}

sub _outcome
{
	my ($job, $limit) = @_;
	if (!$job->{by_itself}) {
		return (state => 'lingered', why => 'it did not end by itself') if $job->{said_all};
		return (state => 'limit', why => "it was not done after $limit s");
	}
	return (state => 'ended') if $job->{status} == 0;
	my ($first) = grep { /\S/ } split /\n/, $job->{err};
	my $how = $job->{status} & 127 ? 'signal ' . ($job->{status} & 127) : 'status ' . ($job->{status} >> 8);
	return (state => 'failed', why => "$job->{name} ended with $how" . (defined $first ? ": $first" : ''));
}

1;
