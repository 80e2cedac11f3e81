/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linked with a program that calls MPI: where its time goes. In MPI_Finalize rank 0 prints, of all
 * ranks together,
 *
 *	calls: send SECONDS s, COUNT calls		MPI_Send, MPI_Isend
 *	calls: receive SECONDS s, COUNT calls		MPI_Recv, MPI_Irecv
 *	calls: wait SECONDS s, COUNT calls		MPI_Wait, MPI_Waitall
 *	calls: allreduce SECONDS s, COUNT calls
 */
#include <mpi.h>
#include <stdio.h>

enum what { SEND, RECEIVE, WAIT, ALLREDUCE, WHATS };

static double seconds[WHATS], count[WHATS];

static int done(enum what what, double begun, int rc)
{
	seconds[what] += PMPI_Wtime() - begun;
	count[what]++;
	return rc;
}

int MPI_Send(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	double t = PMPI_Wtime();

	return done(SEND, t, PMPI_Send(buf, n, type, dest, tag, comm));
}

int MPI_Isend(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	double t = PMPI_Wtime();

	return done(SEND, t, PMPI_Isend(buf, n, type, dest, tag, comm, request));
}

int MPI_Recv(
	void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	double t = PMPI_Wtime();

	return done(RECEIVE, t, PMPI_Recv(buf, n, type, source, tag, comm, status));
}

int MPI_Irecv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
	MPI_Request *request)
{
	double t = PMPI_Wtime();

	return done(RECEIVE, t, PMPI_Irecv(buf, n, type, source, tag, comm, request));
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	double t = PMPI_Wtime();

	return done(WAIT, t, PMPI_Wait(request, status));
}

int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
	double t = PMPI_Wtime();

	return done(WAIT, t, PMPI_Waitall(n, requests, statuses));
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	double t = PMPI_Wtime();

	return done(ALLREDUCE, t, PMPI_Allreduce(in, out, n, type, op, comm));
}

int MPI_Finalize(void)
{
	static const char *const names[WHATS] = {"send", "receive", "wait", "allreduce"};
	double all[2][WHATS];
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Reduce(seconds, all[0], WHATS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	PMPI_Reduce(count, all[1], WHATS, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < WHATS; i++)
		printf("calls: %s %.6f s, %.0f calls\n", names[i], all[0][i], all[1][i]);
	return PMPI_Finalize();
}
