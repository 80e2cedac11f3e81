#!/usr/bin/perl
# SPDX-License-Identifier: BSD-3-Clause
# Inside a job of Slurm, PBS or LSF: hosts, slots and ranks are those of the job, and agents are started by what it has, here
# by an srun, a blaunch and an ssh that run their command on this machine.
use strict;
use warnings;
no warnings 'qw';

use FindBin ();
use lib "$FindBin::RealBin/lib";
use Test::More;

use LauncherTest;

delete @ENV{ grep { /^(?:SLURM|SRUN|PMI|PBS|LSB)/ } keys %ENV };
delete $ENV{SSH_CONNECTION};

my $ftmpirun = $FTMPIRUN;
my $said = scratch() . '/said';
mkdir scratch() . "/$_" or die for qw(slurm lsf attach none);

# As srun: options, then the words of the command as they are, in a step of one task.
tool('slurm/srun', <<'EOS');
#!/bin/sh
[ -z "$SLURM_LABELIO$SLURM_NTASKS_PER_NODE$SRUN_CPUS_PER_TASK" ] || { echo "srun: error: an option of the environment" >&2; exit 1; }
echo "srun $*" | head -n 1 | cut -d' ' -f1-16 >>"$SAID"
while :; do
	case $1 in
	--nodelist=*) host=${1#*=};;
	--*) ;;
	*) break;;
	esac
	shift
done
case $host in
down) echo "srun: error: Unable to create step for job 7: Requested node configuration is not available" >&2; exit 1;;
noperl) echo "sh: 1: exec: perl: not found" >&2; echo "srun: error: noperl: task 0: Exited with exit code 127" >&2; exit 127;;
killed) echo "srun: error: killed: task 0: Killed" >&2; echo "srun: Job step aborted: Waiting up to 32 seconds" >&2; exit 137;;
fails)
	echo "srun: error: Node failure on fails" >&2
	echo "srun: error: fails: task 0: Killed" >&2
	echo "srun: Job step aborted: Waiting up to 32 seconds for job step to finish." >&2; exit 1;;
