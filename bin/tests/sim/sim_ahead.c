/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines that overlap, as protocols make them that do not wait: files of several are written in any
 * order, and while another line is committed or pruned; one that is below a committed line is given
 * up, and some ranks write for it all the same, as they have not heard.
 */
#include <string.h>

#include "sim.h"

enum { AHEAD_MAX = 3 };

enum writing { TO_WRITE, WRITING, WRITTEN };

struct ahead_line {
	uint32_t number, attempt;
	bool given_up, done;
	enum writing state[RANKS_MAX];
	struct ckpt_rank_file files[RANKS_MAX];
};

struct ahead {
	uint32_t epoch, ranks;
	struct ahead_line lines[AHEAD_MAX];
	unsigned n;
	bool over; /* a rank has died, or was taken for dead */
};

static struct ahead_line *pick(struct world *w, struct ahead *h, uint32_t *rank)
{
	unsigned found = 0, from = rng_below(&w->rng, AHEAD_MAX * RANKS_MAX);

	for (unsigned i = 0; i < AHEAD_MAX * RANKS_MAX; i++) {
		unsigned at = (from + i) % (AHEAD_MAX * RANKS_MAX);

		*rank = at % RANKS_MAX;
		found = at / RANKS_MAX;
		if (found < h->n && *rank < h->ranks && h->lines[found].state[*rank] == TO_WRITE)
			return &h->lines[found];
	}
	return NULL;
}

/* A rank writes its file of some line. false: all are written. */
static bool write_one(struct actor *a, struct ahead *h)
{
	uint32_t rank;
	struct ahead_line *l = pick(a->w, h, &rank);
	struct late late;

	if (!l)
		return false;
	l->state[rank] = WRITING;
	late = (struct late){
		.what = LATE_WRITE, .line = l->number, .attempt = l->attempt, .rank = rank};
	if (l->given_up && rng_below(&a->w->rng, 2)) {
		l->state[rank] = WRITTEN; /* it has heard */
		return true;
	}
	a->w->seen->given_up += l->given_up;
	if (job_pauses(a, late))
		h->over = true;
	else if (job_write(a, l->number, l->attempt, rank, &l->files[rank]) != 0)
		l->given_up = true;
	h->over = h->over || !actor_alive(a);
	l->state[rank] = WRITTEN;
	return true;
}

void world_write_beside(struct world *w)
{
	struct actor a;

	actor_init(&a, w, w->ahead->epoch, false);
	write_one(&a, w->ahead);
}

static bool is_ready(const struct ahead *h, const struct ahead_line *l)
{
	bool ready = !l->given_up && !l->done;

	for (uint32_t r = 0; r < h->ranks; r++)
		ready = ready && l->state[r] == WRITTEN;
	return ready;
}

static void commit_line(struct actor *a, struct ahead *h, struct ahead_line *l)
{
	struct ckpt_identity id = identity_of(a->w, a->epoch, 0);
	struct ckpt_manifest m = {
		.epoch = a->epoch, .line = l->number, .size = h->ranks, .ranks = l->files};
	struct late late = {.what = LATE_COMMIT, .attempt = l->attempt};

	memcpy(m.session, id.session, sizeof m.session);
	late.m = m;
	l->done = true;
	for (struct ahead_line *o = h->lines; o < l; o++)
		o->given_up = true;
	if (job_pauses(a, late)) {
		h->over = true;
		return;
	}
	job_commit(a, &m, l->attempt);
	late.what = LATE_PRUNE;
	if (actor_alive(a) && !job_pauses(a, late))
		job_prune(a, l->number + 1);
	else
		h->over = true;
}

/* The lowest that is ready; one before it that is not may still become so, or is not waited for. */
static void commit_ready(struct actor *a, struct ahead *h)
{
	bool lower = false;

	for (unsigned i = 0; i < h->n && !h->over; i++) {
		struct ahead_line *l = &h->lines[i];

		if (is_ready(h, l) && (!lower || rng_below(&a->w->rng, 2)))
			commit_line(a, h, l);
		lower = lower || !(l->given_up || l->done);
	}
}

bool world_make_overlapping(struct actor *a, uint32_t *next)
{
	struct world *w = a->w;
	struct ahead h = {
		.epoch = a->epoch, .ranks = w->ranks, .n = 2 + rng_below(&w->rng, AHEAD_MAX - 1)};
	struct ahead *outer = w->ahead;

	for (unsigned i = 0; i < h.n; i++) {
		h.lines[i].number = (*next)++;
		h.lines[i].attempt = ++w->attempts;
	}
	w->ahead = &h;
	while (actor_alive(a) && !h.over && write_one(a, &h))
		commit_ready(a, &h);
	w->ahead = outer;
	return actor_alive(a) && !h.over;
}
