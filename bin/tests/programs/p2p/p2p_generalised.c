/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised requests: MPI 5.0 section 13.2. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "p2p.h"

/* One operation, and what was asked about it. */
struct op {
	int queries, frees, cancels;
	int complete; /* as cancel_fn was told */
	int query_gives, free_gives, cancel_gives;
	bool cancelled, completes;
	MPI_Request request;
};

/* Calls of MPI are allowed in all three. */
static void call_something(void)
{
	int flag = 0;

	MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	p2p_want(!flag, "a message nobody sent");
}

static int on_query(void *extra_state, MPI_Status *status)
{
	struct op *op = extra_state;

	op->queries++;
	call_something();
	p2p_want(status != MPI_STATUS_IGNORE, "query_fn gets no status");
	MPI_Status_set_cancelled(status, op->cancelled);
	status->MPI_SOURCE = 17;
	status->MPI_TAG = 18;
	return op->query_gives;
}

static int on_free(void *extra_state)
{
	struct op *op = extra_state;

	op->frees++;
	call_something();
	return op->free_gives;
}

static int on_cancel(void *extra_state, int complete)
{
	struct op *op = extra_state;

	op->cancels++;
	op->complete = complete;
	call_something();
	if (op->completes && !complete) {
		op->cancelled = true;
		MPI_Grequest_complete(op->request);
	}
	return op->cancel_gives;
}

static void start(struct op *op)
{
	*op = (struct op){.complete = -1};
	p2p_error("Grequest_start", MPI_SUCCESS,
		MPI_Grequest_start(on_query, on_free, on_cancel, op, &op->request));
}

static void asked(const char *what, const struct op *op, int queries, int frees, int cancels)
{
	p2p_want(op->queries == queries && op->frees == frees && op->cancels == cancels,
		"%s: %d queries, %d frees, %d cancels; not %d, %d, %d", what, op->queries,
		op->frees, op->cancels, queries, frees, cancels);
}

static void life(void)
{
	struct op op;
	MPI_Request copy;
	MPI_Status s;
	int flag = -1;

	start(&op);
	MPI_Test(&op.request, &flag, &s);
	p2p_want(!flag, "complete too early");
	asked("begun", &op, 0, 0, 0);
	MPI_Grequest_complete(op.request);
	asked("complete", &op, 0, 0, 0);
	MPI_Request_get_status(op.request, &flag, &s);
	p2p_want(flag && s.MPI_SOURCE == 17 && s.MPI_TAG == 18, "looked at: %d", s.MPI_SOURCE);
	asked("looked at", &op, 1, 0, 0);
	s.MPI_ERROR = 12345;
	MPI_Wait(&op.request, &s);
	p2p_want(op.request == MPI_REQUEST_NULL && s.MPI_SOURCE == 17 && s.MPI_ERROR == 12345,
		"waited for: source %d, error %d", s.MPI_SOURCE, s.MPI_ERROR);
	asked("waited for", &op, 2, 1, 0);
	/* without a status */
	start(&op);
	MPI_Grequest_complete(op.request);
	MPI_Wait(&op.request, MPI_STATUS_IGNORE);
	asked("no status", &op, 1, 1, 0);
	/* freed before and after */
	start(&op);
	copy = op.request;
	MPI_Request_free(&op.request);
	asked("freed early", &op, 0, 0, 0);
	p2p_error("freed early", MPI_SUCCESS, MPI_Grequest_complete(copy));
	asked("freed early, then complete", &op, 0, 1, 0);
	start(&op);
	MPI_Grequest_complete(op.request);
	MPI_Request_free(&op.request);
	asked("freed late", &op, 0, 1, 0);
}

static void sets(void)
{
	struct op op[2];
	MPI_Request r[3];
	MPI_Status s[3];
	int x = 1, y = 0, index = -1, n = -1, flag = -1, which[3];

	start(&op[0]);
	start(&op[1]);
	r[0] = op[0].request;
	MPI_Irecv(&y, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, &r[1]);
	r[2] = op[1].request;
	MPI_Testany(3, r, &index, &flag, s);
	p2p_want(!flag, "any is done: %d", index);
	MPI_Grequest_complete(r[2]);
	MPI_Waitany(3, r, &index, s);
	p2p_want(index == 2 && s[0].MPI_TAG == 18 && r[2] == MPI_REQUEST_NULL, "any: %d", index);
	asked("any", &op[1], 1, 1, 0);
	start(&op[1]);
	r[2] = op[1].request;
	MPI_Grequest_complete(r[0]);
	MPI_Grequest_complete(r[2]);
	MPI_Waitsome(3, r, &n, which, s);
	p2p_want(n == 2 && which[0] == 0 && which[1] == 2, "some: %d", n);
	asked("some", &op[0], 1, 1, 0);
	start(&op[0]);
	r[0] = op[0].request;
	MPI_Testall(3, r, &flag, s);
	p2p_want(!flag, "all are done");
	asked("not all", &op[0], 0, 0, 0);
	MPI_Send(&x, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD);
	MPI_Grequest_complete(r[0]);
	MPI_Waitall(3, r, s);
	p2p_want(s[0].MPI_SOURCE == 17 && s[1].MPI_SOURCE == p2p.rank, "all: %d, %d",
		s[0].MPI_SOURCE, s[1].MPI_SOURCE);
	asked("all", &op[0], 1, 1, 0);
}

