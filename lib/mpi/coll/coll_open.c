/* SPDX-License-Identifier: BSD-3-Clause */
/* As in the motion that waits, a message of another length is remembered and the operation goes on;
 * any other error ends it, when all that was started in the round has ended. */
#include "coll_open.h"

#include <stdlib.h>
#include <string.h>

#include "ckpt/section_operations.h"
#include "coll_steps.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/request.h"

static struct link all = {&all, &all};
static bool held;

struct link *coll_open_all(void)
{
	return &all;
}

/* ---- errors ---- */

static void forget_error(struct coll_open *o)
{
	free(o->why);
	o->why = NULL;
	o->error = MPI_SUCCESS;
	o->run.spoilt = false;
}

/* The first, but one that ends the operation before one that does not. */
static void note_error(struct coll_open *o, int rc)
{
	if (rc == MPI_SUCCESS ||
		(o->error && (rc == MPI_ERR_TRUNCATE || o->error != MPI_ERR_TRUNCATE)))
		return;
	forget_error(o);
	o->error = rc;
	o->run.spoilt = true;
	o->why = strdup(fail_detail());
}

static bool goes_on(const struct coll_open *o)
{
	return o->error == MPI_SUCCESS || o->error == MPI_ERR_TRUNCATE;
}

/* ---- rounds ---- */

static bool is_over(const struct coll_open *o)
{
	return o->at == o->run.s.n;
}

/* The one behind the last. */
static void open_round(struct coll_open *o, enum coll_which which)
{
	const struct sched *s = &o->run.s;

	o->at = o->end;
	o->n = o->waited = 0;
	if (is_over(o))
		return;
	o->end = coll_steps_round_end(s, o->at);
	o->local = coll_steps_messages_end(s, o->at, o->end);
	note_error(o, coll_steps_start_all(&o->run, &s->steps[o->at], o->local - o->at, which,
			      false, o->messages, &o->n));
	for (size_t i = 0; i < o->n; i++)
		o->messages[i]->then = &o->deferred;
}

static bool messages_done(struct coll_open *o)
{
	while (o->waited < o->n && request_done(o->messages[o->waited]))
		o->waited++;
	return o->waited == o->n;
}

static void give_up(struct coll_open *o)
{
	note_error(o, coll_open_send_rest(o));
	o->end = o->run.s.n;
}

static void close_round(struct coll_open *o)
{
	for (size_t i = 0; i < o->n; i++)
		note_error(o, request_finish(NULL, o->messages[i], MPI_STATUS_IGNORE));
	o->n = o->waited = 0;
	for (size_t i = o->local; i < o->end && goes_on(o); i++)
		note_error(o, coll_steps_local(&o->run, &o->run.s.steps[i]));
	o->round++;
	if (!goes_on(o))
		give_up(o);
}

static void go_on(struct coll_open *o)
{
	if (o->busy || held || request_done(o->request))
		return;
	o->busy = true;
	while (!is_over(o) && messages_done(o)) {
		close_round(o);
		open_round(o, COLL_ALL);
	}
	o->busy = false;
	if (is_over(o))
		request_complete(o->request, o->error);
}

static void on_deferred(struct engine_deferred *deferred)
{
	struct coll_open *o = container_of(deferred, struct coll_open, deferred);

	if (request_active(o->request))
		go_on(o);
}

/* The messages are handed to the kernel at once, as the program may not call MPI again soon. */
static void start(struct coll_open *o, enum coll_which which)
{
	open_round(o, which);
	go_on(o);
	tp_flush(engine_tp());
}

void coll_open_begin(struct coll_open *o)
{
	forget_error(o);
	o->round = 0;
	o->end = 0;
	note_error(o, coll_open_reserve(o));
	if (!goes_on(o))
		give_up(o);
	start(o, COLL_ALL);
}

void coll_open_resume(struct coll_open *o, uint32_t rounds, int error)
{
	forget_error(o);
	if (error)
		note_error(o, fail_with(error, "an error before the recovery line"));
	o->round = rounds;
	o->end = 0;
	for (uint32_t i = 0; i < rounds; i++)
		o->end = coll_steps_round_end(&o->run.s, o->end);
	if (!goes_on(o))
		o->end = o->run.s.n;
	start(o, COLL_RECEIVES);
}

