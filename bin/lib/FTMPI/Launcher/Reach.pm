# SPDX-License-Identifier: BSD-3-Clause
#
# What reaches another host: ssh, or what the batch system has in its place. Words in, a command out, whose standard input
# and output are those of what runs there. Pure.
#
#	ssh    the user's ssh command, the host, and a command line for the shell there
#	slurm  srun, with the words as they are: a step of one task
#	pbs    as ssh; the processes are made part of the job there, where PBS has pbs_attach. (pbsdsh and pbs_tmrsh pass on
#	       neither standard input nor output.)
#	lsf    blaunch, as ssh
package FTMPI::Launcher::Reach;

use strict;
use warnings;

use constant DEFAULT_SSH => 'ssh -o BatchMode=yes -o ConnectTimeout=10';

# A step of its own for each host, so that one that is lost ends no other. It takes nothing that other steps could lack
# (--overlap), not even a part of the processors (--cpu-bind). Without -u srun passes on whole lines only.
my @SRUN = qw(srun --overlap --nodes=1 --ntasks=1 --unbuffered --mpi=none --cpu-bind=none --export=ALL --chdir=/ --input=all --output=all
	--error=all --wait=0);

# What srun would take from these, which sbatch and its user set for the programs of the job, is wrong for an agent.
my @SRUN_VARIABLES = qw(SLURM_LABELIO SLURM_NTASKS_PER_NODE SLURM_NTASKS_PER_CORE SLURM_NTASKS_PER_SOCKET SLURM_NTASKS_PER_GPU
	SLURM_DISTRIBUTION SLURM_HINT SLURM_EXACT SLURM_EXCLUSIVE SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK
	SLURM_THREADS_PER_CORE SLURM_TRES_PER_TASK SLURM_CPU_BIND SLURM_MEM_BIND SLURM_TASK_PROLOG SLURM_TASK_EPILOG SLURM_TIMELIMIT
	SLURM_SPREAD_JOB SLURM_RESV_PORTS SLURM_IMMEDIATE SLURM_MULTI_PROG);

# Attaches itself, where that can be done. It goes through a shell of unknown kind as one single-quoted word.
my $ATTACH = 'j=$1; shift; (PATH=$PATH:${PBS_EXEC:-/opt/pbs}/bin; command -v pbs_attach && pbs_attach -j "$j" -p $$)'
	. ' >/dev/null 2>&1 </dev/null; exec "$@"';

# kind; ssh => [words]; id: of the batch system's job; set => { variables of the environment that are set }.
sub new
{
	my ($class, %arg) = @_;
	return bless { kind => 'ssh', set => {}, %arg }, $class;
}

sub kind { return $_[0]{kind} }

# The command that runs these words on the host.
sub command
{
	my ($self, $host, @words) = @_;
	my $kind = $self->{kind};
	return ($self->_srun($host), @words) if $kind eq 'slurm';
	@words = ('sh', '-c', $ATTACH, 'ftmpirun', $self->{id}, @words) if $kind eq 'pbs';
	return ($self->_remote_shell, $host, join ' ', 'exec', map { /^[\w.\/-]+\z/ ? $_ : "'$_'" } @words);
}

sub _remote_shell { my ($self) = @_; return $self->{kind} eq 'lsf' ? 'blaunch' : @{ $self->{ssh} } }

sub _srun
{
	my ($self, $host) = @_;
	my @unset = map { ('-u', $_) } grep { exists $self->{set}{$_} } @SRUN_VARIABLES;
	return (@unset ? ('env', @unset) : (), @SRUN, "--nodelist=$host");
}

# What a user can type to see what is wrong with a host.
sub trial
{
	my ($self, $host) = @_;
	return ($self->{kind} eq 'slurm' ? $self->_srun($host) : ($self->_remote_shell, $host), 'perl', '-v');
}

# Of lines on the standard error of the command the one that says why it has ended. srun ends with how the task has ended, and
# what it does about that.
sub reason
{
	my ($self, @lines) = @_;
	return $lines[-1] if $self->{kind} ne 'slurm';
	my ($node) = grep { /^(?:srun|slurmstepd\S*): .*(?:Node failure|DUE TO NODE FAILURE)/ } @lines;
	my @causes = grep { !/^srun: (?!error: )/ && !/^srun: error: \S+: tasks? / } @lines;
	my @ends = grep { /^srun: error: / } @lines;
	return $node // $causes[-1] // $ends[-1] // $lines[-1];
}

1;
