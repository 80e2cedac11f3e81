# SPDX-License-Identifier: BSD-3-Clause
#
# The manual page ftmpirun(1): prose here, the options from their table. `ftmpirun -man` prints it,
# and doc/man/ftmpirun.1 is what it prints.
package FTMPI::Cli::Manual;

use strict;
use warnings;

use FTMPI::Cli::Options        ();
use FTMPI::Cli::OtherLaunchers ();
use FTMPI::Version             ();

my $DESCRIPTION = <<'EOR';
.B ftmpirun
starts N ranks of an MPI program on this machine or on several, carries their output here and
standard input to rank 0, and ends when all of them have ended.
On every other host it needs
.BR ssh (1),
.BR perl (1)
and the program, at the same path.
.B ftmpirun
sends what it runs there itself, but a program needs its libraries on every host: one that
.BR ftmpicc (1)
linked needs libftmpi.so.0 in the folder where it was linked (or one in LD_LIBRARY_PATH), and the system's libraries
libevent_core, libsodium and libxxhash.
Linked with
.B \-ftmpi\-static
it needs these three only; with
.B \-static
none.
.PP
In the first spelling, MACHINEFILE names the hosts and WORKDIR is the directory for recovery
lines and the job's record.
In the second, as other launchers have it, both are options.
The third is for jobs of Slurm, PBS and LSF, see BATCH SYSTEMS.
Options may be written with one dash or two.
They come before the program; all words behind the program are given to it untouched (a note tells of
.BR \-image ", " \-ckpt\-interval ", " \-workdir " and " \-coord
there), except a final
.B \-restore
or
.BR \-restore=... ,
which is an option there, too.
A program that has such a last word of its own is named behind a
.BR \-\- ,
after which no word is an option.
.PP
A word
.B :
among the arguments of the second spelling begins another part of the job: its number of ranks
.RB ( \-n ),
options that are its own
.RB ( \-x ", " \-env ", " \-wdir ),
its program and arguments.
Its ranks follow those of the part before, in one MPI_COMM_WORLD; MPI_APPNUM tells them apart.
All other options come before the first program.
With
.B \-configfile
the parts are the lines of a file.
.PP
.B mpiexec
and
.B mpirun
(see
.BR ftmpicc (1))
are other names of
.BR ftmpirun ,
and do not know the first spelling.
.PP
A program without a slash in its name is looked for in PATH and then in the working directory.
It may be a script or another program that runs the MPI program, such as a shell,
.BR valgrind (1)
or
.BR gdb (1).
A script runs one MPI program in each rank: MPI_Init of a second one fails, after a minute.
A program of another MPI is refused, since each rank of it would be a job of one.
When it turns out only at the end that no rank has called this MPI's
.B MPI_Init
and a rank had loaded the library of another MPI, the exit status is 1.
Programs without MPI may be run.
EOR

my $OTHERS = <<'EOR';
Some options that other launchers have are accepted without effect, as what they ask for is done anyway:
.BR \-oversubscribe ", " \-allow\-run\-as\-root " and " \-use\-hwthread\-cpus .
Where no hosts are named, the hardware threads of this machine count as its slots, with the last of them and without.
Those that follow are refused, with a sentence that says what to write or what is so without them:
EOR

my $MACHINES = <<'EOR';
One host a line; text behind a # is a comment:
.PP
.nf
.RS
# the two large machines
node1 slots=16
node2:16
10.0.0.3
[fd00::4]:8
user@node5
localhost
.RE
.fi
.PP
A host without a number has one slot; a host that is named again adds slots.
Ranks fill the slots of the first host, then of the next, or go to one host after the other
.RB ( "\-map\-by node" );
.B \-ppn
gives each host another number of slots.
When all slots are full the ranks go round again, and a note says so, unless
.B \-no\-oversubscribe
refuses it.
Hosts that get no ranks are spares: ranks of a host that is lost go there.
Without a machine file and
.B \-host
all ranks run on this machine (in a batch job on its hosts, see BATCH SYSTEMS), and no such note is printed.
It has as many slots then as there are processors that
.B ftmpirun
may use, hardware threads counted;
.B \-no\-oversubscribe
compares the ranks with these.
.PP
Names and addresses of this machine are not reached by ssh, and are one host together.
A name with a user is: user@localhost is reached by ssh, and is a host beside this machine.
So are two names of another machine: to
.B ftmpirun
they are two hosts.
Ranks of two such hosts talk over TCP, and both hosts bind their ranks to the same processors.
Ranks on several hosts use the address at which ssh reached a host, and on this
machine the address that leads there;
.B \-iface
chooses another.
EOR

