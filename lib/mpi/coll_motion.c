/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The motion of collective operations: a schedule's steps become messages, copies and calls of the
 * operator. The rounds of most small operations have one message, or one each way; these use the
 * blocking calls, which look at the one socket that matters.
 *
 * Failure. A message that is too long for its place is remembered and the schedule goes on, so that
 * no other rank waits for this one; any other error ends it after all that was started in the round
 * has ended, so that no message is left that points into memory the caller gets back.
 */
#include "coll_motion.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "p2p.h"

enum { FEW_REQUESTS = 2 * 32 };

static int next_tag(struct comm *c)
{
	return (int)(c->coll_seq++ & 0x3fffffff);
}

void coll_begin(struct coll_run *run, struct comm *c, int root)
{
	run->c = c;
	run->tag = next_tag(c);
	run->local_tag = c->local ? next_tag(c->local) : 0;
	run->at = (struct sched_place){c->rank, c->size, root};
	sched_init(&run->s);
	run->op = NULL;
	run->scratch_type = type_bytes();
	memset(run->buf, 0, sizeof run->buf);
	run->offsets = NULL;
	run->scratch = NULL;
	run->scratch_bytes = 0;
}

void coll_use(struct coll_run *run, enum sched_buf which, const void *buf, struct type *type)
{
	run->buf[which] = (struct coll_buffer){(uintptr_t)buf, type};
}

int coll_prefix(
	struct coll_run *run, struct sched_numbers counts, size_t unit, const size_t **offsets)
{
	int n = run->at.size;
	size_t sum = 0;

	run->offsets = malloc(((size_t)n + 1) * sizeof *run->offsets);
	if (!run->offsets)
		return api_fail(MPI_ERR_NO_MEM, "no memory for the offsets of %d blocks", n);
	for (int i = 0; i < n; i++) {
		run->offsets[i] = sum;
		sum += (size_t)sched_number(counts, i) * unit;
	}
	run->offsets[n] = sum;
	*offsets = run->offsets;
	return MPI_SUCCESS;
}

/* ---- memory ---- */

static size_t magnitude(MPI_Aint x)
{
	return x < 0 ? (size_t)-x : (size_t)x;
}

/* Bytes that n elements of t take, with room to set them at an address that is a multiple of 64. */
static size_t scratch_need(const struct type *t, size_t n)
{
	size_t span = (size_t)t->true_extent, bytes;

	if (n == 0)
		return 0;
	if (__builtin_mul_overflow(magnitude(t->extent), n - 1, &bytes) ||
		__builtin_add_overflow(bytes, span, &bytes) || bytes > SIZE_MAX / 8)
		return SIZE_MAX / 8;
	return (bytes + 63 + 64) / 64 * 64;
}

/* Unit 0 of a buffer in scratch memory at p: its address is congruent to 0, as the user's buffers'
 * is, and the lowest byte of data of all elements is at p or just above. */
static uintptr_t scratch_base(const struct type *t, size_t n, uintptr_t p)
{
	intptr_t lowest = t->true_lb;

	if (t->extent < 0 && n > 0)
		lowest += t->extent * (intptr_t)(n - 1);
	return (p - (uintptr_t)lowest + 63) & ~(uintptr_t)63;
}

static size_t scratch_total(const struct coll_run *run, size_t need[SCHED_BUFS])
{
	size_t total = 0;

	for (int i = 0; i < SCHED_BUFS; i++) {
		need[i] = run->buf[i].type ? 0 : scratch_need(run->scratch_type, run->s.high[i]);
		total += need[i];
	}
	return total;
}

/* Every buffer that is not the caller's becomes scratch, also one of no length: steps may name it.
 */
static int scratch_get(struct coll_run *run)
{
	size_t need[SCHED_BUFS], total = scratch_total(run, need);
	uintptr_t p = (uintptr_t)run->small;

	if (total > sizeof run->small) {
		run->scratch_bytes = total;
		run->scratch = coll_scratch_take(&run->scratch_bytes);
		if (!run->scratch)
			return api_fail(MPI_ERR_NO_MEM,
				"no memory for %zu bytes beside the caller's buffers", total);
		p = (uintptr_t)run->scratch;
	}
	for (int i = 0; i < SCHED_BUFS; i++) {
		if (run->buf[i].type)
			continue;
		run->buf[i].base = scratch_base(run->scratch_type, run->s.high[i], p);
		run->buf[i].type = run->scratch_type;
		p += need[i];
	}
	return MPI_SUCCESS;
}

static void *span_at(const struct coll_run *run, struct sched_span a)
{
	const struct coll_buffer *b = &run->buf[a.buf];

	return (void *)(b->base + (uintptr_t)(a.first * b->type->extent));
}

static struct type *span_type(const struct coll_run *run, struct sched_span a)
{
	return run->buf[a.buf].type;
}

/* ---- local steps ---- */

static int copy_typed(const struct coll_run *run, const struct sched_step *t)
{
	struct type *to = span_type(run, t->a), *from = span_type(run, t->b);

	if (type_copy(from, span_at(run, t->b), t->b.n, to, span_at(run, t->a), t->a.n) ==
		(size_t)-1)
		return api_fail(MPI_ERR_NO_MEM, "no memory to copy between two datatypes");
	return MPI_SUCCESS;
}

static int copy_step(const struct coll_run *run, const struct sched_step *t)
{
	struct type *to = span_type(run, t->a), *from = span_type(run, t->b);
	size_t room = t->a.n * to->size, length = t->b.n * from->size;
	int rc = MPI_SUCCESS;

	if (!to->contiguous || !from->contiguous)
		rc = copy_typed(run, t);
	else if (length > 0 && room > 0 && span_at(run, t->a) != span_at(run, t->b))
		memcpy(span_at(run, t->a), span_at(run, t->b), length < room ? length : room);
	if (rc == MPI_SUCCESS && length > room)
		rc = api_fail(MPI_ERR_TRUNCATE,
			"rank %d gives itself %zu bytes where it has room for %zu", run->at.rank,
			length, room);
	return rc;
}

