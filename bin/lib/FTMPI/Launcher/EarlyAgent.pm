# SPDX-License-Identifier: BSD-3-Clause
#
# The agent of this machine, started before anything is known of the job: perl compiles its modules on one processor while the rest of the
# launcher's are compiled on another. It is a fork of the launcher, which has compiled by then what both need. Most jobs have ranks here, and
# start sooner by that. One that nobody takes hears the end of its channel, and leaves.
package FTMPI::Launcher::EarlyAgent;

use strict;
use warnings;

use POSIX ();

use FTMPI::Channel          ();
use FTMPI::Control          ();
use FTMPI::Lateness         ();
use FTMPI::Net              ();
use FTMPI::Processors       ();
use FTMPI::StoppedProcesses ();

# What `ps` shows of it, with its arguments.
use constant WORDS => 'agent on this machine';

# Its process as FTMPI::Launcher::Bootstrap::launch has it; it has its modules.
my $waiting;

# agent: what the child does, and does not come back from. Where no child can be made the job says so later, if it still cannot: so it does
# without one where the caller has closed standard streams, which a pipe would take the numbers of. Command lines of one word mostly ask for
# the help or the version.
sub start
{
	my ($agent, @words) = @_;
	return if @words < 2;
	my ($in, $out, $err, $their_in, $their_out, $their_err);
	pipe($their_in, $out) && pipe($in, $their_out) && pipe($err, $their_err) or return;
	return if grep { fileno $_ <= 2 } $in, $out, $err, $their_in, $their_out, $their_err;
	my $pid = fork // return;
	if (!$pid) {
		close $_ for $in, $out, $err;
		_become($their_in, $their_out, $their_err, $agent);
	}
	FTMPI::Processors::leave_to($pid);
	$waiting = { pid => $pid, in => $in, out => $out, err => $err };
	return;
}

# It has a session of its own: what is typed at our terminal, or sent to our process group, is for the launcher alone.
sub _become
{
	my ($in, $out, $err, $agent) = @_;
	POSIX::setsid();
	$SIG{$_} = 'DEFAULT' for qw(PIPE TTIN TTOU), grep { ref $SIG{$_} } qw(USR1 USR2);
	open(STDIN, '<&', $in) && open(STDOUT, '>&', $out) && open(STDERR, '>&', $err) or POSIX::_exit(1);
	close $_ for $in, $out, $err;
	_show_words();
	eval { $agent->(); 1 } or print STDERR $@;
	POSIX::_exit(1);
	return;
}

# In place of ftmpirun's, so that what ends that by its arguments (pkill -f) does not end what would clear up after it. Perl's $0 would not
# do: it overwrites the environment that others can see. Where this cannot be, the arguments stay.
sub _show_words
{
	open my $stat, '<', '/proc/self/stat' or return;
	my $text = do { local $/; <$stat> } // '';
	my ($begin, $end) = (split ' ', $text =~ s/^.*\)//sr)[ 45, 46 ];
	return if !$end || $end <= $begin;
	open my $memory, '+<:raw', '/proc/self/mem' or return;
	sysseek $memory, $begin, 0 or return;
	syswrite $memory, pack 'a' . ($end - $begin - 1) . 'x', WORDS;
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
	return waitpid($taken->{pid}, POSIX::WNOHANG()) ? () : $taken;
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