my $BATCH = <<'EOR';
Inside a job of Slurm, PBS or LSF, hosts and their slots are those of the job when neither
.B \-host
nor a machine file names some, and
.B \-n
may be left out: there is a rank for each task that the job was given.
They come from SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE (else SLURM_JOB_CPUS_PER_NODE) and SLURM_NTASKS; from the file PBS_NODEFILE; or from the file
LSB_DJOB_HOSTFILE, LSB_MCPU_HOSTS or LSB_HOSTS.
At most 65536 hosts, 1 MiB for a list of them and 16 MiB for a file are read.
Without
.B \-n
all words behind the program are its own; four or more words, the second a number, are MACHINEFILE N WORKDIR PROG, unless
.B \-\-
stands before them.
.PP
The processes on other hosts are started by
.BR srun ,
in a step of its own for each host, or by
.BR blaunch ,
where PATH has them; in a job of PBS by
.BR ssh (1),
and made part of the job by
.B pbs_attach
where PBS has that.
.B \-launcher
chooses.
Hosts that are named have to be in the job, or be this machine, unless it chooses
.BR ssh .
The keeper of
.B \-keeper\-hosts
is reached by ssh in any case.
What
.B srun
and
.B blaunch
carry, the secret of the ranks too, is not encrypted on the network between the hosts; what ssh carries is.
.PP
.B ftmpirun
is started once in a job, without
.BR srun .
A program that
.B srun
has started beside others fails in MPI_Init.
A job of Slurm outlives a node only with
.BR "sbatch \-\-no\-kill" ;
with
.B \-\-requeue
and
.B \-restore=auto
it goes on from its newest recovery line when the node of
.B ftmpirun
itself is lost.
.B \-\-signal=B:TERM@60
sends SIGTERM to the script a minute before its time is over; without the
.B B:
the signal would end what
.B ftmpirun
has on other nodes.
.PP
.I share/doc/ftmpi/batch.md
where FTMPI is installed
.RI ( doc/batch.md
in its source) has scripts for each system.
EOR

my $BINDING = <<'EOR';
By default
.RB ( "\-bind auto" )
the processors of each host are divided among its ranks, if there is one for each of them: 4 ranks on 16 cores
get cores 0\-3, 4\-7, 8\-11 and 12\-15.
A rank does not get onto another one's cores, and the threads that it starts have room in its share.
The processors are those that
.B ftmpirun
(on other hosts the session of
.BR ssh (1))
may use itself: those that
.BR taskset (1),
a batch system or a container has left to it.
Where the cgroup grants less time than the processors that the ranks need, the ranks are not bound;
.B \-bind core
does not look at that.
Shares follow each other in the order of the ranks and of sockets, and are as equal as whole cores can be; where there are
fewer cores than ranks, but hardware threads enough, they are of threads.
Slots in a machine file have no part in this.
.PP
With OMP_NUM_THREADS=T in its environment a rank needs T processors, under
.B core
too.
Other hosts do not have the variable from here, but those that
.B srun
reaches:
.B \-x OMP_NUM_THREADS
gives it to them.
When the ranks of a host need more than there are, none is bound there, and each may use all.
.PP
Programs beside the job are not looked for.
Several jobs with even shares leave room for each other: while all their ranks together are no more than the cores, there
is a core for each rank within its share.
On a machine that has more to do than cores,
.B \-bind none
leaves it to the system who runs where.
It is also for programs and wrappers that choose processors by their numbers
.RB ( numactl (8)),
which may lie outside of a rank's share.
So is what other launchers bind to sockets or NUMA nodes: a script of each rank calls
.BR taskset (1)
or
.BR numactl (8)
with what FTMPI_LOCAL_RANK asks for.
Of what Slurm says of binding
.B ftmpirun
respects the mask, and reads no variables.
Ranks that are started by hand are not bound.
.PP
.B \-bind core
gives each rank one core (T with OMP_NUM_THREADS=T) with all threads of that, side by side from the first core on,
as
.B mpirun \-\-bind\-to core \-\-map\-by core
of Open MPI does; where there are more ranks than cores, but hardware threads enough, one of these.
Two such jobs on one host are bound to the same cores.
A job for which the processors of a host do not suffice does not begin.
.PP
After a failure the ranks of each host are bound anew if others have come to it.
Those whose processors change are started anew in place of executing the program again in the same process.
Where they do not suffice then, the job goes on with unbound ranks, under
.B core
too, and
.B ftmpirun
prints that.
With
.B \-vv
it prints the processors of each rank, or why none is bound.
EOR

