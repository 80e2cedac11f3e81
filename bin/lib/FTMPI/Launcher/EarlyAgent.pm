# SPDX-License-Identifier: BSD-3-Clause
#
# The agent of this machine, started before anything is known of the job: perl compiles its modules on one
# processor while the launcher's are compiled on another. Most jobs have ranks here, and start sooner by that.
# One that nobody takes hears the end of its channel, and leaves. Nothing is loaded here that takes a while.
package FTMPI::Launcher::EarlyAgent;

use strict;
use warnings;

# WNOHANG of Linux: POSIX takes a while.
use constant WNOHANG => 1;

# Its process as FTMPI::Launcher::Bootstrap::launch has it; it has its modules.
my $waiting;

# folder: of the modules. Where it fails, the job says so later, if it still does: so it does without where the caller has closed
# standard streams, which a pipe would take the numbers of. Command lines of one word mostly ask for the help or the version.
sub start
{
	my ($folder, @words) = @_;
	return if @words < 2;
	my ($in, $out, $err, $their_in, $their_out, $their_err);
	pipe($their_in, $out) && pipe($in, $their_out) && pipe($err, $their_err) or return;
	return if grep { fileno $_ <= 2 } $in, $out, $err, $their_in, $their_out, $their_err;
	my $pid = fork // return;
	$waiting = { pid => $pid, in => $in, out => $out, err => $err };
	_become($their_in, $their_out, $their_err, $folder) if !$pid;
	return;
}

# It makes a session of its own when it has its modules. Until then signals that ask something of ftmpirun, and come to its whole process
# group, come to the agent, too, and would end it: it ignores them for so long.
sub _become
{
	my ($in, $out, $err, $folder) = @_;
	my @asking = grep { ($SIG{$_} // '') ne 'IGNORE' } qw(USR1 USR2);
	$SIG{$_} = 'IGNORE' for @asking;
	$SIG{$_} = 'DEFAULT' for qw(PIPE TTIN TTOU);
	{
		no warnings 'exec';
		open(STDIN, '<&', $in) && open(STDOUT, '>&', $out) && open(STDERR, '>&', $err)
			&& exec { $^X } $^X, '-C0', "-I$folder", '-MFTMPI::Agent', '-e', 'FTMPI::Agent::main(qw(' . "@asking" . '))', 'agent on this machine';
	}
	kill 'KILL', $$;
	return;
}

# For this host, which wants so many descriptors for its ranks; nothing if this one is not for it: it has this process's limit of open files.
sub take
{
	my ($host, $needed, $limit) = @_;
	return if !$host->{local} || !$waiting;
	return discard() if $limit < $needed;
	my $taken = $waiting;
	$waiting = undef;
	return waitpid($taken->{pid}, WNOHANG) ? () : $taken;
}

# Nobody will take it. It leaves by itself when it sees the end of its channel, and is not waited for.
sub discard
{
	my $left = $waiting // return;
	$waiting = undef;
	close $_ for @$left{qw(in out err)};
	return;
}

1;