void coll_open_hold(bool hold)
{
	engine_assert_held();
	held = hold;
	if (hold)
		return;
	list_for_each (item, &all)
		engine_defer(&container_of(item, struct coll_open, link)->deferred);
}

/* ---- before a restore ---- */

struct coll_standing coll_open_standing(void)
{
	struct coll_standing st = {0};

	engine_assert_held();
	list_for_each (item, &all) {
		const struct coll_open *o = container_of(item, struct coll_open, link);

		if (!request_active(o->request))
			continue;
		st.rounds += o->round;
		for (size_t i = 0; i < o->n; i++)
			st.messages += request_done(o->messages[i]);
		st.unfinished += !request_done(o->request);
		if (!st.first && !request_done(o->request))
			st.first = o;
	}
	return st;
}

void coll_open_leave(void)
{
	engine_assert_held();
	list_for_each (item, &all) {
		struct coll_open *o = container_of(item, struct coll_open, link);

		o->past = request_active(o->request);
	}
}

/* ---- made, planned, freed ---- */

struct coll_open *coll_open_new(struct comm *c)
{
	/* its run wants more than malloc's alignment */
	struct coll_open *o = aligned_alloc(_Alignof(struct coll_open), sizeof *o);

	if (!o)
		return NULL;
	memset(o, 0, offsetof(struct coll_open, run));
	memset((char *)o + offsetof(struct coll_open, plan), 0,
		sizeof *o - offsetof(struct coll_open, plan));
	list_init(&o->link);
	o->deferred.run = on_deferred;
	o->name = fail_call();
	coll_run_begin(&o->run, c);
	return o;
}

/* The operation may outlive the program's handles. */
static void each_type(const struct coll_run *run, void (*visit)(struct type *t))
{
	for (int i = 0; i < SCHED_BUFS; i++)
		if (run->buf[i].type)
			visit(run->buf[i].type);
}

static void hold_all(const struct coll_run *run)
{
	each_type(run, type_hold);
	if (run->op)
		op_hold(run->op);
}

static void release_all(const struct coll_run *run)
{
	each_type(run, type_release);
	if (run->op)
		op_release(run->op);
}

/* Room for the messages of any round. */
static int make_room(struct coll_open *o)
{
	const struct sched *s = &o->run.s;
	size_t most = 0;

	for (size_t at = 0, end; at < s->n; at = end) {
		size_t n;

		end = coll_steps_round_end(s, at);
		n = coll_steps_messages_end(s, at, end) - at;
		most = n > most ? n : most;
	}
	free(o->messages);
	o->messages = malloc((most + 1) * sizeof *o->messages);
	return o->messages ? MPI_SUCCESS
			   : fail_with(MPI_ERR_NO_MEM, "no memory for %zu requests", most);
}

int coll_open_ready(struct coll_open *o, int planned)
{
	const struct op *op = o->run.op;
	int rc = coll_run_ready(&o->run, planned);

	o->deferred.by_program = op && (op->user || op->user_c);
	o->crowded = o->run.c->crowded;
	o->near = o->run.c->near;
	return rc ? rc : make_room(o);
}

void coll_open_number(struct coll_open *o)
{
	coll_run_number(&o->run);
	o->run.tag |= SECTION_OPERATION_TAG;
	if (o->run.c->local)
		o->run.local_tag |= SECTION_OPERATION_TAG;
}

int coll_open_plan_again(struct coll_open *o)
{
	struct comm *c = o->run.c;
	struct coll_call call = o->call;
	int rc;

	engine_assert_held();
	release_all(&o->run);
	coll_run_free(&o->run);
	coll_run_begin(&o->run, c);
	rc = coll_open_ready(o, o->plan(&o->run, c, &call));
	hold_all(&o->run);
	return rc;
}

void coll_open_add(struct coll_open *o, struct request *r)
{
	o->request = r;
	hold_all(&o->run);
	list_append(&all, &o->link);
}

void coll_open_free(struct coll_open *o)
{
	if (o->request) {
		engine_defer_cancel(&o->deferred);
		list_remove(&o->link);
		release_all(&o->run);
	}
	coll_run_free(&o->run);
	free(o->messages);
	free(o->why);
	free(o);
}