my $MEMORY = <<'EOR';
Ranks of one host exchange messages through files of memory
.RB ( memfd_create (2)),
which have no name and end with their processes; /dev/shm is not used, and its size does not matter.
Two ranks take 128 KiB once they have spoken, so N ranks at most N(N\-1)/2 times that.
A page is there when it is first written, and the memory cgroup of the rank that did so is charged for it.
.PP
A rank opens the memory of another one in
.RI /proc/ PID /fd.
Under
.B \-transport auto
two ranks talk over TCP where there is no memory or descriptor left, or where that may not be opened: one of them is in
another PID namespace or user namespace, or made itself not dumpable.
So containers that have a rank each talk over TCP, and
.B ftmpirun
inside one container, with all its ranks, has memory.
That is decided once for two ranks, when they connect, and
.B \-vv
tells it with the reason; under
.B \-transport shm
it ends the job.
They connect over TCP in any case:
.B shm
needs the ports of
.B \-ports
too.
Ranks that are started by hand do as under
.BR auto ,
without a choice.
.PP
A message longer than 32 KiB (or FTMPI_EAGER_LIMIT, if that is less) is read by its receiver out of its sender's memory
.RB ( process_vm_readv (2)),
in one copy.
Where each rank has a processor, that of a blocking send or collective operation goes through the ring that both share, in two copies that both make at the same time, which is faster.
So does every other where the system refuses that its memory is read:
under kernel.yama.ptrace_scope 2 and 3 (under 1 the ranks allow it to what their agent has started; started by hand they do not), or where a seccomp
filter forbids the call.
.B \-vv
tells it once for each rank.
EOR

my $STREAMS = <<'EOR';
Output of ranks on standard output and standard error arrives complete, and no line of one rank is
cut by another's, unless it is longer than 64 KiB.
Text without a line end waits for that, or for the end of its rank. While standard input has not ended, a prompt that rank 0 writes without a line end is shown after a tenth of a
second in which nothing came; lines of other ranks may follow it.
A program that did not choose its buffers itself
.RB ( setvbuf (3))
writes each line when it is complete, as on a terminal;
.B \-pty
gives it a terminal, for other languages' libraries that look for one.
Standard input goes to rank 0; the others read nothing.
.PP
With
.B \-output\-filename
each rank has files of its own, which
.B ftmpirun
writes: what a rank that begins again prints is behind what it had printed.
A shell that writes a rank's output to a file appends with >>, as in EXAMPLES: it runs anew when the rank begins again, and >
would empty the file.
.PP
The first interrupt
.RB ( SIGINT ,
.B SIGTERM
or
.BR SIGHUP )
sends SIGTERM to every rank on every host, and SIGKILL a second later; another interrupt kills them at
once. One that comes when all ranks have ended, and their last output waits for its reader, ends that wait: how many bytes are lost is told.
A shell without job control, as in a script, begins a command in the background (&) with SIGINT ignored, and so it stays here: send SIGTERM.
.B ftmpirun
prints which signal came, and from which recovery line
.B \-restore
goes on.
.PP
With
.B \-term\-ranks
S a SIGTERM, which batch systems send before a job's time is over, is passed to the processes that called MPI_Init, and
the job is ended when all have ended, or after S seconds.
A program that catches it can make a last recovery line on all ranks, or save other data, and exit.
The status is 143 all the same: the job has been interrupted.
Another signal ends the job as without the option.
.PP
No process of a job outlives the job, not even one that has become a daemon.
.PP
When
.B ftmpirun
is suspended by Ctrl\-Z
.RB ( SIGTSTP ),
so are the ranks on every host; when it goes on
.RB ( SIGCONT ),
so do the ranks.
The time of
.B \-timeout
runs on meanwhile.
.PP
With
.BR \-dump ,
SIGUSR1 to
.B ftmpirun
makes every rank that is between
.B MPI_Init
and the end of
.B MPI_Finalize
print its queues on standard error, whatever it does at that moment: a line for each send and receive that is
not done, and for each message without a receive, with the other rank, the tag, the communicator's name, the
bytes and for how long.
A rank that waits in a collective operation shows the messages that the operation waits for.
The job goes on.
Without
.B \-dump
the signal has no effect but a sentence.
.PP
With
.BR \-image ,
SIGUSR2 to
.B ftmpirun
begins a recovery line at once, and a sentence tells what has become of it.
Without
.B \-image
the next FTMPI_Checkpoint_due of the program says that one is due, if
.BR \-ckpt\-interval ,
.B \-time\-limit
or
.B \-stop\-after\-ckpt
is given; else the signal has no effect but a sentence.
EOR

