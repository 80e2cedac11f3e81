/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text is made under the lock and written without it, since its reader may be slow and a rank
 * must not wait for that. When the reader takes nothing for a second the rest is dropped.
 */
#include "queues.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/plural.h"
#include "mpi/comm/comm.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/handle_table.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/p2p_state.h"
#include "mpi/p2p/request.h"
#include "mpi/p2p/stored.h"

enum {
	PATIENCE_MS = 1000,
	PIECE = 4096, /* at most PIPE_BUF: a pipe that poll calls writable takes it whole */
};

struct text {
	FILE *out;
	unsigned requests, messages;
	struct comm *found; /* by find_comm */
	uint64_t context;
};

static void begin_line(struct text *t)
{
	fprintf(t->out, "rank %d on %s: ", process_rank(), process_host());
}

/* How long ago, where that was noted. */
static void end_line(struct text *t, uint64_t since)
{
	if (since)
		fprintf(t->out, ", for %.3f s", (double)(clock_program_ns() - since) * 1e-9);
	fputc('\n', t->out);
}

/* A rank of c, and of the world where that is another number. */
static void put_rank(struct text *t, const struct comm *c, int rank)
{
	int world = rank >= 0 && rank < c->npeers ? comm_world_rank(c, rank) : rank;

	if (rank == MPI_ANY_SOURCE)
		fputs("any rank", t->out);
	else
		fprintf(t->out, "rank %d", rank);
	if (world != rank)
		fprintf(t->out, " (%d of the world)", world);
}

static void put_tag(struct text *t, bool collective, int tag)
{
	if (collective)
		fprintf(t->out, ", collective operation %" PRIu32, (uint32_t)tag);
	else if (tag == MPI_ANY_TAG)
		fputs(", any tag", t->out);
	else
		fprintf(t->out, ", tag %d", tag);
}

static void put_message(struct text *t, const struct request *r)
{
	bool receive = r->kind == REQUEST_RECV;
	size_t bytes = r->m.type ? r->m.count * r->m.type->size : 0;

	fputs(receive ? "receive from " : "send to ", t->out);
	put_rank(t, r->m.comm, r->m.rank);
	put_tag(t, r->m.plane != PLANE_POINT, r->m.tag);
	fprintf(t->out, ", %s, %zu byte%s", comm_label(r->m.comm), bytes, plural(bytes));
	if (receive && r->state != REQUEST_POSTED)
		fputs(", its message is on the way", t->out);
}

static void put_request(struct request *r, void *arg)
{
	struct text *t = arg;

	if (request_idle(r))
		return;
	t->requests++;
	begin_line(t);
	if (r->kind != REQUEST_OTHER && r->m.comm)
		put_message(t, r);
	else
		fprintf(t->out, "an operation that is no single message, %s",
			r->m.comm ? comm_label(r->m.comm) : "of no communicator");
	end_line(t, r->since);
}

static void find_comm(struct object *o, void *arg)
{
	struct comm *c = (struct comm *)(void *)o;
	struct text *t = arg;

	if (c->context == t->context)
		t->found = c;
}

/* The program's communicator of this context; NULL: it has not made it yet, or has freed it. */
static struct comm *comm_of(struct text *t, uint64_t context)
{
	t->context = context & ~UINT64_C(1);
	t->found = NULL;
	find_comm(&comm_world()->head, t);
	find_comm(&comm_self()->head, t);
	handle_table_each(OBJECT_COMM, find_comm, t);
	return t->found;
}

static void put_unreceived(struct text *t, const struct match_msg *m)
{
	struct comm *c = comm_of(t, m->context);
	uint64_t bytes =
		m->stored ? m->stored->length : container_of(m, struct tp_unexpected, user)->length;

	t->messages++;
	begin_line(t);
	fputs("message without a receive from ", t->out);
	if (c && m->source >= 0 && m->source < c->npeers)
		put_rank(t, c, m->source);
	else
		fprintf(t->out, "rank %d of the world", m->peer);
	put_tag(t, m->context & 1, m->tag);
	fprintf(t->out, ", %s, %" PRIu64 " byte%s", c ? comm_label(c) : "unknown communicator",
		bytes, plural(bytes));
	if (m->handle)
		fputs(", found by MPI_Mprobe", t->out);
	end_line(t, m->since);
}

static void put_all(struct text *t)
{
	requests_each(put_request, t);
	list_for_each (item, &p2p_matching()->matched)
		put_unreceived(t, container_of(item, struct match_msg, all.link));
	list_for_each (item, &p2p_matching()->arrivals.list)
		put_unreceived(t, container_of(item, struct match_msg, all.link));
	begin_line(t);
	fprintf(t->out, "queues: %u operation%s not done, %u message%s without a receive\n",
		t->requests, plural(t->requests), t->messages, plural(t->messages));
}

/* Piece by piece, each of whole lines where they fit. */
static void write_out(const char *at, size_t left)
{
	while (left > 0) {
		struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
		size_t n = left < PIECE ? left : PIECE;
		const char *end = n < left ? memrchr(at, '\n', n) : NULL;
		ssize_t done;

		if (end)
			n = (size_t)(end + 1 - at);
		if (poll(&p, 1, PATIENCE_MS) != 1 || !(p.revents & POLLOUT))
			return;
		done = write(STDERR_FILENO, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		at += done;
		left -= (size_t)done;
	}
}

void queues_dump(void)
{
	struct text t = {0};
	char *words = NULL;
	size_t len = 0;

	t.out = open_memstream(&words, &len);
	if (!t.out)
		return;
	engine_lock();
	if (comm_world())
		put_all(&t);
	engine_unlock();
	if (fclose(t.out) == 0)
		write_out(words, len);
	free(words);
}
