# SPDX-License-Identifier: BSD-3-Clause
#
# How an agent gets to its host: perl is started there with a short program that reads the agent's
# modules from standard input, so that nothing of FTMPI has to be installed on that host. What brings that
# program there is FTMPI::Launcher::Reach; an agent on this machine is started without it.
package FTMPI::Launcher::Bootstrap;

use strict;
use warnings;

use POSIX ();

use FTMPI::Error ();
use FTMPI::Loop  ();

# The modules of the agent; each stands after those that it uses.
my @MODULES = map { "FTMPI/$_.pm" } qw(Error Wire Control Processors Loop Channel Agent/Watchdog StoppedProcesses
	Lateness Condition Positions PrintedAgain Agent/Examiner Unread Agent/StdinPipe Agent/Pipes Address Net Agent/Listeners Agent/Sweep Agent/Elf Agent/ForeignMpi
	Agent/Pty FixedAddresses Agent/Spawn Agent/Program Agent/RestartInPlace Agent/Process Agent/Binding PartialLines KeeperFolder RankFolders Agent/Ranks Agent/Injection Probe Agent);

# Run by perl on the host. It may go through two shells of unknown kind as one single-quoted word: no
# single quote, no exclamation mark, no line end in it.
my $BOOT = 'binmode STDIN;'
	. 'sub r{my($n,$b)=(shift,"");while(length($b)<$n){'
	. 'sysread(STDIN,$b,$n-length($b),length$b)or exit 97}$b}'
	. 'for(1..unpack"V",r(4)){my$f=r(unpack"V",r(4));my$s=r(unpack"V",r(4));'
	. '$INC{$f}=$f;eval qq(#line 1 $f\n$s;1)or die$@}'
	. 'FTMPI::Agent::main()';

# Every rank takes five descriptors of its agent, and any host may get all ranks of the job; a soft limit that is too low
# for that is raised as far as needed, if it may be. What `ps` shows of the agent is short and says
# what it is.
my $SHELL = 'test "$(ulimit -n)" -lt "$1" 2>/dev/null &&'
	. ' { ulimit -S -n "$1" || ulimit -S -n "$(ulimit -H -n)"; } 2>/dev/null;'
	. ' FTMPI_BOOT=$2 exec perl -C0 -e "eval delete \$ENV{FTMPI_BOOT}; print STDERR \$@" "agent on $3"';

sub descriptors_needed
{
	my ($ranks) = @_;
	return 100 + 5 * $ranks;
}

sub _needed
{
	my ($host) = @_;
	return descriptors_needed($host->{size} // scalar @{ $host->{ranks} });
}

# host: name, local, size (the ranks of the job); reach: see FTMPI::Launcher::Reach, for a host that is not this one.
sub command
{
	my ($host, $reach) = @_;
	my @agent = ('sh', '-c', $SHELL, 'ftmpirun', _needed($host), $BOOT, $host->{name});
	return $host->{local} ? @agent : $reach->command($host->{name}, @agent);
}

# The first bytes that the agent reads: the sources of its modules, which need not be compiled here.
sub payload
{
	my $bytes = pack 'V', scalar @MODULES;
	for my $module (@MODULES) {
		my $path = ($INC{'FTMPI/Launcher/Bootstrap.pm'} =~ s{FTMPI/Launcher/Bootstrap\.pm\z}{}r) . $module;
		open my $file, '<:raw', $path or FTMPI::Error::failed("cannot read $path: $!");
		my $source = do { local $/; <$file> };
		$bytes .= pack 'V/a* V/a*', $module, $source;
	}
	return $bytes;
}

# Start the command: { pid, in, out, err }, where `in` is what it says and `out` what it hears; or
# nothing with $! set. It has its own session: what is typed at our terminal is for the launcher
# alone. A pipe for each way, not a socket for both: who has it as standard input and lets nothing block there,
# as ssh and the agent do, would do the same to the standard output of whatever the command is behind, which may
# be `dd` or `tee`.
sub launch
{
	my (@command) = @_;
	my ($in, $out, $err, $their_in, $their_out, $their_err);
	pipe($their_in, $out)  or return;
	pipe($in, $their_out)  or return;
	pipe($err, $their_err) or return;
	my $pid = FTMPI::Loop::spawn(sub { _become($their_in, $their_out, $their_err, @command) });
	return if !defined $pid;
	return { pid => $pid, in => $in, out => $out, err => $err };
}

sub _become
{
	my ($in, $out, $err, @command) = @_;
	POSIX::setsid();
	$SIG{$_} = 'DEFAULT' for qw(PIPE TTIN TTOU);
	POSIX::dup2(fileno $in,  0);
	POSIX::dup2(fileno $out, 1);
	POSIX::dup2(fileno $err, 2);
	{
		no warnings 'exec';
		exec { $command[0] } @command;
	}
	my $text = "cannot run $command[0]: $!\n";
	POSIX::write(2, $text, length $text);
	return;
}

1;