my $IMAGES = <<'EOR';
With
.B \-image
a recovery line holds the whole process of each rank: its memory, stacks and registers, and which files it had open.
The program needs no call for that.
.B ftmpirun
begins a line every
.BR \-ckpt\-interval ,
counted from the end of the one before, and whenever SIGUSR2 comes to it, from the time when all ranks have called
.B MPI_Init
until the first one calls
.BR MPI_Finalize .
After a failure each rank goes on in the middle of what it did when the line was made, in place of beginning at
.BR main .
.PP
Under
.B "\-coord blocking"
all ranks come to where they can be saved, and wait there for each other; when one does not come within
.BR \-image\-patience ,
or cannot be saved, all go on without that line, and
.B ftmpirun
prints why, once until a line is made.
Under
.B eventlog
no rank waits.
Under
.B msglog
there are no lines: each rank is saved alone, see MESSAGE LOGGING.
.B "\-coord auto"
cannot be chosen.
A rank is saved inside an MPI call, or where it computes.
.B \-restore
of such a line needs
.BR \-image ,
too.
.PP
The addresses of a rank's memory have to be the same at each start, on each host.
So the kernel does not choose them by chance in an image job, and the limit of the stack
.RB ( "ulimit \-s" )
is on all hosts what it is for
.BR ftmpirun ;
where there is none, it is 1 GiB.
A host where that cannot be had is refused with a sentence; in a container
.B "docker run \-\-security\-opt seccomp=unconfined"
may be needed.
.PP
The copy of a process takes about 10 to 20 ms for each GiB of its memory, and for so long the rank sends no heartbeats: with ranks of
tens of GiB,
.B \-timeout\-heartbeat
has to be longer than that.
.PP
Standard input goes on behind the last byte that rank 0 had read when the line was made: after a restart within the job, and after
.BR \-restore ,
which has to be given the same input again.
Where less comes than rank 0 had read, a sentence says so; where it is another input, none of it is given, and the job ends.
At a terminal nothing is left out.
Where a script gives a rank its standard input, it has to be a file with a name: there is no line while it comes from another process.
.PP
Standard output and standard error are those of the new process, too.
What a rank printed after the line is printed again.
A script of the rank runs anew before the image is loaded: where the script opens a file with >, what the rank had printed to
the file before the line is lost.
.PP
.I share/doc/ftmpi/images.md
where FTMPI is installed
.RI ( doc/images.md
in its source) tells what an image brings back and what not, which programs and systems it is for, and what to do about each sentence.
EOR