esac
export FAKE_HOST=$host BY=srun PMI_RANK=0 PMI_SIZE=1 PMIX_RANK=0 SLURM_PROCID=0 SLURM_STEP_ID=3 SLURM_STEPID=3 SLURM_STEP_NUM_TASKS=1
export SLURMD_NODENAME=$host SLURM_NTASKS=1
exec "$@"
EOS
my $remote = <<'EOS';
host=$1
shift
export FAKE_HOST=$host
[ $# = 1 ] || { echo "not one word" >&2; exit 1; }
exec sh -c "$1"
EOS
tool('lsf/blaunch', "#!/bin/sh\necho \"blaunch \$1\" >>\"\$SAID\"\nexport BY=blaunch\n$remote");
tool('ssh',         "#!/bin/sh\necho \"ssh \$1\" >>\"\$SAID\"\nexport BY=ssh\n$remote");
tool('attach/pbs_attach', <<'EOS');
#!/bin/sh
echo "attach $1 $2 $3 $(test "$4" = "$PPID" || test "$(ps -o ppid= -p "$PPID" | tr -d ' ')" = "$4" && echo the shell)" >>"$SAID"
exit 1
EOS

sub tool
{
	my ($name, $text) = @_;
	chmod 0755, text_file($name, $text);
	return;
}

# Runs ftmpirun with tools of these folders in PATH, and this environment. What the tools did is in `did`.
sub run
{
	my ($folders, $env, @words) = @_;
	unlink $said;
	my $path = join ':', (map { scratch() . "/$_" } @$folders), $ENV{PATH};
	my $job = begin([ $ftmpirun, @words ], env => { PATH => $path, SAID => $said, FTMPI_SSH => "'" . scratch() . "/ssh'", %$env });
	wait_end($job);
	$job->{did} = '';
	if (open my $file, '<', $said) {
		$job->{did} = join '', sort <$file>;
	}
	$job->{sorted} = join '', sort split /^/, $job->{out};
	return $job;
}

sub slurm { return run(['slurm'], { SLURM_JOB_ID => 7, SLURM_JOB_NODELIST => 'n[1-2],x03', SLURM_TASKS_PER_NODE => '2(x2),1', SLURM_NTASKS => 5, %{ $_[0] } }, @_[ 1 .. $#_ ]) }

my @where = ('sh', '-c', 'echo $FTMPI_RANK/$FTMPI_SIZE $FAKE_HOST $BY');
my $five  = "0/5 n1 srun\n1/5 n1 srun\n2/5 n2 srun\n3/5 n2 srun\n4/5 x03 srun\n";

# ---- Slurm ----

my $job = slurm({}, @where);
is("$job->{status} $job->{sorted}$job->{err}", "0 $five", 'hosts, slots and ranks of a job of Slurm');
like($job->{did}, qr/^(?:srun --overlap --nodes=1 --ntasks=1 --unbuffered --mpi=none --cpu-bind=none [^\n]*\n){3}\z/, 'srun is called once for each host');
is(join(' ', $job->{did} =~ /--nodelist=(\S+) sh/g), 'n1 n2 x03', '... each in a step of its own');
nobody_left();

$job = slurm({ SLURM_LABELIO => 1, SLURM_NTASKS_PER_NODE => 2, SRUN_CPUS_PER_TASK => 4 }, qw(-n 1 -host n2), @where);
is("$job->{status} $job->{out}$job->{err}", "0 0/1 n2 srun\n", 'options of srun in the environment are not for the agent');

$job = slurm({ SLURMD_NODENAME => 'n1', PMI_RANK => 0, SLURM_PROCID => 0, SLURM_STEP_ID => 0, SLURM_STEP_NUM_TASKS => 1 }, @where);
is("$job->{status} $job->{sorted}$job->{err}", '0 ' . $five =~ s/ n1 srun//gr, 'no srun for the node where ftmpirun is') or diag $job->{err};
$job = slurm({ SLURMD_NODENAME => 'n1', PMI_RANK => 0, SLURM_PROCID => 0, SLURM_STEP_ID => 0, SLURM_STEP_NUM_TASKS => 1 }, qw(-n 4 env));
is(join(' ', grep { /^(?:PMI|SLURM_PROCID|SLURM_STEP)/ } split /\n/, $job->{out}), '', 'ranks are in no step, and have no PMI');
is(scalar(() = $job->{out} =~ /^SLURM_JOB_ID=7$/mg), 4, '... but in the job');

is(slurm({}, qw(-n 2), @where)->{sorted}, "0/2 n1 srun\n1/2 n1 srun\n", '-n counts');
$job = slurm({}, qw(-n 6), @where);
is($job->{sorted} . $job->{err}, "0/6 n1 srun\n1/6 n1 srun\n2/6 n2 srun\n3/6 n2 srun\n4/6 x03 srun\n5/6 n1 srun\nftmpirun: note: 6 ranks share 5 slots.\n",
	'... also if it is more than there are slots');
is(slurm({}, qw(-no-oversubscribe -n 6 true))->{err}, "ftmpirun: 6 ranks are more than the 5 slots that there are (-no-oversubscribe)\n", '... which can be refused');
is(slurm({}, qw(-ppn 1), @where)->{sorted}, "0/3 n1 srun\n1/3 n2 srun\n2/3 x03 srun\n", '-ppn counts, on all hosts of the job');
is(slurm({}, qw(-ppn 1 -n 2), @where)->{sorted}, "0/2 n1 srun\n1/2 n2 srun\n", '... or as many as there are ranks');
is(slurm({}, qw(-map-by node -n 4), @where)->{sorted}, "0/4 n1 srun\n1/4 n2 srun\n2/4 x03 srun\n3/4 n1 srun\n", '-map-by, too');
is(slurm({}, qw(-host x03:2), @where)->{sorted}, "0/2 x03 srun\n1/2 x03 srun\n", 'hosts count, with their slots');
is(slurm({}, qw(-host x03.example.org), @where)->{sorted}, "0/1 x03 srun\n", '... also with a domain');
my $machines = text_file('machines', "x03\nn2 slots=2\n");
is(slurm({}, '-machinefile', $machines, @where)->{sorted}, "0/3 x03 srun\n1/3 n2 srun\n2/3 n2 srun\n", 'a machine file, too');
is(slurm({}, $machines, 1, scratch() . '/work', @where)->{sorted}, "0/1 x03 srun\n", '... in the first spelling');
is(slurm({}, qw(-host localhost:2), @where)->{sorted}, "0/2\n1/2\n", '... this machine');
$job = slurm({}, qw(-n 1 -host elsewhere true));
is("$job->{status} $job->{err}", "2 ftmpirun: host elsewhere is not in Slurm job 7, which has n1, n2, x03; with -launcher ssh other hosts can be used\n", 'a host that is not in the job');
is(slurm({}, qw(-n 1 -launcher ssh -host elsewhere), @where)->{out}, "0/1 elsewhere ssh\n", '... can be reached by ssh');

$job = slurm({}, qw(-launcher ssh), @where);
is("$job->{status} $job->{sorted}", '0 ' . $five =~ s/srun/ssh/gr, '-launcher ssh: hosts of the job, by ssh');
is(slurm({}, '-ssh', "'" . scratch() . "/ssh'", @where)->{sorted}, $five =~ s/srun/ssh/gr, '-ssh asks for that, too');
for my $tool (qw(sh perl)) {
	my ($there) = grep { -x } map { "$_/$tool" } split /:/, $ENV{PATH};
	symlink $there, scratch() . "/none/$tool" or die;
}
is(slurm({ PATH => scratch() . '/none' }, @where)->{sorted}, $five =~ s/srun/ssh/gr, 'no srun there: ssh');
$job = slurm({}, qw(-launcher slurm -ssh x true));
is("$job->{status} $job->{err}", "2 ftmpirun: -ssh has no meaning with -launcher slurm\n", 'both');
$job = run([], {}, qw(-launcher slurm -n 1 true));
is("$job->{status} $job->{err}", "2 ftmpirun: -launcher slurm: this is not inside a job of Slurm (there are no SLURM_JOB_ID and SLURM_JOB_NODELIST)\n", 'no job');
$job = run([], {}, qw(-launcher ssh -n 1 -host a), @where);
is($job->{out}, "0/1 a ssh\n", '-launcher ssh outside of one');
like(run([], {}, qw(-launcher rsh -n 1 true))->{err}, qr/^ftmpirun: -launcher: 'rsh' is none of auto, ssh, slurm, pbs, lsf/, 'another launcher');
is(run([], {}, 'true')->{err}, "ftmpirun: neither -n N nor MACHINEFILE N WORKDIR PROG is given; try ftmpirun -help\n", 'outside of a job ranks have to be named');

# ---- words without -n ----

my @show = ('sh', '-c', 'echo "$@"', 'x');
is(slurm({ SLURM_NTASKS => 1 }, @show, qw(5 a -n 3))->{out}, "5 a -n 3\n", 'words of the program');
is(slurm({ SLURM_NTASKS => 1 }, qw(-- echo 5 a b))->{out}, "5 a b\n", '... that would be a machine file, a number and a folder, behind --');
is(slurm({ SLURM_NTASKS => 1 }, qw(-host n1 echo 5 a b))->{out}, "5 a b\n", '... or with hosts');
like(slurm({}, qw(echo 5 a b))->{err}, qr/^ftmpirun: cannot read the machine file echo: /, '... and without');
is(slurm({}, qw(-tag-output))->{err}, "ftmpirun: no program is named; try ftmpirun -help\n", 'no program');
my $mpiexec = scratch() . '/mpiexec';
symlink $FTMPIRUN, $mpiexec or die;
{
	$ftmpirun = $mpiexec;
	is(slurm({ SLURM_NTASKS => 1 }, qw(echo 5 a b))->{out}, "5 a b\n", 'mpiexec has one spelling');
	like(run([], {}, 'true')->{err}, qr/^ftmpirun: -n N is not given/, '... and needs -n elsewhere');
	$ftmpirun = $FTMPIRUN;
}

# ---- what goes wrong ----

$job = slurm({ SLURM_JOB_NODELIST => 'n1,down,fails', SLURM_TASKS_PER_NODE => '1(x3)' }, qw(-n 2 sleep 60));
is("$job->{status} $job->{err}", "1 ftmpirun: host down: cannot start: srun: error: Unable to create step for job 7: Requested node configuration is not available\n",
	'what srun says of a host');
$job = slurm({ SLURM_JOB_NODELIST => 'fails', SLURM_TASKS_PER_NODE => '1' }, qw(-n 1 sleep 60));
is("$job->{status} $job->{err}", "1 ftmpirun: host fails: cannot start: srun: error: Node failure on fails\n", '... the line that says why');
for my $end ([ noperl => 'sh: 1: exec: perl: not found' ], [ killed => 'srun: error: killed: task 0: Killed' ]) {
	my ($host, $why) = @$end;
	$job = slurm({ SLURM_JOB_NODELIST => $host, SLURM_TASKS_PER_NODE => '1' }, qw(-n 1 sleep 60));
	is("$job->{status} $job->{err}", "1 ftmpirun: host $host: cannot start: $why\n", '... or how the task ended, if nothing says more');
}
$job = slurm({ SLURM_JOB_NODELIST => 'n[1-' }, 'true');
is("$job->{status} $job->{err}", "2 ftmpirun: SLURM_JOB_NODELIST of Slurm job 7: 'n[1-' is not a list of hosts such as a[1-3,7],b; name the hosts with -host or -machinefile, and the ranks with -n\n",
	'a list that cannot be read');
is(slurm({ SLURM_JOB_NODELIST => 'n[1-' }, qw(-launcher ssh -n 1 -host a), @where)->{out}, "0/1 a ssh\n", '... and need not be');
$job = slurm({ SLURM_STEP_ID => 0, SLURM_PROCID => 3, SLURM_STEP_NUM_TASKS => 4 }, 'true');
is("$job->{status} $job->{err}",
	"2 ftmpirun: this is process 3 of the 4 that srun has started: ftmpirun is started once in a job, without srun, and starts the ranks itself\n", 'srun -n 4 ftmpirun');
$job = slurm({ SLURM_JOB_NODELIST => 'n[1-40000]', SLURM_TASKS_PER_NODE => '2(x40000)', SLURM_NTASKS => '' }, 'true');
is("$job->{status} $job->{err}", "2 ftmpirun: there are 80000 slots, and a job has at most 65536 ranks; write -n N\n", 'too many slots');
nobody_left();

# A host is lost: the ranks go on elsewhere, and srun is not called for hosts that are well.
{
	unlink $said;
	my %env = (PATH => scratch() . "/slurm:$ENV{PATH}", SAID => $said, SLURM_JOB_ID => 7, SLURM_JOB_NODELIST => 'n[1-3]', SLURM_TASKS_PER_NODE => '1(x3)');
	my $lost = begin([ $FTMPIRUN, qw(-restart-from-start -n 2), $RANK, qw(join @0:say:ready @0:hang @1:say:again finalize) ], env => \%env);
	wait_for($lost, 'out', qr/(?:ready\n){2}/);
	my ($agent) = map { /^(\d+):/ } grep { /\(ftmpi-agent\).*agent on n2/ } left_over();
	kill 'KILL', $agent;
	wait_end($lost);
	is($lost->{status}, 0, 'a host is lost') or diag $lost->{err};
	like($lost->{err}, qr/^ftmpirun: lost the connection to host n2; rank 1 goes to n3; restart 1 of 3 from the beginning\.\n/, '... its rank goes on elsewhere');
	open my $file, '<', $said or die "$said: $!";
	is(join(' ', sort map { /--nodelist=(\S+)/ } <$file>), 'n1 n2 n3', '... and each host was asked for once');
	nobody_left();
}

# ---- LSF and PBS ----

my $nodes = text_file('nodes', "a\na\nb\n");
$job = run(['lsf'], { LSB_JOBID => 5, LSB_MCPU_HOSTS => 'a 2 b 1' }, @where);
is("$job->{status} $job->{sorted}$job->{err}", "0 0/3 a blaunch\n1/3 a blaunch\n2/3 b blaunch\n", 'LSF');
is($job->{did}, "blaunch a\nblaunch b\n", '... a blaunch for each host');
$job = run([], { LSB_JOBID => 5, LSB_DJOB_HOSTFILE => $nodes }, @where);
is("$job->{status} $job->{sorted}$job->{err}", "0 0/3 a ssh\n1/3 a ssh\n2/3 b ssh\n", '... by ssh if there is none');

my %pbs = (PBS_JOBID => '12.server', PBS_NODEFILE => $nodes);
$job = run([], {%pbs}, @where);
is("$job->{status} $job->{sorted}$job->{err}", "0 0/3 a ssh\n1/3 a ssh\n2/3 b ssh\n", 'PBS');
$job = run(['attach'], {%pbs}, @where);
is("$job->{status} $job->{sorted}$job->{err}", "0 0/3 a ssh\n1/3 a ssh\n2/3 b ssh\n", '... with pbs_attach, even where that fails');
is($job->{did}, ("attach -j 12.server -p the shell\n") x 2 . "ssh a\nssh b\n", '... which is given the process that becomes the agent');
is(run(['attach'], {%pbs}, '-launcher', 'ssh', @where)->{did}, "ssh a\nssh b\n", '-launcher ssh: without');
is(run(['attach'], {%pbs}, '-launcher', 'pbs', '-ssh', "'" . scratch() . "/ssh'", @where)->{sorted}, "0/3 a ssh\n1/3 a ssh\n2/3 b ssh\n", '-launcher pbs takes -ssh');
$job = run([], { %pbs, PBS_NODEFILE => scratch() . '/gone' }, 'true');
is("$job->{status} $job->{err}", '2 ftmpirun: PBS_NODEFILE of PBS job 12.server: \'' . scratch() . "/gone' cannot be read: No such file or directory;"
	. " name the hosts with -host or -machinefile, and the ranks with -n\n", 'no file');
nobody_left();

done_testing;
