/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: several threads of each rank at once, each with a communicator of its own
 * and with tags of its own in MPI_COMM_WORLD: blocking and non-blocking messages short and long,
 * probes, wildcards, collectives. Every value is checked.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, LONGEST = 20000 };

static int rank, size, rounds = 50;

struct worker {
	pthread_t thread;
	int id;
	MPI_Comm comm;
	int wrong;
	int out[LONGEST], in[LONGEST];
};

/* What a rank's thread says in a round. */
static int word(int from, int id, int round, int i)
{
	return from * 1000003 + id * 10007 + round * 101 + i;
}

static int length(int id, int round)
{
	return (id + round) % 3 == 0 ? LONGEST : 1 + (round * 37) % 100;
}

static void fill(struct worker *w, int round)
{
	for (int i = 0; i < length(w->id, round); i++)
		w->out[i] = word(rank, w->id, round, i);
}

static void check(struct worker *w, int from, int round)
{
	for (int i = 0; i < length(w->id, round); i++)
		w->wrong += w->in[i] != word(from, w->id, round, i);
}

static void ring(struct worker *w, int round)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size, n = length(w->id, round);

	MPI_Sendrecv(w->out, n, MPI_INT, right, w->id, w->in, n, MPI_INT, left, w->id,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(w, left, round);
}

static void probed(struct worker *w, int round)
{
	int right = (rank + 1) % size, n = length(w->id, round), count;
	MPI_Request request;
	MPI_Status status;

	MPI_Isend(w->out, n, MPI_INT, right, round, w->comm, &request);
	MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	w->wrong += count != n || status.MPI_TAG != round;
	MPI_Recv(w->in, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, w->comm,
		MPI_STATUS_IGNORE);
	check(w, status.MPI_SOURCE, round);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void together(struct worker *w, int round)
{
	long mine = word(rank, w->id, round, 0), sum = 0, want = 0;
	int root = round % size, said = rank == root ? round : -1;

	MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, w->comm);
	for (int r = 0; r < size; r++)
		want += word(r, w->id, round, 0);
	w->wrong += sum != want;
	MPI_Bcast(&said, 1, MPI_INT, root, w->comm);
	w->wrong += said != round;
	MPI_Barrier(w->comm);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int round = 0; round < rounds; round++) {
		fill(w, round);
		ring(w, round);
		probed(w, round);
		together(w, round);
	}
	return NULL;
}

static struct worker workers[THREADS];

int main(int argc, char **argv)
{
	int level, wrong = 0, all = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc > 1)
		rounds = atoi(argv[1]);
	if (level != MPI_THREAD_MULTIPLE || rounds < 1) {
		fprintf(stderr, "threads: usage: threads [ROUNDS], with MPI_THREAD_MULTIPLE\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int t = 0; t < THREADS; t++) {
		workers[t].id = t;
		MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
	}
	for (int t = 0; t < THREADS; t++)
		pthread_create(&workers[t].thread, NULL, work, &workers[t]);
	for (int t = 0; t < THREADS; t++) {
		pthread_join(workers[t].thread, NULL);
		MPI_Comm_free(&workers[t].comm);
		wrong += workers[t].wrong;
	}
	MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("threads: %s, %d ranks, %d threads each, %d rounds\n",
			all ? "WRONG" : "right", size, THREADS, rounds);
	MPI_Finalize();
	return all ? 1 : 0;
}