my $MSGLOG = <<'EOR';
Under
.B "\-coord msglog"
(message logging) only the rank that failed begins again, on the same host, and the others do not go back; the ranks of a host that is lost begin again on others.
It runs its program again from
.BR main ,
gets from the logs of the other ranks the messages that it had got, and from a process beside
.B ftmpirun
which of several came first.
Without checkpoints these logs grow as long as the job runs, in the memory of the ranks, and what that process keeps comes to
.BR \-outcome\-limit ,
at which the job ends.
.PP
With
.B \-image
each rank makes checkpoints of its own, of which the others hear nothing, and goes on from its latest one; what others keep for it from before that is dropped.
.B ftmpirun
asks one rank at a time, in the order of
.BR \-ckpt\-order ,
and each once in
.BR \-ckpt\-interval ,
from the time when all have called MPI_Init until all have called MPI_Finalize; when SIGUSR2 comes to it, all, one after the other, and prints when all have answered.
A rank that cannot be saved, or does not come within
.BR \-image\-patience ,
goes on without that checkpoint, and
.B ftmpirun
prints why, once until the rank has one.
A rank that makes a checkpoint has two in the work directory for that time, else one. There is nothing before its latest one, as others have dropped what it covers: when that one is damaged, the job can only begin anew, without
.BR \-restore .
.PP
Without
.B \-image
a program with the calls of
.B ftmpi.h
saves its data by them: each rank alone, whenever it calls
.BR FTMPI_Perform_Checkpoint .
Its process that begins again runs the program from
.B main
up to
.BR FTMPI_Restore ,
and goes on from its latest checkpoint there. What it got before
.B FTMPI_Restore
comes again. The next call of MPI behind that has to be the one that followed the checkpoint: a barrier there waits for ranks that did not go back (see FTMPI_Restore(3)).
.PP
When
.B ftmpirun
itself is gone, or the job was ended or has failed, the same command with
.B \-restore
goes on in the same session, with
.B \-image
or without as before: each rank from its latest checkpoint, or from its beginning.
Hosts, and how many ranks each one has, may be others. Where ranks that were on one host are on several then, no two of them share memory; and a job that began with
.B \-transport tcp
goes on with it.
When the command is given without
.B \-restore
though it left checkpoints,
.B ftmpirun
prints that.
What ranks had printed since their checkpoints is printed again, with data also what the program prints before
.BR FTMPI_Restore ;
standard input is read from its beginning.
What is kept for that are two folders in the work directory, SESSION and keeper\-SESSION; without them the job cannot go on, and nothing else needs them: remove both when you do not want to go on.
.PP
All hosts to which ranks may go have to share the work directory, where ranks make checkpoints.
The process that keeps what ranks saw, beside
.B ftmpirun
or on one of
.BR \-keeper\-hosts ,
has its files on that host in
.IR WORKDIR ,
in a folder
.I keeper\-SESSION
that goes with the job; a fast disk there makes messages faster that depend on which came first. It is started again when it ends. When its host is lost, ranks wait for it, and say so; then end
.B ftmpirun
and give the same command with
.B \-restore
and another host for that process, if
.B \-keeper\-hosts
names no more; keeper.md beside msglog.md says what to do when it is told that another one writes there.
.PP
The program has to do the same when it is run again, but for what depends on the order of messages. One that does not, as it depends on the time, random numbers,
the name of its host, threads or files that change, is ended (with status 16) when it asks for something else than before; that it sends something else is noticed with
.B \-verify\-replay
alone, and without that its answer may be wrong. So is one that goes on from its data, and does not begin again what was open (ftmpi.h): run a new program with
.B \-verify\-replay
first, and kill each of its ranks. Such a program cannot go on with
.B \-restore
either: begin it anew, under a protocol that makes recovery lines.
.PP
Rank 0 is given its standard input again: from its beginning, or, where it goes on from an image, from where it had read then. Of what a rank prints through
.B ftmpirun
on standard output as many bytes are left out as were printed before; where it goes on from an image, from where it was then. With data that holds for what it prints before
.BR FTMPI_Restore ;
of what it prints behind that, or behind the first checkpoint that was not written to its end, lines are left out that were printed there before, up to the first one that differs, as of a program that says that it has saved: from there on all is printed. What it prints on standard error, and writes to files, also where a shell sends its output there, it prints and writes again.
.PP
Windows, and
.B MPI_Cancel
of a synchronous send to another rank, are refused, and MPI_THREAD_SERIALIZED is granted in place of MPI_THREAD_MULTIPLE.
Each rank has
.B \-max\-restarts
of its own, which it gets back with each checkpoint; each of its restarts is told in one line.
A rank that dies when all have called MPI_Finalize ends the job, and one that is stopped then is told of and left alone: it is not begun again.
.B \-keep
and
.B \-restart\-from\-start
cannot be used with it,
.B \-accept\-binary
not with
.BR \-image ,
and
.B \-ckpt\-order
only with
.BR \-image .
.PP
The rules, and what has no checkpoint, are in the file
.I share/doc/ftmpi/msglog.md
of the installation.
EOR

