/* SPDX-License-Identifier: BSD-3-Clause */
/* A job as far as its files go: epochs that make lines, and ranks that are late. */
#include <string.h>

#include "base/error.h"
#include "sim.h"

static bool is_late(const struct actor *a)
{
	return a->epoch != a->w->epoch;
}

int job_write(
	struct actor *a, uint32_t line, uint32_t attempt, uint32_t rank, struct ckpt_rank_file *f)
{
	struct ckpt_identity id = identity_of(a->w, a->epoch, rank);
	struct contents c;
	char err[512];

	contents_of(&c, line, a->epoch, attempt, rank);
	return ckpt_write(
		&a->ops, sim_dir, &id, line, c.s, c.n, &f->seal, &f->bytes, err, sizeof err);
}

int job_commit(struct actor *a, const struct ckpt_manifest *m, uint32_t attempt)
{
	struct world *w = a->w;
	struct commit *c = &w->commits[w->ncommits++];
	bool late = a->epoch < w->said;
	char err[512];
	int rc;

	if (w->ncommits == COMMITS_MAX)
		world_fails(w, "too many commits");
	*c = (struct commit){.line = m->line,
		.epoch = m->epoch,
		.attempt = attempt,
		.calling = true,
		.own = !is_late(a)};
	rc = ckpt_commit(&a->ops, sim_dir, m, err, sizeof err);
	c->calling = false;
	w->seen->commits += rc == 0 && actor_alive(a);
	w->seen->refused += rc == FT_EEXIST;
	w->seen->too_late += rc == FT_ESTALE;
	if (late && rc == 0)
		world_fails(w, "line %u of epoch %u is committed, though epoch %u has begun",
			m->line, m->epoch, w->said);
	c->promised = rc == 0 && actor_alive(a) && c->own;
	world_traces(w, "epoch %u: commit of %u: %s", a->epoch, m->line,
		c->promised ? "promised"
		: rc	    ? err
			    : "late");
	world_check(w, "after a commit");
	return rc;
}

/* Other processes get on while it prunes: late is who was so when that began. */
void job_prune(struct actor *a, uint32_t making)
{
	struct world *w = a->w;
	bool late = a->epoch < w->said;
	char err[512];

	a->may_remove = !late;
	ckpt_prune(&a->ops, sim_dir, w->keep, making, a->epoch, err, sizeof err);
	a->may_remove = true;
	world_check(w, "after pruning");
}

/* The epoch says that it has begun. An epoch that cannot goes on all the same. */
void job_begin(struct actor *a)
{
	struct world *w = a->w;
	char err[512];

	if (w->wordless)
		return;
	if (ckpt_epoch_begin(&a->ops, sim_dir, a->epoch, err, sizeof err) == 0 && actor_alive(a)) {
		w->seen->said++;
		w->said = a->epoch > w->said ? a->epoch : w->said;
	}
}

/* The rank stops here; the job takes its epoch for dead. */
bool job_pauses(struct actor *a, struct late l)
{
	struct world *w = a->w;

	if (a->quiet || w->nlate == LATE_MAX || !rng_chance(&w->rng, w->rates.pause))
		return false;
	l.epoch = a->epoch;
	memcpy(l.files, l.m.ranks ? l.m.ranks : l.files, sizeof l.files);
	w->late[w->nlate++] = l;
	world_traces(w, "epoch %u is taken for dead", a->epoch);
	return true;
}

void world_run_late(struct world *w)
{
	unsigned i = rng_below(&w->rng, w->nlate);
	struct late l = w->late[i];
	struct ckpt_rank_file f;
	struct actor a;

	w->late[i] = w->late[--w->nlate];
	actor_init(&a, w, l.epoch, false);
	l.m.ranks = l.files;
	world_traces(w, "late: epoch %u", l.epoch);
	if (l.what == LATE_WRITE)
		job_write(&a, l.line, l.attempt, l.rank, &f);
	if (l.what == LATE_COMMIT)
		job_commit(&a, &l.m, l.attempt);
	if (l.what != LATE_WRITE && actor_alive(&a))
		job_prune(&a, 0);
}

