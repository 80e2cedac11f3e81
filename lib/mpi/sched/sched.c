/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting a schedule together, step by step. */
#include "sched.h"

#include <stdlib.h>
#include <string.h>

void sched_init(struct sched *s)
{
	s->steps = s->few;
	s->n = 0;
	s->cap = SCHED_INLINE;
	memset(s->high, 0, sizeof s->high);
	s->failed = false;
	s->local = false;
}

void sched_free(struct sched *s)
{
	if (s->steps != s->few)
		free(s->steps);
	s->steps = s->few;
	s->n = 0;
}

static bool grow(struct sched *s)
{
	size_t cap = 4 * s->cap;
	struct sched_step *more = malloc(cap * sizeof *more);

	if (!more) {
		s->failed = true;
		return false;
	}
	memcpy(more, s->steps, s->n * sizeof *more);
	if (s->steps != s->few)
		free(s->steps);
	s->steps = more;
	s->cap = cap;
	return true;
}

static void touch(struct sched *s, const struct sched_span *a)
{
	ptrdiff_t end = a->first + (ptrdiff_t)a->n;

	if (end > 0 && (size_t)end > s->high[a->buf])
		s->high[a->buf] = (size_t)end;
}

static struct sched_step *add(struct sched *s, enum sched_kind kind, struct sched_span a)
{
	if (s->failed || (s->n == s->cap && !grow(s)))
		return NULL;
	struct sched_step *step = &s->steps[s->n++];

	step->kind = kind;
	step->local = s->local;
	step->last = false;
	step->a = a;
	touch(s, &a);
	return step;
}

void sched_send(struct sched *s, int peer, struct sched_span a)
{
	struct sched_step *step = add(s, SCHED_SEND, a);

	if (step)
		step->peer = peer;
}

void sched_recv(struct sched *s, int peer, struct sched_span a)
{
	struct sched_step *step = add(s, SCHED_RECV, a);

	if (step)
		step->peer = peer;
}

void sched_send_some(struct sched *s, int peer, struct sched_span a)
{
	if (a.n > 0)
		sched_send(s, peer, a);
}

void sched_recv_some(struct sched *s, int peer, struct sched_span a)
{
	if (a.n > 0)
		sched_recv(s, peer, a);
}

void sched_copy(struct sched *s, struct sched_span to, struct sched_span from)
{
	struct sched_step *step = add(s, SCHED_COPY, to);

	if (step) {
		step->b = from;
		touch(s, &from);
	}
}

void sched_reduce(struct sched *s, struct sched_span inout, struct sched_span in)
{
	if (inout.n == 0)
		return;
	struct sched_step *step = add(s, SCHED_REDUCE, inout);

	if (step) {
		step->b = in;
		touch(s, &in);
	}
}

void sched_round(struct sched *s)
{
	if (s->n > 0)
		s->steps[s->n - 1].last = true;
}

struct sched_span sched_range(enum sched_buf buf, const struct sched_blocks *b, int lo, int hi)
{
	if (b->offsets)
		return sched_span(buf, (ptrdiff_t)b->offsets[lo], b->offsets[hi] - b->offsets[lo]);
	return sched_span(buf, (ptrdiff_t)((size_t)lo * b->n), (size_t)(hi - lo) * b->n);
}

struct sched_span sched_block_span(enum sched_buf buf, const struct sched_blocks *b, int i)
{
	if (b->spans)
		return b->spans[i];
	if (sched_given(b->counts))
		return sched_span(buf, (ptrdiff_t)sched_number(b->displs, i),
			(size_t)sched_number(b->counts, i));
	return sched_range(buf, b, i, i + 1);
}
