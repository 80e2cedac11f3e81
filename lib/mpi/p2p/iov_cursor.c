/* SPDX-License-Identifier: BSD-3-Clause */
#include "iov_cursor.h"

#include <stdlib.h>

#include "base/list.h"
#include "mpi/type/type_cursor.h"
#include "mpi/type/layout.h"

/* What one system call can take and bring; smaller ones cost more of these than the cache saves
 * (bench/README.md). Tests set less. */
#ifndef IOV_CURSOR_STAGE
#define IOV_CURSOR_STAGE (1 << 20)
#endif

enum {
	STAGE = IOV_CURSOR_STAGE,
	LONG_RUN = 4 << 10, /* on average: from here on a copy costs more than a longer list */
	RUNS = 64,	    /* told to the kernel at once */
};

struct iov_cursor {
	struct tp_iov_cursor head;
	struct type_cursor cursor;
	size_t left; /* bytes from the cursor on */
	/* what is staged and not passed yet */
	char *stage;
	size_t at, end;
	/* or runs that are told and not passed yet */
	struct iovec *runs;
	int run, nruns;
	struct cursor_frame frames[]; /* stage or runs behind them */
};

static struct iov_cursor *cursor_of(struct tp_iov_cursor *head)
{
	return container_of(head, struct iov_cursor, head);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* ---- long runs, either way ---- */

static int next_runs(struct tp_iov_cursor *head, struct iovec *iov, int max)
{
	struct iov_cursor *p = cursor_of(head);
	int n = 0;

	if (p->run == p->nruns) {
		p->run = 0;
		p->nruns = type_cursor_runs(&p->cursor, p->runs, RUNS);
	}
	while (n < max && p->run + n < p->nruns) {
		iov[n] = p->runs[p->run + n];
		n++;
	}
	return n;
}

static void pass_runs(struct tp_iov_cursor *head, size_t bytes)
{
	struct iov_cursor *p = cursor_of(head);

	while (bytes > 0) {
		struct iovec *run = &p->runs[p->run];
		size_t n = smaller(bytes, run->iov_len);

		run->iov_base = (char *)run->iov_base + n;
		run->iov_len -= n;
		bytes -= n;
		p->run += run->iov_len == 0;
	}
}

/* ---- short ones that are sent ---- */

static int next_out(struct tp_iov_cursor *head, struct iovec *iov, int max)
{
	struct iov_cursor *p = cursor_of(head);

	(void)max;
	if (p->at == p->end) {
		p->at = 0;
		p->end = smaller(STAGE, p->left);
		type_cursor_pack(&p->cursor, p->stage, p->end);
		p->left -= p->end;
	}
	*iov = (struct iovec){p->stage + p->at, p->end - p->at};
	return 1;
}

static void pass_out(struct tp_iov_cursor *head, size_t bytes)
{
	cursor_of(head)->at += bytes;
}

/* ---- short ones that are received: they leave the stage before anybody else enters ---- */

static char arrivals[STAGE];

static int next_in(struct tp_iov_cursor *head, struct iovec *iov, int max)
{
	(void)max;
	*iov = (struct iovec){arrivals, smaller(sizeof arrivals, cursor_of(head)->left)};
	return 1;
}

static void pass_in(struct tp_iov_cursor *head, size_t bytes)
{
	struct iov_cursor *p = cursor_of(head);

	type_cursor_unpack(&p->cursor, arrivals, bytes);
	p->left -= bytes;
}

/* ---- making them ---- */

static const struct tp_iov_cursor by_runs = {next_runs, pass_runs},
				  by_stage_out = {next_out, pass_out},
				  by_stage_in = {next_in, pass_in};

static bool runs_are_long(const struct type *t)
{
	return t->layout->size / t->layout->runs >= LONG_RUN;
}

static struct iov_cursor *make(const struct tp_iov_cursor *head, const struct type *t,
	const void *buf, size_t count, size_t extra)
{
	size_t nframes = type_cursor_frames(t);
	struct iov_cursor *p = malloc(sizeof *p + nframes * sizeof *p->frames + extra);

	if (!p)
		return NULL;
	*p = (struct iov_cursor){.head = *head, .left = count * t->size};
	type_cursor_begin(&p->cursor, p->frames, t, buf, count);
	p->runs = (struct iovec *)(void *)(p->frames + nframes);
	p->stage = (char *)p->runs;
	return p;
}

static struct iov_cursor *make_runs(const struct type *t, const void *buf, size_t count)
{
	return make(&by_runs, t, buf, count, RUNS * sizeof(struct iovec));
}

struct tp_iov_cursor *iov_cursor_out(const struct type *t, const void *buf, size_t count)
{
	struct iov_cursor *p = runs_are_long(t) ? make_runs(t, buf, count)
						: make(&by_stage_out, t, buf, count,
							  smaller(STAGE, count * t->size));

	return p ? &p->head : NULL;
}

struct tp_iov_cursor *iov_cursor_in(const struct type *t, void *buf, size_t count)
{
	struct iov_cursor *p =
		runs_are_long(t) ? make_runs(t, buf, count) : make(&by_stage_in, t, buf, count, 0);

	return p ? &p->head : NULL;
}