my $FAILURES = <<'EOR';
A rank that is killed from outside (SIGKILL, lack of memory), one that shows no life, a host that is
lost, and a connection that breaks between two ranks that live are failures, and are mended: all ranks
begin again from
.BR main ,
and go on from the latest recovery line that is whole, or from the beginning before there is one.
Ranks that live execute the program again in the same process (but see BINDING); the others are started anew.
All of them run the file with which the job began: the file of the program is kept open on each host, so it may be
replaced by another build (renamed over, as linkers and installations do) while the job runs.
A file that was changed in place is refused, and so is a host whose file is not the same as that of
the others, and a rank that a script starts as another build than before; shared libraries are not compared.
A rank or host that is dead is noticed at once, one that is silent after
.BR \-timeout\-heartbeat .
A rank without a sign of life is killed (one that a debugger holds, too, and the debugger is named:
.B \-debug
lets ranks be stopped).
So is a rank that is stopped by a signal and not continued for so long, wherever in
the program it is (inside a script only between MPI_Init and MPI_Finalize).
A rank that is ready to run and gets no processor, or waits for memory, is left alone for
.BR \-starved\-limit .
.PP
An exit status other than 0,
.B MPI_Abort
and signals that a program brings on itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS) are
the program's own, and end the job, unless
.B \-restart\-on
says otherwise.
An exit status of 128+n, with which shells tell of signal n, counts as that signal.
.PP
A program that never calls
.B FTMPI_Perform_Checkpoint
has nothing to go on from, but with
.B \-image
and with
.BR "\-coord msglog" ,
where a rank does all again: after a failure its job is ended with a sentence, unless
.B \-restart\-from\-start
lets it begin again.
When such a job was given
.BR \-ckpt\-interval ,
.B ftmpirun
prints at its end that no recovery line was made.
In such a job a rank without a sign of life is only reported, and a host is lost
when it has not answered for 20 seconds.
.PP
The ranks of a host that is lost go to the spares: hosts of the machine file that have no ranks, in their
order, as many as each has slots.
When there are none left, they are packed onto the other hosts, evenly by slots.
A spare that does not answer, or cannot run the program, is passed over.
A host that was lost is not used any more; at the first restart at least 30 seconds later it is asked again,
and if it answers it is a spare.
It is asked at once only when no other host is left.
When two hosts do not reach each other, but this machine reaches both, the host with fewer ranks is
given up, if there is a place for its ranks.
The agent of a host that hears nothing from
.B ftmpirun
for 5 seconds (5 times the timeout, if that is more) kills its ranks.
.PP
Each restart of all ranks is reported in two lines: which rank failed, where and how, with the last three lines that it wrote to
standard error, and where its ranks go; then, when all ranks run, how long that took.
A job that fails
.B \-max\-restarts
times and once more without a new recovery line in between is ended, with the status of the failure.
Standard input is given to rank 0 again from its beginning (but see IMAGES OF PROCESSES); more than 64 MiB of it are not kept, beside what
the newest line of images had read, and then a failure ends the job.
Output that ranks had written is not taken back.
.PP
If
.B ftmpirun
itself or this machine is lost, all ranks end, and the same command with
.B \-restore
goes on from the newest recovery line in the work directory that the same command (programs, arguments and numbers of ranks) left
and did not finish; where there is none, from the newest line of all.
It is a new job, with recovery lines of its own; the lines of the old job stay.
While the old job still runs the command must not be given: both would write the program's files.
At the beginning
.B ftmpirun
prints the line, its session and its age; also that its job had finished,
or that another session, which did not finish, has come further (after a short run by mistake, say).
When a job begins at its beginning, although the same command has left lines and did not finish,
.B ftmpirun
prints that, too.
The newest line is that of the latest time of all sessions there, in a session that of the highest number; a time is never before that of an
earlier line in the same directory, also when a clock was set back.
Manifests are checked before anything is started, by
.BR ftmpi-ckpt (1),
which is installed beside
.BR ftmpirun .
When no line of the newest session proves to be whole, the newest line of the session before is taken, with a sentence, unless a session was named.
.PP
A file of a line that cannot be read at the moment is tried again for some seconds; a damaged line is passed
over, and the line before it is taken.
When the lines that were committed are not there any more (the work directory was removed or unmounted, or is
another one on the host where a rank begins again), the job ends with a sentence; with
.B \-restart\-from\-start
it goes on from what is there, or begins again.
.PP
The work directory must be the same one on all hosts, on a file system that they share.
That is checked when a program that makes checkpoints begins, and reported when it is not so.
The files there hold the program's data: folders are made with mode 0700 and files with 0600, of
which the umask may take away more.
.BR chmod (1)
lets other users read them afterwards.
.PP
Under
.B "\-coord msglog"
only the rank that failed goes back: see MESSAGE LOGGING.
.PP
Under a
.B \-coord
that does not wait, each rank prints with
.B \-vv
in MPI_Finalize how many control messages, to how many ranks and of how many bytes, its recovery lines took
since the last restart.
EOR

my $PRACTICE = <<'EOR';
With
.BR "\-inject 'kill:2@5s, stop:1@20s+2s'"
.B ftmpirun
brings failures about itself, so that a user sees what becomes of the job.
What follows is decided as after any other failure of that kind.
A list has at most 1000 failures.
T is the time after all ranks have called MPI_Init for the first time, whatever becomes of the job later, and D how long the failure lasts, both as in
.BR \-timeout :
5, 1m30s, 500ms.
.TP
.B kill:RANK@T
SIGKILL to the process of that rank, and to what it started.
.TP
.B stop:RANK@T+D
SIGSTOP, and SIGCONT after D. With D above
.B \-timeout\-heartbeat
the rank is killed meanwhile, and the job goes back.
.TP
.B host:NAME@T
The host is lost, as by a power failure: its ranks are killed, and its agent says nothing any more. On the machine of
.B ftmpirun
agent and ranks end, and
.B ftmpirun
stays.
.TP
.B cut:RANK\-RANK@T+D
The TCP connection between these ranks breaks, and none is made between them for D; heartbeats are not cut. Between hosts it is mended then; between ranks of one host, which have it beside the memory that they share, it is not, and the job goes back.
.TP
.BR diskfull@T ", " diskfull@T+D
Writing recovery lines, and checkpoints of single ranks, fails with "No space left on device", for D or to the end.
.TP
.BR corrupt:RANK@T ", " corrupt:RANK@last
A byte in the file of that rank of the newest committed recovery line is changed, at T or right before the next restart looks for a line: the job has to go back one line further (see
.BR \-keep ).
Not with
.BR "\-coord msglog" .
.PP
.BI \-inject\-random " RATE,SEED"
kills ranks at random, at exponential times, as long as the job runs: 6/h, 1/10m, or a number alone, of an hour.
The same RATE, SEED and number of ranks give the same ranks and times on every machine.
.PP
Each failure is printed when it was brought about ("ftmpirun: injected: rank 2 on a is killed (kill:2@5s)"), and is an event in the run record; what could not be
(the job was over, the rank was not there) is printed at the end.
.I share/doc/ftmpi/practice.md
has the rest, and how each differs from a real failure.
EOR