static int local_step(const struct coll_run *run, const struct sched_step *t)
{
	if (t->kind == SCHED_COPY)
		return copy_step(run, t);
	op_apply(run->op, span_at(run, t->b), span_at(run, t->a), t->a.n, span_type(run, t->a));
	return MPI_SUCCESS;
}

/* ---- messages ---- */

static struct comm *comm_of(const struct coll_run *run, const struct sched_step *t)
{
	return t->local ? run->c->local : run->c;
}

static int tag_of(const struct coll_run *run, const struct sched_step *t)
{
	return t->local ? run->local_tag : run->tag;
}

static int start(struct coll_run *run, const struct sched_step *t, struct request **r)
{
	if (t->kind == SCHED_RECV)
		return p2p_irecv(comm_of(run, t), PLANE_COLL, span_at(run, t->a), t->a.n,
			span_type(run, t->a), t->peer, tag_of(run, t), r);
	return p2p_isend(comm_of(run, t), PLANE_COLL, span_at(run, t->a), t->a.n,
		span_type(run, t->a), t->peer, tag_of(run, t), SEND_STANDARD, r);
}

static int one_message(struct coll_run *run, const struct sched_step *t)
{
	if (t->kind == SCHED_RECV)
		return p2p_recv(comm_of(run, t), PLANE_COLL, span_at(run, t->a), t->a.n,
			span_type(run, t->a), t->peer, tag_of(run, t), MPI_STATUS_IGNORE);
	return p2p_send(comm_of(run, t), PLANE_COLL, span_at(run, t->a), t->a.n,
		span_type(run, t->a), t->peer, tag_of(run, t), SEND_STANDARD);
}

static int send_and_receive(
	struct coll_run *run, const struct sched_step *send, const struct sched_step *recv)
{
	struct request *r = NULL;
	int rc = start(run, send, &r), sent;

	if (rc != MPI_SUCCESS)
		return rc;
	rc = one_message(run, recv);
	sent = request_wait(r, MPI_STATUS_IGNORE);
	return rc != MPI_SUCCESS ? rc : sent;
}

/* Receives first, so that what comes finds its place. */
static int many_messages(struct coll_run *run, const struct sched_step *t, size_t n)
{
	struct request *few[FEW_REQUESTS], **all = few;
	size_t started = 0;
	int rc = MPI_SUCCESS, ended;

	if (n > FEW_REQUESTS)
		all = malloc(n * sizeof *all);
	if (!all)
		return api_fail(MPI_ERR_NO_MEM, "no memory for %zu requests", n);
	for (int pass = 0; pass < 2; pass++) {
		enum sched_kind kind = pass == 0 ? SCHED_RECV : SCHED_SEND;

		for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) {
			if (t[i].kind == kind)
				rc = start(run, &t[i], &all[started]);
			if (t[i].kind == kind && rc == MPI_SUCCESS)
				started++;
		}
	}
	ended = request_wait_all(all, started);
	if (all != few)
		free(all);
	return rc != MPI_SUCCESS ? rc : ended;
}

static int messages(struct coll_run *run, const struct sched_step *t, size_t n)
{
	if (n == 1)
		return one_message(run, t);
	if (n == 2 && t[0].kind != t[1].kind)
		return t[0].kind == SCHED_SEND ? send_and_receive(run, &t[0], &t[1])
					       : send_and_receive(run, &t[1], &t[0]);
	return n == 0 ? MPI_SUCCESS : many_messages(run, t, n);
}

/* ---- the schedule ---- */

static bool is_message(const struct sched_step *t)
{
	return t->kind == SCHED_SEND || t->kind == SCHED_RECV;
}

/* Steps [at, end) are one round. */
static int run_round(struct coll_run *run, size_t at, size_t end)
{
	const struct sched_step *steps = run->s.steps;
	size_t i = at;
	int rc, worst;

	while (i < end && is_message(&steps[i]))
		i++;
	worst = messages(run, &steps[at], i - at);
	for (; i < end && (worst == MPI_SUCCESS || worst == MPI_ERR_TRUNCATE); i++) {
		rc = local_step(run, &steps[i]);
		if (rc != MPI_SUCCESS)
			worst = rc;
	}
	return worst;
}

static int run_all(struct coll_run *run)
{
	int rc, worst = MPI_SUCCESS;

	for (size_t at = 0, end; at < run->s.n; at = end) {
		end = at + 1;
		while (end < run->s.n && !run->s.steps[end - 1].last)
			end++;
		rc = run_round(run, at, end);
		if (rc != MPI_SUCCESS && rc != MPI_ERR_TRUNCATE)
			return rc;
		if (rc != MPI_SUCCESS)
			worst = rc;
	}
	return worst;
}

static void coll_free(struct coll_run *run)
{
	if (run->scratch)
		coll_scratch_give(run->scratch, run->scratch_bytes);
	free(run->offsets);
	sched_free(&run->s);
}

int coll_end(struct coll_run *run, int planned)
{
	int rc = planned;

	if (rc == MPI_SUCCESS && run->s.failed)
		rc = api_fail(MPI_ERR_NO_MEM, "no memory for the plan of the operation");
	if (rc == MPI_SUCCESS && run->s.n > 0)
		rc = scratch_get(run);
	if (rc == MPI_SUCCESS && run->s.n > 0)
		rc = run_all(run);
	coll_free(run);
	return rc;
}
