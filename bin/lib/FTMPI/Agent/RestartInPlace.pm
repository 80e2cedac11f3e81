# SPDX-License-Identifier: BSD-3-Clause
#
# Whether a rank's process can take part in a restart of the job in place, by executing its program again, and
# what its messages mean until it has done so. Pure; FTMPI::Agent::Process acts.
#
#	running     it belongs to the present epoch: what it says is told, and its end
#	asked       RESTART was sent: what the process says is old until it says RESTARTING
#	reexecuted  it executes its program anew, and has said nothing in the new epoch yet: if it ends,
#	            nothing is lost, and it is started by a fork
#	doomed      it was killed, so that the rank can be started by a fork
package FTMPI::Agent::RestartInPlace;

use strict;
use warnings;

# Why this process cannot execute its program again in place, or nothing if it can. A process:
#	state; started: START was sent to its present image
#	program: its present image has said PROGRAM, so MPI_Init has read START
#	finalized: it has said FINALIZED: it may not listen any more
#	pid, mpi_pid: the process that the agent forked, and the one that called MPI_Init
#	file, runs: the program that the agent executed, and the one that the process is (device:inode)
#	fed: it took standard input, and is to get the same again from the beginning
sub why_not
{
	my ($process) = @_;
	return 'it was killed' if $process->{state} eq 'doomed';
	return if !$process->{started} && $process->{state} ne 'running';
	return 'it has not come to MPI_Init'        if !$process->{program};
	return 'it is through with MPI'             if $process->{finalized};
	return 'its process id is not known yet'    if !defined $process->{mpi_pid};
	return 'another process called MPI_Init'    if $process->{mpi_pid} != $process->{pid};
	return 'it runs another program by now'     if $process->{file} ne ($process->{runs} // '');
	return 'its standard input has been read'   if $process->{fed};
	return;
}

# A message of the rank: what is to be done about it, and what the process is then. `tell` it to the
# launcher; `drop` it; or it is a `lie`.
sub heard
{
	my ($process, $name, @fields) = @_;
	my $state = $process->{state};
	if ($state eq 'asked') {
		my $answer = $name eq 'RESTARTING' && $fields[0] == $process->{asked_for};
		return ('drop', $answer ? 'reexecuted' : 'asked');
	}
	return ('drop', $state) if $state eq 'doomed';
	return ('lie', $state) if $name eq 'RESTARTING' || !$process->{started};
	return ('tell', 'running');
}

1;
