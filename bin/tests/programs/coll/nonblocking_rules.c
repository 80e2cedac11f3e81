/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be done with requests of collective operations, what goes wrong, what may go before they
 * are finished, who calls the program's operators. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "nonblocking.h"

static void empty(const MPI_Status *status)
{
	int count = -1, cancelled = 1;
	MPI_Get_count(status, MPI_INT, &count);
	MPI_Test_cancelled(status, &cancelled);
	nb_expect(count == 0 && !cancelled, "the status is an empty one");
}

/* Cancelled never; freed once it is done, and not before: rank 0 begins when the others have tried.
 */
static void not_dropped(void)
{
	MPI_Request request, copy;
	MPI_Status status;
	MPI_Comm comm;
	int done = 0;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (nb.rank > 0) {
		MPI_Ibarrier(comm, &request);
		copy = request;
		nb_class(MPI_Request_free(&copy), MPI_ERR_REQUEST, "MPI_Request_free");
		nb_expect(copy == request, "the request is still there");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (nb.rank == 0)
		MPI_Ibarrier(comm, &request);
	copy = request;
	nb_class(MPI_Cancel(&copy), MPI_ERR_REQUEST, "MPI_Cancel");
	while (!done)
		MPI_Request_get_status(request, &done, &status);
	empty(&status);
	nb_class(MPI_Cancel(&copy), MPI_ERR_REQUEST, "MPI_Cancel of a finished one");
	nb_class(MPI_Request_free(&request), MPI_SUCCESS, "MPI_Request_free of a finished one");
	nb_expect(request == MPI_REQUEST_NULL, "the request is gone");
	MPI_Comm_free(&comm);
}

static void check_works(const char *what)
{
	int mine = nb.rank + 1, sum = 0;
	MPI_Request request;
	MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	nb_expect(sum == nb.size * (nb.size + 1) / 2, what);
}

/* The call itself says it, has not begun anything, and the next operation is well. */
static void wrong_arguments(void)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r = MPI_REQUEST_NULL;
	int x = 0, y = 0;
	nb_class(MPI_Ibcast(&x, 1, MPI_INT, nb.size, w, &r), MPI_ERR_ROOT, "root too large");
	nb_class(MPI_Ibcast(&x, -1, MPI_INT, 0, w, &r), MPI_ERR_COUNT, "negative count");
	nb_class(MPI_Ibcast(&x, 1, MPI_DATATYPE_NULL, 0, w, &r), MPI_ERR_TYPE, "no datatype");
	nb_class(MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, w, &r), MPI_ERR_OP, "no operator");
	nb_class(MPI_Iallreduce(&x, &y, 1, MPI_FLOAT, MPI_BAND, w, &r), MPI_ERR_OP,
		"bits of floats");
	nb_class(MPI_Iallreduce(&x, &x, 1, MPI_INT, MPI_SUM, w, &r), MPI_ERR_BUFFER, "one buffer");
	nb_class(MPI_Ibarrier(MPI_COMM_NULL, &r), MPI_ERR_COMM, "no communicator");
	nb_class(MPI_Ibarrier(w, NULL), MPI_ERR_ARG, "nowhere to put the request");
	nb_class(MPI_Barrier_init(w, MPI_INFO_NULL, NULL), MPI_ERR_ARG, "nor a persistent one");
	nb_class(MPI_Bcast_init(&x, 1, MPI_INT, -3, w, MPI_INFO_NULL, &r), MPI_ERR_ROOT, "root");
	nb_expect(r == MPI_REQUEST_NULL, "there is no request after an error");
	check_works("the next operation after wrong arguments");
}

/* One rank's call is wrong, which so has not begun: it makes it again, and meets the others'. */
static void wrong_broadcast(int wrong)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r = MPI_REQUEST_NULL, *nowhere = NULL;
	int x = nb.rank + 5;
	if (nb.rank == wrong) {
		nb_class(MPI_Ibcast(&x, -1, MPI_INT, 0, w, &r), MPI_ERR_COUNT, "count");
		nb_class(MPI_Ibcast(&x, 1, MPI_INT, 0, w, nowhere), MPI_ERR_ARG,
			"nowhere to put the request");
	}
	MPI_Ibcast(&x, 1, MPI_INT, 0, w, &r);
	nb_class(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS, "MPI_Wait");
	nb_expect(x == 5, "a broadcast after a wrong call of one rank");
}