my @STATUSES = (
	[ '0', 'All ranks ended with status 0, after restarts or without.' ],
	[ '1', 'A host could not be reached, or was lost and the job could not go on without it; the'
			. ' program could not be run; a rank ended without MPI_Finalize; there is'
			. ' nothing to restore, or no recovery line that is there can be restored; or \-bind core finds too few processors on a host.' ],
	[ '2', 'The command line, the machine file or the work directory is wrong.' ],
	[ '16', 'With \-coord msglog: a rank that ran again did not do what it had done before, or what it needs is gone; else as "other" says, the class MPI_ERR_OTHER.' ],
	[ '75', 'The job was ended by \-time\-limit, by SIGTERM where that makes a recovery line, or by \-stop\-after\-ckpt; the same command with \-restore goes on.' ],
	[ '124', 'The time of \-timeout was over; or that of \-time\-limit, and there is nothing to go on from.' ],
	[ '128+n', 'A rank was killed by signal n, and that was not mended; or ftmpirun was sent signal n; or, with n = 13,'
			. ' the reader of standard output went away.' ],
	[ 'other', 'The status of the first rank that failed, or the code it gave to MPI_Abort'
			. ' (its lower 8 bits, 1 if these are 0); or the class of an error of MPI that the program has no handler for, as 15 for MPI_ERR_TRUNCATE.' ],
);

my @ENVIRONMENT = (
	[ 'FTMPI_SSH', 'The command that reaches another host by ssh, when \-ssh does not say.' ],
	[ 'SLURM_*, PBS_JOBID, PBS_NODEFILE, LSB_*', 'What a batch system says of its job: see BATCH SYSTEMS. PMI_*, PMIX_*, SLURM_PROCID, SLURM_LOCALID, SLURM_GTIDS and SLURM_STEP* are removed from'
			. ' the environment of ranks.' ],
	[ 'FTMPI_RANK, FTMPI_SIZE, FTMPI_LOCAL_RANK, FTMPI_SESSION',
		'Set for every rank: its number, how many there are, its number on its host, and'
			. ' the name of the job.' ],
	[ 'FTMPI_IMAGE', 'Set to 1 for the ranks of a job with \-image, and unset for others.' ],
	[ 'FTMPI_PART_SIZE', 'In a job of several programs, how many ranks there are of this one.' ],
	[ 'FTMPI_CONTROL_FD, FTMPI_LISTEN_FD, FTMPI_BEAT_FD',
		'Set for every rank: descriptors that it inherits.' ],
	[ 'FTMPI_AGENT', 'Set for every rank: the mark by which what it starts is found and ended if the agent is killed.' ],
	[ 'FTMPI_SINGLETON', 'With the value 1, programs of another MPI are run all the same.' ],
	[ 'FTMPI_EAGER_LIMIT, FTMPI_UNEXPECTED_LIMIT, FTMPI_SPIN_US, FTMPI_CONNECT_MS',
		'Tune the ranks, see ftmpi(7). A program that stands still because its ranks send much before they receive'
			. ' may need a higher FTMPI_UNEXPECTED_LIMIT.' ],
	[ 'OMP_NUM_THREADS', 'How many processors a rank needs, as it finds this variable on its host: see BINDING.' ],
	[ 'PATH, LD_LIBRARY_PATH, FTMPI_*', 'Given to the ranks on all hosts.' ],
);

