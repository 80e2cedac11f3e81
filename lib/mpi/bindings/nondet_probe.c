/* SPDX-License-Identifier: BSD-3-Clause */
/* Which message a probe finds, and whether a receive is cancelled. */
#include "choice.h"
#include "mpi.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/p2p_log.h"
#include "mpi/p2p/p2p_probe.h"
#include "mpi/p2p/request.h"
#include "nondet.h"

/* ---- probes ---- */

static bool has_come(void *arg, int *expect)
{
	struct probing *p = arg;

	if (p->source >= 0)
		*expect = comm_world_rank(p->c, p->source);
	p->msg = p2p_probe(p->c, p->source, p->tag, &p->found);
	return p->msg != NULL;
}

static bool probe_now(struct probing *p, bool wait)
{
	if (!wait)
		return choice_look_at_times(has_come, p);
	engine_wait(has_come, p);
	return true;
}

static struct p2p_log_question question_of(const struct probing *p)
{
	return (struct p2p_log_question){p->c->context, p->source, p->tag};
}

static void tell_found(const struct probing *p, int peer, uint64_t number)
{
	struct p2p_log_question q = question_of(p);

	p2p_log_told_found(&q, peer, number);
}

/* The program knows of a message that is first, and still is. */
static bool is_found_again(struct probing *p)
{
	struct p2p_log_question q = question_of(p);

	p->msg = p2p_log_found_last(&q);
	return p->msg && p2p_probed(p->c, p->source, p->tag, p->msg, &p->found);
}

/* What it had found in a checkpoint of data is there to be found again. */
static bool is_found_anew(struct probing *p)
{
	p->msg = p->takes ? p2p_probe_found_before(p->c, p->source, p->tag, &p->found) : NULL;
	return p->msg != NULL;
}

struct probed {
	struct probing *p;
	int peer;
	uint64_t number;
};

static bool has_come_again(void *arg, int *expect)
{
	struct probed *again = arg;
	struct probing *p = again->p;

	*expect = again->peer;
	p->msg = p2p_log_find(again->peer, again->number);
	if (!p->msg && !p2p_log_is_gone(again->peer, again->number))
		return false;
	if (!p->msg || !p2p_probed(p->c, p->source, p->tag, p->msg, &p->found))
		p2p_log_strange();
	return true;
}

/* The message of a named source is determined, where the program waits for it. */
bool nondet_probe(struct probing *p, bool wait)
{
	struct probed again = {.p = p};
	const struct outcome *o;
	bool found = false;

	if (p->source == MPI_PROC_NULL || (p2p_log_is_used() && is_found_anew(p)))
		return true;
	if (!p2p_log_is_used() || (wait && p->source >= 0))
		return probe_now(p, wait);
	if (is_found_again(p))
		return true;
	if (!p2p_log_expected())
		found = probe_now(p, wait);
	o = p2p_log_expected();
	if (!o) {
		struct outcome what = {.kind = OUTCOME_NO};

		if (found) {
			what = (struct outcome){.kind = OUTCOME_FOUND,
				.peer = (uint32_t)p->msg->peer,
				.value = p->msg->index};
			tell_found(p, p->msg->peer, p->msg->index);
		}
		p2p_log_happened(&what);
		return found;
	}
	if (!wait && choice_said_no(o))
		return false;
	again.peer = (int)o->peer;
	again.number = choice_said(OUTCOME_FOUND);
	engine_wait(has_come_again, &again);
	tell_found(p, again.peer, again.number);
	return true;
}

/* ---- cancellations ---- */

static bool cancel_now(const struct request *r)
{
	bool succeeds = r->state == REQUEST_POSTED;

	p2p_log_happened(&(struct outcome){
		.kind = succeeds ? OUTCOME_CANCELLED : OUTCOME_TOO_LATE, .receive = r->post});
	return succeeds;
}

/* In a process that woke up here what was said before may be this very cancellation. */
static bool is_live_or_told(void *arg, int *expect)
{
	return p2p_log_expected() || p2p_log_is_live(arg, expect);
}

/* While outcomes of before are left, messages are to come that receives had. One that MPI_Mprobe
 * has found was not posted, and is received in any case. */
bool nondet_cancel(const struct request *r)
{
	const struct outcome *o;
	bool succeeds;

	if (!p2p_log_is_used() || r->kind != REQUEST_RECV || r->m.rank == MPI_PROC_NULL || !r->post)
		return true;
	engine_wait(is_live_or_told, NULL);
	o = p2p_log_expected();
	if (!o)
		return cancel_now(r);
	succeeds = o->kind == OUTCOME_CANCELLED;
	if ((!succeeds && o->kind != OUTCOME_TOO_LATE) || o->receive != r->post)
		p2p_log_strange();
	p2p_log_followed();
	return succeeds;
}
