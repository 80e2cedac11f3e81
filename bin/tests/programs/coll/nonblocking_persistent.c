/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent collective requests: MPI 5.0 section 6.13. */
#include <stdlib.h>
#include <string.h>

#include "nonblocking.h"

/* Started again and again, each time with other contents. */
static void again(void)
{
	int mine = 0, sum = 0, told = 0;
	MPI_Request r[2];
	MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Bcast_init(&told, 1, MPI_INT, nb.size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	for (int turn = 0; turn < 200; turn++) {
		mine = nb.rank + turn;
		told = nb.rank == nb.size - 1 ? turn : -1;
		nb_class(MPI_Startall(2, r), MPI_SUCCESS, "MPI_Startall");
		nb_class(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS, "MPI_Waitall");
		nb_expect(sum == nb.size * (nb.size - 1) / 2 + nb.size * turn && told == turn,
			"each start has the contents of its time");
	}
	for (int i = 0; i < 2; i++)
		nb_class(MPI_Request_free(&r[i]), MPI_SUCCESS, "MPI_Request_free");
}

/* They meet by their initializations: each rank starts them in an order of its own, with other
 * operations between. */
static void any_order(void)
{
	enum { REQUESTS = 6 };
	int mine[REQUESTS], sum[REQUESTS];
	MPI_Request r[REQUESTS];
	for (int i = 0; i < REQUESTS; i++)
		MPI_Allreduce_init(&mine[i], &sum[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
			MPI_INFO_NULL, &r[i]);
	for (int turn = 0; turn < 30; turn++) {
		for (int i = 0; i < REQUESTS; i++)
			mine[i] = (i + 1) * (turn + 1);
		for (int i = 0; i < REQUESTS; i++)
			MPI_Start(&r[(i * (nb.rank % 2 ? 5 : 1) + nb.rank) % REQUESTS]);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Waitall(REQUESTS, r, MPI_STATUSES_IGNORE);
		for (int i = 0; i < REQUESTS; i++)
			nb_expect(sum[i] == nb.size * mine[i], "each request has its own sum");
	}
	for (int i = 0; i < REQUESTS; i++)
		MPI_Request_free(&r[i]);
}

/* Active or not: what may be done with it. */
static void life(void)
{
	MPI_Request r, copy;
	MPI_Status status;
	int flag = 0;
	nb_class(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r), MPI_SUCCESS, "init");
	nb_class(MPI_Wait(&r, &status), MPI_SUCCESS, "MPI_Wait of one that is not active");
	nb_class(MPI_Test(&r, &flag, &status), MPI_SUCCESS, "MPI_Test of one that is not active");
	nb_expect(flag == 1, "one that is not active is done");
	nb_class(MPI_Cancel(&r), MPI_ERR_REQUEST, "MPI_Cancel of one that is not active");
	nb_class(MPI_Start(&r), MPI_SUCCESS, "MPI_Start");
	nb_class(MPI_Start(&r), MPI_ERR_REQUEST, "MPI_Start of an active one");
	copy = r;
	nb_class(MPI_Cancel(&copy), MPI_ERR_REQUEST, "MPI_Cancel of an active one");
	nb_class(MPI_Wait(&r, &status), MPI_SUCCESS, "MPI_Wait");
	nb_expect(r == copy, "a persistent request stays");
	nb_class(MPI_Request_free(&r), MPI_SUCCESS, "MPI_Request_free");
	nb_expect(r == MPI_REQUEST_NULL, "it is gone");
}

/* Communicator, datatype and operator may go while the request is there. */
static void handles_go(void)
{
	int mine[2] = {nb.rank, 0}, most[2] = {-1, -1};
	MPI_Comm comm;
	MPI_Datatype pair;
	MPI_Request gather, r;
	int *all = prog_alloc(&nb, 2 * (size_t)nb.size * sizeof(int));
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Allgather_init(mine, 1, pair, all, 1, pair, comm, MPI_INFO_NULL, &gather);
	MPI_Allreduce_init(mine, most, 2, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &r);
	MPI_Comm_free(&comm);
	MPI_Type_free(&pair);
	for (int turn = 1; turn <= 10; turn++) {
		mine[1] = turn * nb.rank;
		MPI_Start(&r);
		MPI_Start(&gather);
		MPI_Wait(&gather, MPI_STATUS_IGNORE);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		nb_expect(most[0] == nb.size - 1 && most[1] == turn * (nb.size - 1), "the most");
		for (int i = 0; i < nb.size; i++)
			nb_expect(all[2 * i] == i && all[2 * i + 1] == turn * i, "all pairs");
	}
	MPI_Request_free(&gather);
	MPI_Request_free(&r);
	free(all);
}

const struct prog_case nb_persistent[] = {
	{"again", again},
	{"any-order", any_order},
	{"life", life},
	{"standing-handles", handles_go},
	{NULL, NULL},
};
