/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages under way: all ways to wait and to test, persistent requests, requests that another
 * thread completes than the one that started them, messages of a rank to itself. */
#include "threads.h"

#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

enum { FLIGHT_MOST = 8, PART = 2000 };

/* ---- in flight ---- */

/* Each completes all n requests. */

static void by_wait(struct worker *w, int n, MPI_Request *requests)
{
	(void)w;
	for (int i = n - 1; i >= 0; i--)
		MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void by_waitany(struct worker *w, int n, MPI_Request *requests)
{
	int index;

	for (int i = 0; i < n; i++) {
		MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
		threads_expect(w, index >= 0 && index < n && requests[index] == MPI_REQUEST_NULL,
			"MPI_Waitany gives index %d", index);
	}
	MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
	threads_expect(w, index == MPI_UNDEFINED, "MPI_Waitany still gives index %d", index);
}

static void by_waitsome(struct worker *w, int n, MPI_Request *requests)
{
	int done, which[2 * FLIGHT_MOST];

	for (int left = n; left > 0; left -= done) {
		MPI_Waitsome(n, requests, &done, which, MPI_STATUSES_IGNORE);
		threads_expect(
			w, done > 0 && done <= left, "MPI_Waitsome gives %d of %d", done, left);
	}
}

static void by_testsome(struct worker *w, int n, MPI_Request *requests)
{
	int done, which[2 * FLIGHT_MOST];

	for (int left = n; left > 0; left -= done) {
		MPI_Testsome(n, requests, &done, which, MPI_STATUSES_IGNORE);
		threads_expect(
			w, done >= 0 && done <= left, "MPI_Testsome gives %d of %d", done, left);
	}
}

static void by_testall(struct worker *w, int n, MPI_Request *requests)
{
	int flag = 0;

	while (!flag)
		MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
	for (int i = 0; i < n; i++)
		threads_expect(w, requests[i] == MPI_REQUEST_NULL, "request %d is left", i);
}

static void by_testany(struct worker *w, int n, MPI_Request *requests)
{
	int flag, index = 0;

	do {
		MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE);
		threads_expect(
			w, flag || index == MPI_UNDEFINED, "no request, but index %d", index);
	} while (!flag || index != MPI_UNDEFINED);
}

static void by_test(struct worker *w, int n, MPI_Request *requests)
{
	(void)w;
	for (int i = 0; i < n; i++)
		for (int flag = 0; !flag;)
			MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}

