/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_steps.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p.h"

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
			return fail_with(MPI_ERR_NO_MEM,
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

void *coll_span_at(const struct coll_run *run, struct sched_span a)
{
	const struct coll_buffer *b = &run->buf[a.buf];

	return (void *)(b->base + (uintptr_t)(a.first * b->type->extent));
}

struct type *coll_span_type(const struct coll_run *run, struct sched_span a)
{
	const struct coll_buffer *b = &run->buf[a.buf];

	return b->typed ? b->typed->types[a.block] : b->type;
}

/* ---- local steps ---- */

static int copy_typed(const struct coll_run *run, const struct sched_step *t)
{
	struct type *to = coll_span_type(run, t->a), *from = coll_span_type(run, t->b);

	if (type_copy(from, coll_span_at(run, t->b), t->b.n, to, coll_span_at(run, t->a), t->a.n) ==
		(size_t)-1)
		return fail_with(MPI_ERR_NO_MEM, "no memory to copy between two datatypes");
	return MPI_SUCCESS;
}

static int copy_step(const struct coll_run *run, const struct sched_step *t)
{
	struct type *to = coll_span_type(run, t->a), *from = coll_span_type(run, t->b);
	size_t room = t->a.n * to->size, length = t->b.n * from->size;
	int rc = MPI_SUCCESS;

	if (!to->contiguous || !from->contiguous)
		rc = copy_typed(run, t);
	else if (length > 0 && room > 0 && coll_span_at(run, t->a) != coll_span_at(run, t->b))
		memcpy(coll_span_at(run, t->a), coll_span_at(run, t->b),
			length < room ? length : room);
	if (rc == MPI_SUCCESS && length != room)
		rc = fail_with(MPI_ERR_TRUNCATE,
			"rank %d gives itself %zu bytes where it expects %zu", run->at.rank, length,
			room);
	return rc;
}

int coll_local_step(const struct coll_run *run, const struct sched_step *t)
{
	if (t->kind == SCHED_COPY)
		return copy_step(run, t);
	if (t->a.n > 0) /* the program's operators are not called for nothing */
		op_apply(run->op, coll_span_at(run, t->b), coll_span_at(run, t->a), t->a.n,
			coll_span_type(run, t->a));
	return MPI_SUCCESS;
}

/* ---- messages ---- */

/* What is wrong already is not passed on as if it were well (coll_motion.c). */
static size_t sent(const struct coll_run *run, const struct sched_span *a)
{
	return run->spoilt && a->buf != SCHED_IN ? 0 : a->n;
}

/* Inside an operation of an intercommunicator ranks of the local group talk, too. */
int coll_start(struct coll_run *run, const struct sched_step *t, struct request **r)
{
	struct comm *c = t->local ? run->c->local : run->c;
	int tag = t->local ? run->local_tag : run->tag;
	struct p2p_message m = {
		coll_span_at(run, t->a), t->a.n, coll_span_type(run, t->a), t->peer, tag};

	*r = NULL;
	if (t->kind == SCHED_RECV)
		return p2p_irecv(c, PLANE_COLL, m.buf, m.count, m.t, m.rank, m.tag, r);
	m.count = sent(run, &t->a);
	if (p2p_send_now(c, PLANE_COLL, &m))
		return MPI_SUCCESS;
	return p2p_isend(c, PLANE_COLL, m.buf, m.count, m.t, m.rank, m.tag, SEND_STANDARD, r);
}

static int start_kind(struct coll_run *run, const struct sched_step *t, size_t n,
	enum sched_kind kind, struct request **all, size_t *started)
{
	int rc = MPI_SUCCESS;

	for (size_t i = 0; i < n && rc == MPI_SUCCESS; i++) {
		if (t[i].kind != kind)
			continue;
		rc = coll_start(run, &t[i], &all[*started]);
		if (rc == MPI_SUCCESS && all[*started])
			++*started;
	}
	return rc;
}

int coll_start_all(struct coll_run *run, const struct sched_step *t, size_t n,
	enum coll_which which, struct request **all, size_t *started)
{
	int rc;

	*started = 0;
	rc = start_kind(run, t, n, SCHED_RECV, all, started);
	if (rc == MPI_SUCCESS && which == COLL_ALL)
		rc = start_kind(run, t, n, SCHED_SEND, all, started);
	return rc;
}

/* ---- rounds ---- */

size_t coll_round_end(const struct sched *s, size_t at)
{
	size_t end = at;

	while (end < s->n && !s->steps[end++].last)
		;
	return end;
}

size_t coll_messages_end(const struct sched *s, size_t at, size_t end)
{
	while (at < end && (s->steps[at].kind == SCHED_SEND || s->steps[at].kind == SCHED_RECV))
		at++;
	return at;
}

/* ---- the whole ---- */

int coll_ready(struct coll_run *run, int planned)
{
	if (planned == MPI_SUCCESS && run->s.failed)
		return fail_with(MPI_ERR_NO_MEM, "no memory for the plan of the operation");
	if (planned == MPI_SUCCESS && run->s.n > 0)
		return scratch_get(run);
	return planned;
}

void coll_free(struct coll_run *run)
{
	if (run->scratch)
		coll_scratch_give(run->scratch, run->scratch_bytes);
	coll_typed_free(run->buf[SCHED_IN].typed);
	coll_typed_free(run->buf[SCHED_OUT].typed);
	free(run->offsets);
	sched_free(&run->s);
}
