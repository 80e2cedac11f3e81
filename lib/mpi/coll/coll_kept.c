/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_kept.h"

#include "coll_motion.h"

enum { KEPT = 8 };

/* Guarded by the engine lock, which a motion lets go: what runs is busy. */
static struct kept {
	bool busy, good;
	coll_planner *plan;
	uint64_t serial;
	struct coll_call call; /* as the program made it */
	struct coll_run run;
} kept[KEPT];
static unsigned next;

/* ---- what can be kept ---- */

static bool is_fixed_side(const struct coll_said *said)
{
	return !said->name || (!said->irregular && handle_is_predefined(said->datatype));
}

static bool is_fixed(const struct coll_call *call)
{
	const struct coll_said_reduction *r = &call->r;

	return is_fixed_side(&call->send) && is_fixed_side(&call->recv) &&
	       !sched_given(call->counts) &&
	       (!r->has_result ||
		       (handle_is_predefined(r->datatype) && handle_is_predefined(r->op)));
}

/* Nothing that is not in it. */
static bool is_small(const struct coll_run *run)
{
	return run->s.steps == run->s.few && !run->scratch && !run->offsets &&
	       !run->buf[SCHED_IN].typed && !run->buf[SCHED_OUT].typed;
}

static bool same_side(const struct coll_said *a, const struct coll_said *b)
{
	return a->buf == b->buf && a->count == b->count && a->datatype == b->datatype;
}

static bool same_call(const struct coll_call *a, const struct coll_call *b)
{
	return same_side(&a->send, &b->send) && same_side(&a->recv, &b->recv) &&
	       a->r.in == b->r.in && a->r.out == b->r.out && a->r.count == b->r.count &&
	       a->r.datatype == b->r.datatype && a->r.op == b->r.op && a->root == b->root;
}

static struct kept *find(const struct comm *c, coll_planner *plan, const struct coll_call *call)
{
	for (struct kept *k = kept; k < kept + KEPT; k++)
		if (k->good && !k->busy && k->plan == plan && k->run.c == c &&
			k->serial == c->serial && same_call(&k->call, call))
			return k;
	return NULL;
}

/* ---- runs ---- */

static __attribute__((noinline)) int run_once(
	struct comm *c, coll_planner *plan, struct coll_call *call)
{
	struct coll_run run;

	coll_run_begin(&run, c);
	return coll_motion_end(&run, plan(&run, c, call));
}

static int run_first(struct kept *k, struct comm *c, coll_planner *plan, struct coll_call *call)
{
	int rc;

	k->good = false;
	k->plan = plan;
	k->serial = c->serial;
	k->call = *call; /* a plan may note something in its own */
	coll_run_begin(&k->run, c);
	rc = coll_run_ready(&k->run, plan(&k->run, c, call));
	if (rc == MPI_SUCCESS) {
		k->busy = true;
		rc = coll_motion_run(&k->run);
		k->busy = false;
	}
	k->good = rc == MPI_SUCCESS && is_small(&k->run);
	if (!k->good)
		coll_run_free(&k->run);
	return rc;
}

int coll_kept_run(struct comm *c, coll_planner *plan, struct coll_call *call)
{
	struct kept *k = find(c, plan, call);
	int rc;

	if (k && is_fixed(call)) {
		k->busy = true;
		rc = coll_motion_run(&k->run);
		k->busy = false;
		k->good = rc == MPI_SUCCESS;
		return rc;
	}
	if (!is_fixed(call))
		return run_once(c, plan, call);
	k = &kept[next++ % KEPT];
	if (k->busy)
		return run_once(c, plan, call);
	return run_first(k, c, plan, call);
}
