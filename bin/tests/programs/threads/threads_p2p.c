/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking messages, probes, wildcards, errors and cancelled messages of one thread among others.
 */
#include "threads.h"

#include <stdatomic.h>
#include <string.h>

enum { POOL_MOST = 8, NOBODY = 7 /* this tag and those above are not received */ };

static void ring(struct worker *w)
{
	int n = threads_length(w), tag = TAG_OWN + w->id;
	MPI_Status status;
	int count;

	threads_fill(w, n);
	MPI_Sendrecv(w->out, n, MPI_INT, w->right, tag, w->in, LONGEST, MPI_INT, w->left, tag,
		MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	threads_expect(w, count == n, "%d elements, not %d", count, n);
	threads_check(w, w->left, n);
}

/* Nothing but blocking calls: from rank 0 to the last. */
static void chain(struct worker *w)
{
	int n = threads_length(w), tag = threads_draw(w, 100), sync = threads_draw(w, 2);

	threads_fill(w, n);
	if (w->rank > 0) {
		MPI_Recv(w->in, n, MPI_INT, w->left, tag, w->comm, MPI_STATUS_IGNORE);
		threads_check(w, w->left, n);
	}
	if (w->rank < w->size - 1 && sync)
		MPI_Ssend(w->out, n, MPI_INT, w->right, tag, w->comm);
	else if (w->rank < w->size - 1)
		MPI_Send(w->out, n, MPI_INT, w->right, tag, w->comm);
}

/* A probe is good for the receive behind it, because nobody else receives on this communicator. */
static void probed(struct worker *w)
{
	int n = threads_length(w), tag = threads_draw(w, 100), poll = threads_draw(w, 2);
	int count, flag = 0;
	MPI_Request request;
	MPI_Status status;

	threads_fill(w, n);
	MPI_Isend(w->out, n, MPI_INT, w->right, tag, w->comm, &request);
	if (!poll)
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, &status);
	while (poll && !flag)
		MPI_Iprobe(MPI_ANY_SOURCE, tag, w->comm, &flag, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	threads_expect(w, count == n && status.MPI_TAG == tag && status.MPI_SOURCE == w->left,
		"probed %d elements with tag %d from rank %d", count, status.MPI_TAG,
		status.MPI_SOURCE);
	MPI_Recv(w->in, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, w->comm,
		MPI_STATUS_IGNORE);
	threads_check(w, w->left, n);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Everybody to one, who takes them as they come; the tag tells the threads apart. */
static void any_source(struct worker *w)
{
	int n = threads_length(w), root = threads_draw(w, w->size), tag = TAG_ANY_SOURCE + w->id;
	unsigned long seen = 0;
	MPI_Request request;
	MPI_Status status;

	threads_fill(w, n);
	MPI_Isend(w->out, n, MPI_INT, root, tag, threads_shared, &request);
	for (int i = 0; w->rank == root && i < w->size; i++) {
		MPI_Recv(w->in, n, MPI_INT, MPI_ANY_SOURCE, tag, threads_shared, &status);
		threads_check(w, status.MPI_SOURCE, n);
		threads_expect(w, !(seen & 1ul << status.MPI_SOURCE), "twice from rank %d",
			status.MPI_SOURCE);
		seen |= 1ul << status.MPI_SOURCE;
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	/* the next one shall not overtake */
	MPI_Barrier(w->comm);
}

/* ---- the pool ---- */

static _Atomic long put_in, taken_out;

/* One tag for all threads: each takes as many as it sends, whosever they are. None takes before its
 * own are sent, or it would take those of a thread that it, or one that it helps, waits for. */
static void all_have_sent(const struct worker *w)
{
	MPI_Barrier(w->comm);
}

static void pool(struct worker *w)
{
	int n = 1 + threads_draw(w, POOL_MOST), x[POOL_MOST], y;
	MPI_Request requests[POOL_MOST];
	MPI_Status status;

	for (int i = 0; i < n; i++) {
		x[i] = (int)((unsigned)threads_word(w, w->rank, i) % 100000u);
		put_in += x[i];
		MPI_Isend(&x[i], 1, MPI_INT, w->right, TAG_POOL, threads_shared, &requests[i]);
	}
	all_have_sent(w);
	for (int i = 0; i < n; i++) {
		MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, TAG_POOL, threads_shared, &status);
		threads_expect(w, status.MPI_SOURCE == w->left, "rank %d put something in",
			status.MPI_SOURCE);
		taken_out += y;
	}
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

void threads_check_pool(const struct prog *prog)
{
	long mine = put_in - taken_out, all = 0;
	int flag;

	MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (all != 0)
		prog_wrong(prog, "the pool: %ld more was put in than came out", all);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, threads_shared, &flag, MPI_STATUS_IGNORE);
	if (flag)
		prog_wrong(prog, "a message is left in the pool");
}

/* ---- for which probes of several threads would not do ---- */

/* Parcels of all threads under one tag; what a matched probe has found is nobody else's, so its
 * length is that of what is received. */
static void matched(struct worker *w)
{
	int n = threads_length(w), poll = threads_draw(w, 2), count, flag = 0;
	MPI_Request request;
	MPI_Message message;
	MPI_Status status;

	for (int i = 0; i < n; i++)
		w->out[i] = n + i;
	MPI_Isend(w->out, n, MPI_INT, w->right, TAG_MATCHED, threads_shared, &request);
	all_have_sent(w);
	while (poll && !flag)
		MPI_Improbe(MPI_ANY_SOURCE, TAG_MATCHED, threads_shared, &flag, &message, &status);
	if (!poll)
		MPI_Mprobe(w->left, TAG_MATCHED, threads_shared, &message, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	memset(w->in, 0, (size_t)count * sizeof *w->in);
	MPI_Mrecv(w->in, count, MPI_INT, &message, &status);
	threads_expect(w, w->in[0] == count && w->in[count - 1] == 2 * count - 1,
		"%d elements were found, %d received, the last is %d", count, w->in[0],
		w->in[count - 1]);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void buffered(struct worker *w)
{
	int n = threads_length(w), tag = threads_draw(w, 100), size;
	void *address;

	threads_fill(w, n);
	MPI_Comm_attach_buffer(w->comm, MPI_BUFFER_AUTOMATIC, 0);
	MPI_Bsend(w->out, n, MPI_INT, w->right, tag, w->comm);
	memset(w->out, 0, (size_t)n * sizeof *w->out);
	MPI_Recv(w->in, n, MPI_INT, w->left, tag, w->comm, MPI_STATUS_IGNORE);
	threads_check(w, w->left, n);
	MPI_Comm_detach_buffer(w->comm, &address, &size);
}

/* ---- what goes wrong, or is taken back ---- */

static void truncated(struct worker *w)
{
	int n = 1 + threads_length(w), room = n / 2, errclass = 0, rc;
	MPI_Request request;
	MPI_Status status;

	threads_fill(w, n);
	memset(w->in, -1, sizeof w->in[0] * (size_t)(room + 1));
	MPI_Isend(w->out, n, MPI_INT, w->right, 0, w->quiet, &request);
	rc = MPI_Recv(w->in, room, MPI_INT, w->left, 0, w->quiet, &status);
	MPI_Error_class(rc, &errclass);
	threads_expect(w, errclass == MPI_ERR_TRUNCATE, "%d of %d elements: error class %d", room,
		n, errclass);
	threads_check(w, w->left, room);
	threads_expect(w, w->in[room] == -1, "the element behind the buffer was written");
	rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
	threads_expect(w, rc == MPI_SUCCESS, "the sender learns of it: %d", rc);
}

static void cancelled(struct worker *w)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int x = 1, y = 2, tag = NOBODY + 1 + (int)w->round, flag;

	if (threads_lines)
		return;
	MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, NOBODY, threads_shared, &requests[0]);
	MPI_Issend(&x, 1, MPI_INT, w->right, tag, w->quiet, &requests[1]);
	MPI_Cancel(&requests[0]);
	MPI_Cancel(&requests[1]);
	MPI_Waitall(2, requests, statuses);
	for (int i = 0; i < 2; i++) {
		MPI_Test_cancelled(&statuses[i], &flag);
		threads_expect(w, flag, "the %s was not taken back", i ? "send" : "receive");
	}
	threads_expect(w, y == 2, "the buffer of the receive was written");
	/* what was taken back may not be found by a later probe here or there */
	MPI_Barrier(w->quiet);
	MPI_Iprobe(w->left, tag, w->quiet, &flag, MPI_STATUS_IGNORE);
	threads_expect(w, !flag, "the message that was taken back is there");
}

static void to_nobody(struct worker *w)
{
	MPI_Status status;
	int x = 5;

	MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, w->in, 1, MPI_INT, MPI_PROC_NULL, 0, w->comm,
		&status);
	threads_expect(w, status.MPI_SOURCE == MPI_PROC_NULL, "from rank %d", status.MPI_SOURCE);
}

const struct activity threads_p2p[] = {
	{"ring", ring},
	{"chain", chain},
	{"probed", probed},
	{"any source", any_source},
	{"pool", pool},
	{"matched", matched},
	{"buffered", buffered},
	{"truncated", truncated},
	{"cancelled", cancelled},
	{"to nobody", to_nobody},
	{NULL, NULL},
};
