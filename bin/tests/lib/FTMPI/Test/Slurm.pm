# SPDX-License-Identifier: BSD-3-Clause
package FTMPI::Test::Slurm;

# Slurm on a cluster of network namespaces (FTMPI::Test::Cluster): a munged and a slurmctld on node1, and a slurmd on each
# host. All they have is of this run: files, key and sockets in the folder of the cluster, ports in its namespaces. They
# end with the cluster, however the run ends.
#
#	my $slurm = FTMPI::Test::Slurm->new($cluster);
#	my $job = $slurm->batch('-N2', '-n4', "ftmpirun ./prog\n");
#	$slurm->wait_state($job, qr/COMPLETED/);

use strict;
use warnings;

use POSIX ();
use Test::More ();

use FTMPI::Test::Process qw(must_run run_quiet wait_until);

use constant START_SECONDS => 30;

# Seconds for a job to come to a state, and to begin again after a requeue, which cred_expire holds up.
use constant { STATE_SECONDS => 60, CRED_EXPIRE => 5 };

# A sentence that says why there can be no Slurm here, or undef. (Of the cluster see FTMPI::Test::Cluster.)
sub why_not
{
	for my $tool (qw(/usr/sbin/munged /usr/sbin/slurmctld /usr/sbin/slurmd sbatch srun scancel)) {
		my ($status) = run_quiet('sh', '-c', 'command -v "$1"', 'sh', $tool);
		return "Slurm needs $tool, which is not installed" if $status;
	}
	return undef;
}

sub new
{
	my ($class, $cluster) = @_;
	my $self = bless {cluster => $cluster, dir => $cluster->dir, hosts => scalar $cluster->hosts, daemons => {}}, $class;
	$self->write_files;
	$self->start_daemon('munge', 1, '/usr/sbin/munged', '--foreground', map { "--$_->[0]=$self->{dir}/munge/$_->[1]" }
		['key-file', 'key'], ['socket', 'socket'], ['pid-file', 'pid'], ['log-file', 'log'], ['seed-file', 'seed']);
	$self->must_wait('munged answers', sub { !(run_quiet('munge', '-S', "$self->{dir}/munge/socket", '-n'))[0] });
	$self->start_daemon('slurmctld', 1, '/usr/sbin/slurmctld', '-D', '-f', $self->{conf});
	$self->start_node($_) for 1 .. $self->{hosts};
	$self->wait_nodes('idle', 1 .. $self->{hosts});
	return $self;
}

sub put
{
	my ($self, $name, $text, $mode) = @_;
	my $path = "$self->{dir}/$name";
	open(my $out, '>:raw', $path) or die "cannot write $path: $!\n";
	print $out $text;
	close($out)         or die "cannot write $path: $!\n";
	chmod($mode, $path) or die "$path: $!\n";
	return $path;
}

sub random
{
	open(my $in, '<:raw', '/dev/urandom') or die "/dev/urandom: $!\n";
	sysread($in, my $bytes, 128) == 128 or die "/dev/urandom gives too few bytes\n";
	return $bytes;
}

sub write_files
{
	my ($self) = @_;
	my ($dir, $n) = @$self{qw(dir hosts)};
	# munged wants a folder that everybody may enter
	chmod(0755, $dir) or die "$dir: $!\n";
	mkdir("$dir/$_") or die "$dir/$_: $!\n" for 'munge', 'ctld', map { "spool.node$_" } 1 .. $n;
	$self->put('munge/key', random(), 0400);
	# no cgroup is used, but slurmd looks for the plugin
	$self->put('cgroup.conf', "CgroupPlugin=cgroup/v1\n", 0644);
	$self->{conf} = $self->put('slurm.conf', <<"END", 0644);
ClusterName=ftmpi
SlurmctldHost=node1
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=${\ CRED_EXPIRE}
StateSaveLocation=$dir/ctld
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/slurmd.%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SwitchType=switch/none
SlurmdTimeout=10
KillWait=5
MinJobAge=300
ReturnToService=2
NodeName=node[1-$n] CPUs=2 Sockets=1 CoresPerSocket=2 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=node[1-$n] Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP
END
	return;
}

# The command as one that runs on node n, for this Slurm.
sub on
{
	my ($self, $n, @command) = @_;
	return ($self->{cluster}->host($n)->inside('env', "SLURM_CONF=$self->{conf}", @command));
}