my $EXAMPLES = <<'EOR';
.nf
ftmpirun \-n 4 ./cgs 494_bus.mtx
ftmpirun nodes.txt 64 /shared/runs ./solver input.dat
ftmpirun \-n 8 \-host a:4,b:4 \-x OMP_NUM_THREADS=2 \-tag\-output ./solver
ftmpirun \-n 4 sh \-c 'exec ./solver >>out.$FTMPI_RANK'
ftmpirun \-n 8 \-host a,b \-ppn 4 \-output\-filename logs ./solver
ftmpirun \-configfile parts.txt
ftmpirun \-n 2 ./ocean in.dat : \-n 6 \-env OMP_NUM_THREADS 2 ./air
ftmpirun \-n 64 \-f nodes.txt \-workdir /shared/runs \-ckpt\-interval 600 ./solver input.dat
ftmpirun nodes.txt 64 /shared/runs ./solver input.dat \-restore
.fi
.PP
A program without a call for checkpoints: a recovery line every ten minutes; the same job, when
.B ftmpirun
was ended; and a line at once.
.PP
.nf
ftmpirun \-n 4 \-image \-ckpt\-interval 600 \-workdir /shared/runs ./solver input.dat
ftmpirun \-n 4 \-image \-ckpt\-interval 600 \-workdir /shared/runs ./solver input.dat \-restore
kill \-USR2 PID      # of ftmpirun
.fi
EOR

sub page
{
	my $text = <<'EOR' . ".TH FTMPIRUN 1 \"\" \"FTMPI " . FTMPI::Version::NUMBER . "\"\n";
.\" SPDX-License-Identifier: BSD-3-Clause
.\" Made by ftmpirun -man: change bin/lib/FTMPI/Cli/Manual.pm or Options.pm instead.
EOR
	$text .= _section('NAME', "ftmpirun \\- run an MPI program on one machine or many\n");
	my @spellings = FTMPI::Cli::Options::usage('ftmpirun');
	my @options   = FTMPI::Cli::Options::table();
	$text .= _section('SYNOPSIS',                 join ".br\n", map { _usage($_) } @spellings);
	$text .= _section('DESCRIPTION',              $DESCRIPTION);
	$text .= _section('OPTIONS',                  join '', map { _option($_) } @options);
	$text .= _section('OPTIONS OF OTHER LAUNCHERS', $OTHERS . join '', map { _other($_) } FTMPI::Cli::OtherLaunchers::table());
	$text .= _section('MACHINE FILE',             $MACHINES);
	$text .= _section('BATCH SYSTEMS',            $BATCH);
	$text .= _section('BINDING',                  $BINDING);
	$text .= _section('SHARED MEMORY',            $MEMORY);
	$text .= _section('INPUT, OUTPUT, INTERRUPT', $STREAMS);
	$text .= _section('FAILURES AND RESTARTS',    $FAILURES);
	$text .= _section('PRACTISING FAILURES',      $PRACTICE);
	$text .= _section('MESSAGE LOGGING',          $MSGLOG);
	$text .= _section('IMAGES OF PROCESSES',      $IMAGES);
	$text .= _section('EXIT STATUS',              _list(@STATUSES));
	$text .= _section('ENVIRONMENT',              _list(@ENVIRONMENT));
	$text .= _section('EXAMPLES',                 $EXAMPLES);
	$text .= _section('SEE ALSO', ".BR ftmpicc (1),\n.BR ftmpi\-ckpt (1),\n.BR ftmpi\-report (1),\n.BR ftmpi (7),\n.BR ssh (1)\n");
	return $text;
}

sub _section
{
	my ($title, $text) = @_;
	$title = qq("$title") if $title =~ / /;
	return ".SH $title\n$text";
}

sub _escape
{
	my ($text) = @_;
	$text =~ s/\\/\\e/g;
	$text =~ s/-/\\-/g;
	$text =~ s/^([.'])/\\&$1/mg;
	return $text;
}

sub _usage
{
	my ($line) = @_;
	my ($program, $rest) = split / /, $line, 2;
	return ".B $program\n" . _escape($rest) . "\n";
}

sub _option
{
	my ($entry) = @_;
	my $words = $entry->{text};
	$words .= " Default: $entry->{default}." if defined $entry->{default};
	my $spelled = FTMPI::Cli::Options::spelled($entry);
	return join "\n", '.TP', '.B ' . _escape($spelled), _escape($words), '';
}

sub _other
{
	my ($names, $answer) = @{ $_[0] };
	return join "\n", '.TP', '.B ' . _escape(join ', ', map { "-$_" } @$names), _escape(ucfirst "$answer."), '';
}

sub _list
{
	return join '', map { ".TP\n.B $_->[0]\n$_->[1]\n" } @_;
}

1;