static void wrong_persistent(int root)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Info none = MPI_INFO_NULL;
	MPI_Request r;
	int x = 5, y = -1;
	if (nb.rank == root) {
		nb_class(MPI_Reduce_init(&x, &x, 1, MPI_INT, MPI_SUM, root, w, none, &r),
			MPI_ERR_BUFFER, "one buffer");
		nb_class(MPI_Reduce_init(&x, &y, 1, MPI_INT, MPI_OP_NULL, root, w, none, &r),
			MPI_ERR_OP, "no operator");
	}
	MPI_Reduce_init(&x, &y, 1, MPI_INT, MPI_SUM, root, w, none, &r);
	MPI_Start(&r);
	nb_class(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS, "MPI_Wait");
	nb_expect(nb.rank != root || y == 5 * nb.size, "a persistent reduction after it");
	MPI_Request_free(&r);
}

static void one_wrong(void)
{
	wrong_broadcast(0);
	wrong_broadcast(nb.size - 1);
	wrong_persistent(0);
	wrong_persistent(nb.size - 1);
	check_works("the next operation after one rank's wrong call");
}

/* One rank has room for too little: it is told when it finishes, so are those after it to which it
 * passes the message on, if it does, and nobody waits for ever. */
static void truncated(void)
{
	enum { WORDS = 10 };
	int words[WORDS] = {0}, narrow = 1;
	MPI_Request r[2];
	MPI_Status statuses[2];
	if (nb.size == 1)
		return;
	while (2 * narrow < nb.size)
		narrow *= 2;
	MPI_Ibcast(words, nb.rank == narrow ? WORDS / 2 : WORDS, MPI_INT, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Ibarrier(MPI_COMM_WORLD, &r[1]);
	int rc = MPI_Waitall(2, r, statuses);
	bool told = nb.rank == narrow || (nb.rank > narrow && rc != MPI_SUCCESS);
	nb_class(rc, told ? MPI_ERR_IN_STATUS : MPI_SUCCESS, "a message too long");
	if (told) {
		nb_class(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE, "its status");
		nb_class(statuses[1].MPI_ERROR, MPI_SUCCESS, "the other status");
	}
	check_works("the next operation after a message too long");
}

/* ---- what may go before the operation is finished ---- */

/* Digits in base 10 joined, so that the order shows. */
static void join(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout;
	(void)type;
	for (int i = 0; i < *len; i++) {
		int scale = 1;
		while (scale <= b[2 * i])
			scale *= 10;
		b[2 * i] += a[2 * i] * scale;
	}
}

static void handles_go(void)
{
	int mine[4] = {nb.rank + 1, -1, nb.rank + 1, -1}, all[4] = {0}, want = 0;
	MPI_Comm comm;
	MPI_Datatype wide;
	MPI_Op op;
	MPI_Request request;
	if (nb.size > 8)
		return; /* the digits would not fit */
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &wide);
	MPI_Type_commit(&wide);
	MPI_Op_create(join, 0, &op);
	MPI_Iallreduce(mine, all, 2, wide, op, comm, &request);
	MPI_Comm_free(&comm);
	MPI_Type_free(&wide);
	MPI_Op_free(&op);
	nb_class(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS, "MPI_Wait");
	for (int rank = 0; rank < nb.size; rank++)
		want = want * 10 + rank + 1;
	nb_expect(all[0] == want && all[2] == want, "joined in the order of the ranks");
	nb_expect(all[1] == 0 && all[3] == 0, "holes stay");
}

/* ---- who calls the program's operator ---- */

static pthread_t program;
static volatile int others;

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	(void)type;
	if (!pthread_equal(pthread_self(), program))
		others++;
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* In its own thread, inside its calls, however long it computes in between. */
static void own_thread(void)
{
	MPI_Op op;
	volatile double work = 1;
	program = pthread_self();
	MPI_Op_create(add, 1, &op);
	for (int turn = 0; turn < 50; turn++) {
		int mine = nb.rank + 1, sum = 0;
		MPI_Request request;
		MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
		for (int i = 0; i < 1000000; i++)
			work = work * 1.0000001 + 1e-9;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		nb_expect(sum == nb.size * (nb.size + 1) / 2, "the program's own sum");
	}
	nb_expect(others == 0, "operators are called by the program's thread");
	MPI_Op_free(&op);
}

const struct prog_case nb_rules[] = {
	{"dropped", not_dropped},
	{"arguments", wrong_arguments},
	{"one-wrong", one_wrong},
	{"truncated", truncated},
	{"handles", handles_go},
	{"thread", own_thread},
	{NULL, NULL},
};