sub start_daemon
{
	my ($self, $name, $n, @command) = @_;
	my @inside = $self->on($n, @command);
	my $pid = fork() // die "cannot fork: $!\n";
	if (!$pid) {
		setpgrp(0, 0);
		$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
		open(STDIN, '<', '/dev/null') && open(STDOUT, '>>', "$self->{dir}/$name.out") && open(STDERR, '>&', \*STDOUT)
			&& exec { $inside[0] } @inside;
		POSIX::_exit(127);
	}
	$self->{daemons}{$name} = $pid;
	return;
}

sub start_node
{
	my ($self, $n) = @_;
	return $self->start_daemon("slurmd.node$n", $n, '/usr/sbin/slurmd', '-D', '-f', $self->{conf}, '-N', "node$n");
}

# Ends all processes of the node but for its sshd, as if it were switched off and its links cut.
sub lose_node
{
	my ($self, $n) = @_;
	my $host = $self->{cluster}->host($n);
	$host->cut;
	kill 'KILL', $host->strangers;
	waitpid(delete $self->{daemons}{"slurmd.node$n"}, 0);
	return;
}

# What the daemons have written, for a test that failed.
sub said
{
	my ($self) = @_;
	my @files = glob "$self->{dir}/{munge,slurmctld,slurmd.node*}.out";
	return join '', map { my ($status, $text) = run_quiet('tail', '-n', 20, $_); "$_:\n$text" } @files;
}

sub must_wait
{
	my ($self, $what, $condition) = @_;
	return if wait_until(START_SECONDS, $condition);
	die "not in time: $what\n" . $self->said;
}

sub wait_nodes
{
	my ($self, $state, @nodes) = @_;
	my $wanted = join ',', map { "node$_" } @nodes;
	$self->must_wait("$wanted are $state", sub {
		my ($status, $text) = run_quiet($self->on(1, 'sinfo', '-h', '-N', '-n', $wanted, '-o', '%t'));
		return !$status && @nodes == grep { $_ eq $state } split ' ', $text;
	});
	return;
}

# Gives a batch script, whose last argument this is, to Slurm; its output is in the file `output`. Returns the job's number.
sub batch
{
	my ($self, @words) = @_;
	my $script = pop @words;
	my $number = ++$self->{scripts};
	my $path = $self->put("script.$number", "#!/bin/bash\n$script", 0755);
	my $text = must_run($self->on(1, 'sbatch', '--parsable', '--chdir=/', '--open-mode=append', "--output=$self->{dir}/out.$number", @words, $path));
	my ($id) = $text =~ /^(\d+)$/m or die "sbatch: $text\n";
	$self->{output}{$id} = "$self->{dir}/out.$number";
	return $id;
}

sub output
{
	my ($self, $id) = @_;
	return FTMPI::Test::Process::slurp($self->{output}{$id});
}

# Waits until the job's output matches; returns whether it does.
sub wait_output
{
	my ($self, $id, $pattern) = @_;
	return 1 if wait_until(STATE_SECONDS, sub { $self->output($id) =~ $pattern });
	Test::More::diag("no $pattern in the output of job $id in time:\n" . $self->output($id) . $self->said);
	return 0;
}

# State and exit status of a job.
sub state
{
	my ($self, $id) = @_;
	my ($status, $text) = run_quiet($self->on(1, 'scontrol', 'show', 'job', $id));
	return join ' ', $text =~ /\bJobState=(\S+)/, $text =~ /\bExitCode=(\S+)/;
}

sub wait_state
{
	my ($self, $id, $pattern) = @_;
	my $state;
	return $state if wait_until(STATE_SECONDS, sub { ($state = $self->state($id)) =~ $pattern });
	Test::More::diag("job $id is not $pattern in time but $state:\n" . $self->output($id) . $self->said);
	return $state;
}

# Processes on these nodes that are neither Slurm's nor of a host at rest.
sub strangers
{
	my ($self, @nodes) = @_;
	my %daemon = map { $_ => 1 } values %{$self->{daemons}};
	return grep { !$daemon{$_} && FTMPI::Test::Process::slurp("/proc/$_/comm") !~ /^(?:slurmscriptd|slurmctld|)$/ }
		map { $self->{cluster}->host($_)->strangers } @nodes;
}

# A check that nothing of any job is left on these nodes, in a while.
sub at_rest
{
	my ($self, $name, @nodes) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @left;
	return Test::More::pass("$name: nothing is left") if wait_until(START_SECONDS, sub { !(@left = $self->strangers(@nodes)) });
	Test::More::fail("$name: nothing is left");
	return Test::More::diag(join ', ', map { FTMPI::Test::Process::process_name($_) } @left);
}

1;