static void by_waitall(struct worker *w, int n, MPI_Request *requests)
{
	(void)w;
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void (*const ways[])(struct worker *w, int n, MPI_Request *requests) = {
	by_wait, by_waitany, by_waitsome, by_testsome, by_testall, by_testany, by_test, by_waitall};

/* Parts of one text to the right, in any mode, received by parts in an order of its own. */
static void flight(struct worker *w)
{
	int n = 1 + threads_draw(w, FLIGHT_MOST), way = threads_draw(w, 8),
	    sync = threads_draw(w, 2);
	int turn = threads_draw(w, n), all = n * PART;
	MPI_Request requests[2 * FLIGHT_MOST];

	threads_fill(w, all);
	for (int i = 0; i < n; i++) {
		int at = (i + turn) % n;

		MPI_Irecv(w->in + at * PART, PART, MPI_INT, w->left, at, w->comm, &requests[i]);
	}
	for (int i = 0; i < n; i++)
		if (sync)
			MPI_Issend(w->out + i * PART, PART, MPI_INT, w->right, i, w->comm,
				&requests[n + i]);
		else
			MPI_Isend(w->out + i * PART, PART, MPI_INT, w->right, i, w->comm,
				&requests[n + i]);
	ways[way](w, 2 * n, requests);
	threads_check(w, w->left, all);
}

static void persistent(struct worker *w)
{
	int n = threads_length(w), turns = 1 + threads_draw(w, 5), way = threads_draw(w, 2);
	MPI_Request requests[2];

	MPI_Send_init(w->out, n, MPI_INT, w->right, 1, w->comm, &requests[0]);
	MPI_Recv_init(w->in, n, MPI_INT, w->left, 1, w->comm, &requests[1]);
	for (int turn = 0; turn < turns; turn++) {
		threads_fill(w, n);
		w->out[0] += turn;
		if (way)
			MPI_Startall(2, requests);
		for (int i = 0; !way && i < 2; i++)
			MPI_Start(&requests[i]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		w->in[0] -= turn;
		threads_check(w, w->left, n);
	}
	for (int i = 0; i < 2; i++)
		MPI_Request_free(&requests[i]);
}

/* A send whose request is given up at once; that it is over is known from the answer. */
static void given_up(struct worker *w)
{
	int n = threads_length(w);
	MPI_Request request;

	threads_fill(w, n);
	MPI_Isend(w->out, n, MPI_INT, w->right, 2, w->comm, &request);
	MPI_Request_free(&request);
	threads_expect(w, request == MPI_REQUEST_NULL, "the handle of a freed request is kept");
	MPI_Recv(w->in, n, MPI_INT, w->left, 2, w->comm, MPI_STATUS_IGNORE);
	threads_check(w, w->left, n);
	MPI_Sendrecv(NULL, 0, MPI_INT, w->left, 3, NULL, 0, MPI_INT, w->right, 3, w->comm,
		MPI_STATUS_IGNORE);
}

static void to_self(struct worker *w)
{
	int n = threads_length(w), tag = TAG_SELF + w->id, way = threads_draw(w, 2);
	MPI_Request request;

	threads_fill(w, n);
	if (way) {
		MPI_Irecv(w->in, n, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
		MPI_Send(w->out, n, MPI_INT, 0, tag, MPI_COMM_SELF);
	} else {
		MPI_Issend(w->out, n, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
		MPI_Recv(w->in, n, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	threads_check(w, w->rank, n);
}

/* ---- parcels: started here, completed by whoever comes next ---- */

struct parcel {
	struct parcel *next;
	long round;
	MPI_Request request;
	bool test; /* complete it by MPI_Test */
	sem_t done;
};

static struct {
	pthread_mutex_t lock;
	struct parcel *first;
} counter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void leave_there(struct parcel *p)
{
	pthread_mutex_lock(&counter.lock);
	p->next = counter.first;
	counter.first = p;
	pthread_mutex_unlock(&counter.lock);
}

/* The oldest, but not of a later round than one's own: its message may depend on what this thread
 * does next. NULL when others were quicker. */
static struct parcel *take_one(long round)
{
	struct parcel **oldest = NULL, *taken = NULL;

	pthread_mutex_lock(&counter.lock);
	for (struct parcel **p = &counter.first; *p; p = &(*p)->next)
		if ((*p)->round <= round)
			oldest = p;
	if (oldest) {
		taken = *oldest;
		*oldest = taken->next;
	}
	pthread_mutex_unlock(&counter.lock);
	return taken;
}

static void complete(struct parcel *p)
{
	int flag = 0;

	while (p->test && !flag)
		MPI_Test(&p->request, &flag, MPI_STATUS_IGNORE);
	MPI_Wait(&p->request, MPI_STATUS_IGNORE);
	sem_post(&p->done);
}

static void parcels(struct worker *w)
{
	struct parcel mine = {.round = w->round, .test = threads_draw(w, 2)}, *theirs;
	int n = threads_length(w), tag = TAG_PARCEL + w->id;
	MPI_Request sent;

	threads_fill(w, n);
	sem_init(&mine.done, 0, 0);
	MPI_Irecv(w->in, n, MPI_INT, w->left, tag, threads_shared, &mine.request);
	MPI_Isend(w->out, n, MPI_INT, w->right, tag, threads_shared, &sent);
	leave_there(&mine);
	sched_yield(); /* so that others come between */
	while ((theirs = take_one(w->round)))
		complete(theirs);
	MPI_Wait(&sent, MPI_STATUS_IGNORE);
	while (sem_wait(&mine.done) != 0)
		;
	threads_check(w, w->left, n);
	sem_destroy(&mine.done);
}

const struct activity threads_requests[] = {
	{"flight", flight},
	{"persistent", persistent},
	{"given up", given_up},
	{"to self", to_self},
	{"parcels", parcels},
	{NULL, NULL},
};
