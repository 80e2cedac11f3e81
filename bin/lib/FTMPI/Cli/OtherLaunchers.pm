# SPDX-License-Identifier: BSD-3-Clause
#
# Options that other launchers have, and what is here in their place: what is answered to them, and a part of
# the manual page. Pure.
package FTMPI::Cli::OtherLaunchers;

use strict;
use warnings;

my $BY_HAND = 'taskset(1) or numactl(8) in a script of each rank, by FTMPI_LOCAL_RANK and with -bind none, does what else is wanted';

my $IN_JOB = 'give it to sbatch, salloc or their like: ftmpirun runs inside the job that they begin';

my $NO_SERVER = 'leave it out: each job is on its own, and leaves no process behind that others could use';

# names, answer
my @TABLE = (
	[ [qw(N nodes)], 'write -ppn N for N ranks on each host; how many hosts a job has is said by -host, -machinefile or the batch job' ],
	[ [qw(pernode)], 'write -ppn 1' ],
	[ [qw(c)], 'write -n N for N ranks; how many processors each of them needs is said by OMP_NUM_THREADS' ],
	[ [qw(ntasks)], 'write -n N' ],
	[ [qw(npersocket ntasks-per-core ntasks-per-socket ppr)], "write -ppn N for the ranks of each host; -bind gives them processors there, and $BY_HAND" ],
	[ [qw(bynode)], 'write -map-by node' ],
	[ [qw(byslot)], 'write -map-by slot, or leave it out' ],
	[ [qw(m distribution)], 'write -map-by slot for block, and -map-by node for cyclic' ],
	[ [qw(rf rankfile)], "-host or -machinefile names the hosts with their slots, -map-by says which rank goes where, and $BY_HAND" ],
	[ [qw(rank-by bycore)], "ranks are numbered in the order in which -map-by places them; -bind gives them processors in that order, and $BY_HAND" ],
	[ [qw(bind-to-core)], 'write -bind core' ],
	[ [qw(bind-to-socket cpu-bind cpu-list cpu-set membind mem-bind topolib)], "-bind says how ranks are bound, and $BY_HAND" ],
	[ [qw(cpus-per-proc cpus-per-rank cpus-per-task)], 'write -x OMP_NUM_THREADS=T: each rank gets T processors' ],
	[ [qw(gpus-per-proc gpus-per-task gpu-bind)], 'a script of each rank can set CUDA_VISIBLE_DEVICES, or its like, by FTMPI_LOCAL_RANK' ],
	[ [qw(nolocal skip-launch-node)], 'leave this machine out of -host or -machinefile' ],
	[ [qw(default-hostfile)], 'write -machinefile FILE' ],
	[ [qw(w nodelist)], 'write -host LIST' ],
	[ [qw(localhost order-nodes relative)], 'leave it out: hosts are used in the order of -host, -machinefile or the batch job' ],
	[ [qw(report-bindings)], '-vv tells the processors of each rank' ],
	[ [qw(display-map display-allocation display-devel-map display-devel-allocation display-diffable-map output-proctable)],
		'-vv tells the host and the processors of each rank' ],
	[ [qw(display-topo)], 'lscpu(1) shows the processors of a host, and -vv those of each rank' ],
	[ [qw(chdir D)], 'write -wdir DIR' ],
	[ [qw(path)], 'write -x PATH=...: programs are looked for in PATH' ],
	[ [qw(prefix noprefix launch-agent)], 'leave it out: ftmpirun sends what it runs on other hosts itself' ],
	[ [qw(bcast bcast-exclude s preload-binary preload-files)], 'copy the program to the same path on every host, or put it on a file system that they share' ],
	[ [qw(genvall envall)], 'ranks on this machine have all variables; -x VAR gives one of them to the ranks on other hosts, too' ],
	[ [qw(genvlist envlist export)], 'write -x VAR for each variable' ],
	[ [qw(genvnone envnone)], 'leave it out: ranks need some variables of this environment; env -u VAR in front of the program takes one away' ],
	[ [qw(mca gmca am tune)], '-transport chooses how ranks of one host speak with each other, -iface the network, -bind their processors' ],
	[ [qw(mpi)], 'leave it out: ranks are those of this MPI' ],
	[ [qw(bootstrap)], 'write -launcher NAME' ],
	[ [qw(launcher-exec bootstrap-exec)], 'write -ssh CMD' ],
	[ [qw(rmk)], 'leave it out: hosts of a batch job are taken from its environment' ],
	[ [qw(enable-x disable-x)], 'write -ssh "ssh -X", or "ssh -x"' ],
	[ [qw(multi-prog)], 'write -configfile FILE, with lines such as -n 2 ./prog' ],
	[ [qw(prepend-pattern)], 'write -tag-output, and -timestamp-output for the time' ],
	[ [qw(o)], 'write -outfile-pattern FILE, with %r where srun has %t' ],
	[ [qw(e error)], 'write -errfile-pattern FILE, with %r where srun has %t' ],
	[ [qw(i input stdin)], 'write < FILE behind the command: rank 0 gets standard input' ],
	[ [qw(merge-stderr-to-stdout)], 'write 2>&1 behind the command' ],
	[ [qw(u unbuffered)], 'output is carried at once; -pty is for programs that keep what they print' ],
	[ [qw(xml xml-file xterm)], 'leave it out; -tag-output says whose each line of output is' ],
	[ [qw(show-progress)], 'write -progress' ],
	[ [qw(q Q quiet)], 'leave it out: ftmpirun prints only notes and failures unless -v is given' ],
	[ [qw(print-all-exitcodes)], 'leave it out: a sentence tells of the rank that failed first, and the exit status is that rank\'s' ],
	[ [qw(info)], 'write -version' ],
	[ [qw(report-pid report-uri report-events report-state-on-timeout)], '-record keeps a record of the job, with its process, and -vv tells what happens' ],
	[ [qw(d debug-devel debug-daemons debug-daemons-file leave-session-attached)], 'write -vv' ],
	[ [qw(tv debugger)], 'write -debug, and attach the debugger to a rank; or name it before the program, as in -n 2 xterm -e gdb ./prog' ],
	[ [qw(get-stack-traces)], 'write -dump: on SIGUSR1 every rank prints what it waits for' ],
	[ [qw(K kill-on-bad-exit W wait disable-auto-cleanup)], 'leave it out: a rank that fails ends the job, unless -restart-on mends that' ],
	[ [qw(k no-kill enable-recovery disable-recovery continuous)], 'leave it out: -restart-on says which failures are mended, and how often -max-restarts' ],
	[ [qw(t time)], 'write -timeout TIME' ],
	[ [qw(O overcommit)], 'write -oversubscribe, or leave it out' ],
	[ [qw(dvm hnp novm ompi-server nameserver personality max-vm-size usize)], $NO_SERVER ],
	[ [qw(prolog epilog task-prolog task-epilog)], 'a script of each rank can do that before and behind the program' ],
	[ [qw(index-argv-by-rank)], 'a script of each rank can choose arguments by FTMPI_RANK' ],
	[ [qw(do-not-launch)], 'each job is started; with true as its program, -vv tells where ranks would be' ],
	[ [qw(jobid het-group r)], 'ftmpirun uses the batch job in which it is called; -host chooses among its hosts' ],
	[ [qw(container)], 'write the command of the container in front of the program' ],
	[ [qw(propagate)], 'ulimit in a script of each rank sets its limits' ],
	[ [qw(usage)], 'write -help' ],
	[ [qw(acctg-freq cf cartofile compress demux disable-hostname-propagation disable-status do-not-resolve E enable-instant-on-support exact fwd-mpirun-port I immediate
			no-allocate overlap pmi-port preserve-env profile quit-on-interrupt report-child-jobs-separately resv-ports send-libs set-cwd-to-session-dir slurmd-debug T
			threads use-regexp X Z)],
		'leave it out: ftmpirun has nothing that it could change' ],
	[ [qw(A account b bb bbf begin C cluster-constraint clusters comment constraint contiguous core-spec cores-per-socket cpu-freq cpus-per-gpu deadline delay-boot dependency
			exclude exclusive G gpu-freq gpus gpus-per-node gpus-per-socket gres gres-flags hold J job-name L licenses M mail-type mail-user mcs-label mem mem-per-cpu
			mem-per-gpu mincpus nice p partition power priority qos reboot reservation S signal sockets-per-node spread-job switches thread-spec threads-per-core time-min tmp
			use-min-nodes wckey)],
		$IN_JOB ],
);

my %ANSWER = map {
	my ($names, $answer) = @$_;
	map { $_ => $answer } @$names
} @TABLE;

sub table { return @TABLE }

# What a user of this option is told, or nothing.
sub answer
{
	my ($name) = @_;
	return $ANSWER{$name};
}

1;
