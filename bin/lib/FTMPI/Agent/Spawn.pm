# SPDX-License-Identifier: BSD-3-Clause
#
# One rank's process as its agent starts it: own process group, own three streams, and beside them
# exactly these descriptors: the control connection, the listening socket, and the one for heartbeats
# if there are any.
package FTMPI::Agent::Spawn;

use strict;
use warnings;

use Errno qw(EACCES EMFILE ENOENT);
use Fcntl qw(F_DUPFD);
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);

use FTMPI::FixedAddresses ();
use FTMPI::Agent::ForeignMpi     ();
use FTMPI::Agent::Pty            ();
use FTMPI::Agent::Sweep          ();
use FTMPI::Loop                  ();
use FTMPI::Processors            ();

# Linux; Fcntl does not have it.
use constant F_DUPFD_CLOEXEC => 1030;

# Where a rank finds them: above the numbers that shell scripts redirect, the same in every rank.
use constant { BEAT_FD => 61, CONTROL_FD => 62, LISTEN_FD => 63, CLEAR_OF_THEM => 64 };

# A child needs four above that while it puts them there.
use constant DESCRIPTORS_MIN => CLEAR_OF_THEM + 4;

# Bytes of a complaint: rank, errno, epoch.
use constant COMPLAINT => 12;

# Enter the environment and the working directory of the job. Returns why that cannot be, or nothing.
sub enter
{
	my ($env, $wdir) = @_;
	set_environment(@$env);
	return chdir $wdir ? () : "cannot enter the working directory $wdir: $!";
}

# Why ranks of this program (FTMPI::Agent::Program) cannot be run here, or nothing.
sub refuses
{
	my ($program) = @_;
	my $path = $program->executable // return $program->why;
	my $why  = FTMPI::Agent::ForeignMpi::refuses($path);
	return 'cannot run ' . $program->name . ": $why" if defined $why;
	my $limit = _descriptor_limit();
	return if $limit >= DESCRIPTORS_MIN;
	return "cannot start ranks: the limit of open files there is $limit (ulimit -n), and "
		. DESCRIPTORS_MIN . ' is the least';
}