static void cancelled(void)
{
	struct op op;
	MPI_Status s;
	int flag = 0;

	start(&op);
	MPI_Cancel(&op.request);
	p2p_want(op.complete == 0, "cancel_fn was told %d", op.complete);
	MPI_Test(&op.request, &flag, &s);
	p2p_want(!flag, "cancel_fn did nothing, and it is complete");
	op.completes = true;
	MPI_Cancel(&op.request);
	MPI_Wait(&op.request, &s);
	MPI_Test_cancelled(&s, &flag);
	p2p_want(flag, "it was cancelled, and the status does not say so");
	asked("cancelled", &op, 1, 1, 2);
	start(&op);
	MPI_Grequest_complete(op.request);
	MPI_Cancel(&op.request);
	p2p_want(op.complete == 1, "cancel_fn was told %d", op.complete);
	MPI_Wait(&op.request, &s);
	MPI_Test_cancelled(&s, &flag);
	p2p_want(!flag, "it was not cancelled");
}

static int handled;

static void on_error(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	handled++;
}

/* What the functions give comes out of the calls, by the error handler. */
static void callbacks_fail(void)
{
	MPI_Errhandler handler;
	MPI_Status s[1];
	struct op op;

	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	start(&op);
	op.query_gives = MPI_ERR_OTHER;
	MPI_Grequest_complete(op.request);
	p2p_error("query_fn", MPI_ERR_OTHER, MPI_Wait(&op.request, MPI_STATUS_IGNORE));
	p2p_want(handled == 1 && op.request == MPI_REQUEST_NULL, "handled %d", handled);
	asked("query_fn fails", &op, 1, 1, 0);
	start(&op);
	op.free_gives = MPI_ERR_ARG;
	MPI_Grequest_complete(op.request);
	p2p_error("free_fn", MPI_ERR_IN_STATUS, MPI_Waitall(1, &op.request, s));
	p2p_error("free_fn, status", MPI_ERR_ARG, s[0].MPI_ERROR);
	start(&op);
	op.free_gives = MPI_ERR_ARG;
	MPI_Grequest_complete(op.request);
	p2p_error("freed", MPI_ERR_ARG, MPI_Request_free(&op.request));
	start(&op);
	op.cancel_gives = MPI_ERR_INTERN;
	p2p_error("cancel_fn", MPI_ERR_INTERN, MPI_Cancel(&op.request));
	MPI_Grequest_complete(op.request);
	p2p_error("and then", MPI_SUCCESS, MPI_Wait(&op.request, MPI_STATUS_IGNORE));
	p2p_want(handled == 4, "handled %d", handled);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&handler);
	handled = 0;
}

static void errors(void)
{
	MPI_Request r = MPI_REQUEST_NULL;
	struct op op;
	int x;

	p2p_error("null", MPI_ERR_REQUEST, MPI_Grequest_complete(r));
	p2p_error("null", MPI_ERR_ARG, MPI_Grequest_start(NULL, on_free, on_cancel, &op, &r));
	p2p_error("null", MPI_ERR_ARG, MPI_Grequest_start(on_query, on_free, on_cancel, &op, NULL));
	MPI_Irecv(&x, 1, MPI_INT, p2p.rank, 1, MPI_COMM_WORLD, &r);
	p2p_error("a receive", MPI_ERR_REQUEST, MPI_Grequest_complete(r));
	p2p_error("not persistent", MPI_ERR_REQUEST, MPI_Start(&r));
	MPI_Cancel(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	start(&op);
	p2p_error("not persistent", MPI_ERR_REQUEST, MPI_Start(&op.request));
	MPI_Grequest_complete(op.request);
	p2p_error("twice", MPI_ERR_REQUEST, MPI_Grequest_complete(op.request));
	MPI_Wait(&op.request, MPI_STATUS_IGNORE);
}

static void *complete_it(void *arg)
{
	struct op *op = arg;

	MPI_Recv(NULL, 0, MPI_BYTE, p2p.rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Grequest_complete(op->request);
	return NULL;
}

/* Another thread completes what this one waits for, again and again. */
static void by_thread(void)
{
	for (int i = 0; i < 100; i++) {
		pthread_t thread;
		MPI_Request r;
		struct op op;

		start(&op);
		r = op.request;
		p2p_want(pthread_create(&thread, NULL, complete_it, &op) == 0, "no thread");
		MPI_Send(NULL, 0, MPI_BYTE, p2p.rank, 5, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		pthread_join(thread, NULL);
		asked("by a thread", &op, 1, 1, 0);
	}
}

const struct p2p_case p2p_generalised[] = {
	{"generalised-life", life, 1},
	{"generalised-sets", sets, 1},
	{"generalised-cancelled", cancelled, 1},
	{"generalised-fail", callbacks_fail, 1},
	{"generalised-errors", errors, 1},
	{"generalised-thread", by_thread, 1},
	{NULL, NULL, 0},
};
