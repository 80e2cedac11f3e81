/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the program's that MPI calls, and that call MPI themselves: operators, attribute
 * callbacks, error handlers. They run in the thread whose call needs them. */
#include "threads.h"

#include <stdint.h>

enum { VALUES = 50 };

/* A whole message to itself, in the middle of something else. */
static int there_and_back(struct worker *w, int x)
{
	int y = -1, tag = TAG_SELF + THREADS + w->id;

	MPI_Sendrecv(
		&x, 1, MPI_INT, 0, tag, &y, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	return y;
}

/* ---- operators ---- */

/* Of numbers FIRST * 1000 + LAST: associative, not commutative. */
static void first_and_last(void *in, void *inout, int *length, MPI_Datatype *type)
{
	struct worker *w = threads_self();
	int *a = in, *b = inout, size;

	MPI_Type_size(*type, &size);
	threads_expect(w, size == (int)sizeof(int), "the type has %d bytes", size);
	threads_expect(w, there_and_back(w, *length) == *length, "a message to itself is wrong");
	for (int i = 0; i < *length; i++)
		b[i] = a[i] / 1000 * 1000 + b[i] % 1000;
}

static void operators(struct worker *w)
{
	int n = 1 + threads_draw(w, VALUES), both = threads_draw(w, 2), commutes = 1;
	int want = w->size - 1; /* rank 0 first, the last rank last */
	MPI_Op op;

	MPI_Op_create(first_and_last, 0, &op);
	MPI_Op_commutative(op, &commutes);
	threads_expect(w, !commutes, "the operator is said to commute");
	for (int i = 0; i < n; i++)
		w->out[i] = w->rank * 1001;
	MPI_Allreduce(w->out, w->in, n, MPI_INT, op, w->comm);
	for (int i = 0; i < n; i++)
		threads_expect(w, w->in[i] == want, "element %d is %d, not %d", i, w->in[i], want);
	if (both)
		MPI_Reduce_local(w->out, w->in, n, MPI_INT, op);
	threads_expect(w, !both || w->in[0] == w->rank * 1000 + want, "of two: %d", w->in[0]);
	MPI_Op_free(&op);
}

/* ---- attributes ---- */

struct counts {
	struct worker *w;
	int copied, deleted;
};

static int copy(MPI_Comm comm, int keyval, void *extra, void *value, void *out, int *flag)
{
	struct counts *counts = extra;
	int rank;

	(void)keyval;
	MPI_Comm_rank(comm, &rank);
	threads_expect(counts->w, counts->w == threads_self() && rank == counts->w->rank,
		"copied by another thread, or for rank %d", rank);
	threads_expect(
		counts->w, there_and_back(counts->w, 3) == 3, "a message to itself is wrong");
	counts->copied++;
	*(void **)out = (void *)((intptr_t)value + 1);
	*flag = 1;
	return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
	struct counts *counts = extra;
	int size;

	(void)keyval;
	MPI_Comm_size(comm, &size);
	threads_expect(counts->w,
		size == counts->w->size && (intptr_t)value == counts->w->round + counts->deleted,
		"deleted on %d ranks with value %ld", size, (long)(intptr_t)value);
	counts->deleted++;
	return MPI_SUCCESS;
}

static void attributes(struct worker *w)
{
	struct counts counts = {.w = w};
	int key, flag;
	void *value;
	MPI_Comm comm;

	MPI_Comm_create_keyval(copy, forget, &key, &counts);
	MPI_Comm_set_attr(w->comm, key, (void *)(intptr_t)w->round);
	MPI_Comm_dup(w->comm, &comm);
	MPI_Comm_get_attr(comm, key, &value, &flag);
	threads_expect(w, flag && (intptr_t)value == w->round + 1, "the copy has %ld",
		(long)(intptr_t)value);
	MPI_Comm_delete_attr(w->comm, key);
	MPI_Comm_get_attr(w->comm, key, &value, &flag);
	threads_expect(w, !flag && counts.deleted == 1, "it was deleted, and is there");
	MPI_Comm_free_keyval(&key);
	MPI_Comm_free(&comm);
	threads_expect(w, counts.copied == 1 && counts.deleted == 2, "copied %d times, deleted %d",
		counts.copied, counts.deleted);
}

/* ---- errors ---- */

static _Thread_local int seen_class, seen_size, seen;

static void handler(MPI_Comm *comm, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	int length;

	MPI_Error_class(*code, &seen_class);
	MPI_Error_string(*code, text, &length);
	MPI_Comm_size(*comm, &seen_size);
	seen += there_and_back(threads_self(), 1);
}

/* Errors of several classes, each thread its own. */
static int go_wrong(struct worker *w, MPI_Comm comm, int kind)
{
	int x = w->id, rank;

	switch (kind) {
	case 0:
		MPI_Send(&x, 1, MPI_INT, w->size, 0, comm);
		return MPI_ERR_RANK;
	case 1:
		MPI_Send(&x, -1, MPI_INT, 0, 0, comm);
		return MPI_ERR_COUNT;
	case 2:
		MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, comm);
		return MPI_ERR_TYPE;
	default:
		MPI_Recv(&rank, 1, MPI_INT, 0, -5, comm, MPI_STATUS_IGNORE);
		return MPI_ERR_TAG;
	}
}

static void errors(struct worker *w)
{
	int kind = threads_draw(w, 4), want, size;
	MPI_Errhandler mine, set;
	MPI_Comm comm;

	MPI_Comm_dup(w->comm, &comm);
	MPI_Comm_create_errhandler(handler, &mine);
	MPI_Comm_set_errhandler(comm, mine);
	MPI_Comm_get_errhandler(comm, &set);
	threads_expect(w, set == mine, "another handler is set");
	MPI_Errhandler_free(&set);
	MPI_Errhandler_free(&mine);
	seen = 0;
	want = go_wrong(w, comm, kind);
	threads_expect(w, seen == 1 && seen_class == want && seen_size == w->size,
		"the handler saw %d errors, class %d, %d ranks", seen, seen_class, seen_size);
	MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
	threads_expect(w, seen == 2 && seen_class == MPI_ERR_OTHER, "then class %d", seen_class);
	MPI_Comm_size(comm, &size);
	MPI_Comm_free(&comm);
}

/* The same with codes that come back. */
static void returned(struct worker *w)
{
	int n = 1 + threads_draw(w, 20), x = 0, errclass, rc;

	for (int i = 0; i < n; i++) {
		rc = w->id % 2 ? MPI_Send(&x, 1, MPI_INT, -9, 0, w->quiet)
			       : MPI_Bcast(&x, 1, MPI_INT, w->size, w->quiet);
		MPI_Error_class(rc, &errclass);
		threads_expect(w, errclass == (w->id % 2 ? MPI_ERR_RANK : MPI_ERR_ROOT),
			"error class %d", errclass);
	}
}

const struct activity threads_callbacks[] = {
	{"operators", operators},
	{"attributes", attributes},
	{"errors", errors},
	{"returned", returned},
	{NULL, NULL},
};