/* All files of a line: 1, or 0 when one failed, or -1 when the epoch is over. */
static int write_files(struct actor *a, uint32_t line, uint32_t attempt, struct ckpt_manifest *m)
{
	for (uint32_t r = 0; r < m->size; r++) {
		struct late l = {.what = LATE_WRITE, .line = line, .attempt = attempt, .rank = r};

		if (job_pauses(a, l))
			return -1;
		if (job_write(a, line, attempt, r, &m->ranks[r]) != 0)
			return actor_alive(a) ? 0 : -1;
	}
	return 1;
}

/* One line and what follows it; false when the epoch is over. */
static bool make_line(struct actor *a, uint32_t *next)
{
	struct world *w = a->w;
	struct ckpt_rank_file files[RANKS_MAX] = {{0, 0}};
	struct ckpt_manifest m = {
		.epoch = a->epoch, .line = *next, .size = w->ranks, .ranks = files};
	struct late l = {.what = LATE_COMMIT, .attempt = ++w->attempts, .m = m};
	struct ckpt_identity id = identity_of(w, a->epoch, 0);
	int rc = write_files(a, *next, l.attempt, &m);

	if (rc <= 0) {
		/* the number may be used again: nobody has tried to commit it */
		*next += rng_below(&w->rng, 2);
		return rc == 0;
	}
	memcpy(m.session, id.session, sizeof m.session);
	l.m = m;
	if (job_pauses(a, l))
		return false;
	job_commit(a, &m, l.attempt);
	++*next;
	l.what = LATE_PRUNE;
	if (!actor_alive(a) || job_pauses(a, l))
		return false;
	job_prune(a, 0);
	return actor_alive(a);
}

void world_run_epoch(struct world *w)
{
	unsigned lines = 1 + rng_below(&w->rng, 4);
	bool overlapping = rng_below(&w->rng, 2);
	struct ahead *outer = w->ahead;
	struct actor a;
	uint32_t next;

	actor_init(&a, w, ++w->epoch, false);
	w->ahead = NULL;
	for (unsigned i = 0; i < w->ncommits; i++)
		w->commits[i].own = w->commits[i].own && !w->commits[i].calling;
	job_begin(&a);
	next = world_check(w, "at a restart") + 1;
	world_traces(w, "epoch %u begins with line %u", a.epoch, next);
	while (lines-- > 0 && w->ops_left > 0 &&
		(overlapping ? world_make_overlapping(&a, &next) : make_line(&a, &next)))
		;
	w->ahead = outer;
}

/* Undisturbed lines put everything in order. */
static void finish(struct world *w)
{
	struct actor a;
	uint32_t next;

	w->generation++;
	actor_init(&a, w, ++w->epoch, true);
	job_begin(&a);
	next = world_check(w, "at the end") + 1;
	for (uint32_t i = 0; i < w->keep; i++)
		make_line(&a, &next);
	world_check_clean(w);
}

void world_run(struct world *w)
{
	static const unsigned often[] = {0, 0, 3, 10, 40};
	unsigned *rate = &w->rates.crash;

	w->rng = (struct rng){w->seed};
	w->ranks = 1 + rng_below(&w->rng, RANKS_MAX);
	w->keep = 1 + rng_below(&w->rng, 3);
	for (size_t i = 0; i < sizeof w->rates / sizeof *rate; i++)
		rate[i] = often[rng_below(&w->rng, 5)];
	w->rates.pause *= 10;
	w->rates.late *= 2;
	w->rates.beside *= 5;
	w->ops_left = 600;
	w->wordless = rng_below(&w->rng, 4) == 0;
	w->fs = simfs_new();
	while (w->epoch < 8 && w->ops_left > 0)
		world_run_epoch(w);
	if (rng_chance(&w->rng, 500)) {
		simfs_crash(w->fs, &w->rng);
		world_check(w, "after the last crash");
	}
	finish(w);
	simfs_free(w->fs);
}