# run as this rank is to have it: of its own part, if there are several.
sub of_part
{
	my ($run, $rank) = @_;
	my ($part) = grep { $rank >= $_->{first} && $rank < $_->{first} + $_->{n} } @{ $run->{parts} // [] };
	return $run if !$part;
	return { %$run, %$part, settings => [ @{ $run->{settings} }, "appnum=$part->{number}" ] };
}

# VAR=value sets, VAR alone unsets. The mark of another agent, under which ftmpirun itself may run, is
# not for our ranks.
sub set_environment
{
	for my $word (@_) {
		my ($name, $value) = split /=/, $word, 2;
		next if $name eq FTMPI::Agent::Sweep::MARK;
		if (defined $value) {
			$ENV{$name} = $value;
		} else {
			delete $ENV{$name};
		}
	}
	return;
}

sub _descriptor_limit { return POSIX::sysconf(POSIX::_SC_OPEN_MAX()) }

# $! in words, and with what may be done about it.
sub system_reason
{
	return "$!" if !$!{EMFILE};
	return "$!: the limit there is " . _descriptor_limit() . ' (ulimit -n)';
}

# What a file is, whatever its name: undef when there is none.
sub file_id
{
	my ($path) = @_;
	my ($device, $inode) = stat $path;
	return defined $inode ? "$device:$inode" : undef;
}

# The file that execvp would run, with the caller's PATH and directory; a name that is not in PATH
# may also be in this directory. Nothing, with $! set, when there is none.
sub find_program
{
	my ($name) = @_;
	my @paths = $name =~ m{/} ? ($name) : map { (length $_ ? $_ : '.') . "/$name" }
		split(/:/, $ENV{PATH} // '/usr/local/bin:/usr/bin:/bin', -1), '.';
	my $error = ENOENT;
	for my $path (@paths) {
		next if !stat $path;
		return $path if -f _ && -x _;
		$error = EACCES;
	}
	$! = $error;
	return;
}

# plan: rank, local_rank, size, epoch, session_name, path and file (what is executed), argv, listen, beat (or undef), complaints
# (where a failed exec is told), stdin (what it reads, or undef for nothing), processors (those that it is bound to, or undef),
# stack (bytes, at addresses that are the same at each start, or 0: as the host has it), image (true: FTMPI_IMAGE is set). Returns { pid, file,
# socket (the control connection), out => {1, 2} }, or nothing with $! set.
sub start
{
	my ($plan) = @_;
	my ($mine, $theirs, @reader, @writer);
	socketpair($mine, $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or return;
	for my $stream (1, 2) {
		($reader[$stream], $writer[$stream]) = _stream($plan->{pty} && $stream == 1) or return;
	}
	my $pid = FTMPI::Loop::spawn(sub { _become($plan, $theirs, @writer) });
	return if !defined $pid;
	setpgrp $pid, $pid;
	return {
		pid    => $pid,
		file   => $plan->{file},
		socket => $mine,
		out    => { 1 => $reader[1], 2 => $reader[2] },
	};
}

# The side that is read here, and the rank's: a pipe, or a terminal.
sub _stream
{
	my ($terminal) = @_;
	return FTMPI::Agent::Pty::pair() if $terminal;
	pipe my $reader, my $writer or return;
	return ($reader, $writer);
}

# In the child. Every other descriptor is close-on-exec.
sub _become
{
	my ($plan, $control, undef, $out, $err) = @_;
	setpgrp 0, 0;
	$SIG{PIPE} = 'DEFAULT';
	my $failed = fcntl $plan->{complaints}, F_DUPFD_CLOEXEC, CLEAR_OF_THEM;
	_place_streams($plan->{stdin}, $out, $err);
	_place_sockets($control, @$plan{qw(listen beat)});
	_place_names($plan);
	FTMPI::Processors::bind_to(@{ $plan->{processors} }) if $plan->{processors};
	_enter_part($plan) if $plan->{own_env};
	if (!$plan->{stack} || FTMPI::FixedAddresses::have($plan->{stack})) {
		no warnings 'exec';
		exec { $plan->{path} } @{ $plan->{argv} };
	}
	POSIX::write($failed, pack('V V V', $plan->{rank}, $! + 0, $plan->{epoch}), COMPLAINT);
	return;
}

# A directory that has gone since it was found is told as the program's own failure to start.
sub _enter_part
{
	my ($plan) = @_;
	set_environment(@{ $plan->{own_env} });
	$ENV{FTMPI_PART_SIZE} = $plan->{n};
	chdir $plan->{wdir} or $plan->{path} = $plan->{wdir};
	return;
}

sub _place_streams
{
	my ($stdin, $out, $err) = @_;
	POSIX::dup2(fileno $stdin, 0) if defined $stdin;
	POSIX::dup2(fileno $out,   1);
	POSIX::dup2(fileno $err,   2);
	return;
}

# Through copies above all places: any may already stand where another is to go.
sub _place_sockets
{
	my ($control, $listen, $beat) = @_;
	my %from = (CONTROL_FD, $control, LISTEN_FD, $listen);
	$from{ +BEAT_FD } = $beat if $beat;
	my %copy = map { $_ => fcntl $from{$_}, F_DUPFD, CLEAR_OF_THEM } keys %from;
	for my $place (keys %copy) {
		POSIX::dup2($copy{$place}, $place);
		POSIX::close($copy{$place});
	}
	return;
}

sub _place_names
{
	my ($plan) = @_;
	$ENV{FTMPI_CONTROL_FD} = CONTROL_FD;
	$ENV{FTMPI_LISTEN_FD}  = LISTEN_FD;
	delete @ENV{qw(FTMPI_BEAT_FD FTMPI_PART_SIZE FTMPI_IMAGE)};
	$ENV{FTMPI_BEAT_FD}    = BEAT_FD if $plan->{beat};
	$ENV{FTMPI_IMAGE}      = 1 if $plan->{image};
	$ENV{FTMPI_RANK}       = $plan->{rank};
	$ENV{FTMPI_SIZE}       = $plan->{size};
	$ENV{FTMPI_LOCAL_RANK} = $plan->{local_rank};
	$ENV{FTMPI_SESSION}    = $plan->{session_name};
	return;
}

1;
