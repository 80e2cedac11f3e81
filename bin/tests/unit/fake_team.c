/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_team.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi/bindings/api.h"
#include "mpi/engine/engine.h"
#include "mpi/p2p/p2p.h"

struct request {
	bool send, done;
	int me, peer, tag, error;
	void *buf;
	size_t count;
	struct type *type;
	struct request *next;
};

struct member {
	struct comm comm;
	bool gone, starving;
	size_t starts_left, open;
};

static struct {
	pthread_cond_t wake;
	struct member members[TEAM_MOST];
	struct request *waiting; /* neither met nor failed, in order of their start */
	size_t messages;
	team_body *body;
	void *arg;
} team = {.wake = PTHREAD_COND_INITIALIZER};
struct lock engine_mutex = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void team_must(bool ok, const char *fmt, ...)
{
	va_list ap;

	if (ok)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " [%s]\n", fail_detail());
	_exit(1);
}

/* ---- the engine's other faces ---- */

void api_enter(const char *name)
{
	fail_begin(name);
}

void engine_leave(void)
{
}

int api_raise(struct comm *c, int rc)
{
	(void)c;
	team_must((rc != MPI_SUCCESS) == (fail_detail()[0] != '\0'),
		"class %d and text do not agree", rc);
	return rc;
}

void engine_unlock(void)
{
	lock_give(&engine_mutex);
}

void engine_lock(void)
{
	lock_take(&engine_mutex);
}

void engine_lock_again(void)
{
	engine_lock();
}

struct comm *comm_named_world;

int comm_lookup_other(MPI_Comm handle, struct comm **out)
{
	if (handle == MPI_COMM_NULL)
		return fail_with(MPI_ERR_COMM, "no communicator");
	*out = (struct comm *)(void *)handle;
	return MPI_SUCCESS;
}

int comm_check_root(const struct comm *c, int root)
{
	if (root < 0 || root >= c->size)
		return fail_with(MPI_ERR_ROOT, "root %d", root);
	return MPI_SUCCESS;
}

const char *comm_label(const struct comm *c)
{
	(void)c;
	return "of a team";
}

/* ---- messages ---- */

static struct member *member_of(struct comm *c)
{
	return &team.members[c->rank];
}

static void finish(struct request *r, int error)
{
	r->error = error;
	r->done = true;
	pthread_cond_broadcast(&team.wake);
}

/* Take the first request that answers r out of the list. */
static struct request *take_answer(const struct request *r)
{
	for (struct request **p = &team.waiting; *p; p = &(*p)->next) {
		struct request *q = *p;

		if (q->send != r->send && q->me == r->peer && q->peer == r->me &&
			q->tag == r->tag) {
			*p = q->next;
			return q;
		}
	}
	return NULL;
}

static void move_data(struct request *send, struct request *recv)
{
	size_t bytes = send->count * send->type->size, room = recv->count * recv->type->size;
	char *packed = malloc(bytes + 1);

	type_pack(send->type, send->buf, send->count, packed);
	type_unpack(recv->type, recv->buf, recv->count, packed, bytes < room ? bytes : room);
	free(packed);
	finish(send, MPI_SUCCESS);
	finish(recv, bytes != room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
}

static void append(struct request *r)
{
	struct request **p = &team.waiting;

	while (*p)
		p = &(*p)->next;
	*p = r;
}

static int start(struct comm *c, struct request want, struct request **out)
{
	struct member *m = member_of(c);
	struct request *r, *answer;

	team_must(want.peer >= 0 && want.peer < c->size && want.peer != c->rank,
		"rank %d: a message to or from %d", c->rank, want.peer);
	if (m->starving && m->starts_left-- == 0)
		return fail_with(MPI_ERR_NO_MEM, "starved");
	r = malloc(sizeof *r);
	*r = want;
	*out = r;
	m->open++;
	team.messages++;
	answer = take_answer(r);
	if (answer)
		move_data(r->send ? r : answer, r->send ? answer : r);
	else if (team.members[r->peer].gone)
		finish(r, MPI_ERR_PROC_ABORTED);
	else
		append(r);
	return MPI_SUCCESS;
}

static int start_message(const struct p2p_message *m, bool send, struct request **out)
{
	struct request want = {.send = send,
		.me = m->comm->rank,
		.peer = m->rank,
		.tag = m->tag,
		.buf = m->buf,
		.count = (size_t)m->count,
		.type = m->type};

	team_must(m->plane == PLANE_COLL && m->mode == SEND_STANDARD, "the program's plane");
	return start(m->comm, want, out);
}

int p2p_isend(const struct p2p_message *m, struct request **out)
{
	return start_message(m, true, out);
}

/* None of these leaves before its receive is there. */
int p2p_send(const struct p2p_message *m, bool may_wait, struct request **rest)
{
	(void)may_wait;
	return start_message(m, true, rest);
}

int p2p_irecv(const struct p2p_message *m, struct request **out)
{
	return start_message(m, false, out);
}

int p2p_send_wait(const struct p2p_message *m)
{
	struct request *r = NULL;
	int rc = p2p_isend(m, &r);

	return rc ? rc : request_wait(r, MPI_STATUS_IGNORE);
}

int p2p_recv(const struct p2p_message *m, MPI_Status *status)
{
	struct request *r = NULL;
	int rc = p2p_irecv(m, &r);

	return rc ? rc : request_wait(r, status);
}

/* As lock_wait. */
static int wait_awake(const struct timespec *deadline)
{
	int late;

	atomic_store(&engine_mutex.owner, 0);
	late = pthread_cond_timedwait(&team.wake, &engine_mutex.mutex, deadline);
	atomic_store(&engine_mutex.owner, lock_self());
	return late;
}

int request_wait(struct request *r, MPI_Status *status)
{
	struct timespec deadline;
	int error;

	(void)status;
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += TEAM_DEADLINE_S;
	while (!r->done) {
		int late = wait_awake(&deadline);

		team_must(!late, "rank %d has waited %d s to %s %zu elements %s rank %d (tag %d)",
			r->me, TEAM_DEADLINE_S, r->send ? "send" : "receive", r->count,
			r->send ? "to" : "from", r->peer, r->tag);
	}
	error = r->error;
	if (error)
		fail_with(error, "message of rank %d with %d", r->me, r->peer);
	team.members[r->me].open--;
	free(r);
	return error;
}

int request_wait_all(struct request **r, size_t n)
{
	int first = MPI_SUCCESS;

	for (size_t i = 0; i < n; i++) {
		int rc = request_wait(r[i], MPI_STATUS_IGNORE);

		if (first == MPI_SUCCESS)
			first = rc;
	}
	return first;
}

/* ---- the team ---- */

size_t team_messages(void)
{
	return team.messages;
}

void team_starve(struct comm *c, size_t n)
{
	member_of(c)->starving = true;
	member_of(c)->starts_left = n;
}

size_t team_open(struct comm *c)
{
	return member_of(c)->open;
}

void team_leave(struct comm *c)
{
	struct request **p = &team.waiting;

	member_of(c)->gone = true;
	while (*p) {
		struct request *r = *p;

		if (r->peer == c->rank) {
			*p = r->next;
			finish(r, MPI_ERR_PROC_ABORTED);
		} else {
			p = &r->next;
		}
	}
}

static void *member_main(void *arg)
{
	struct member *m = arg;

	engine_lock();
	team.body(&m->comm, team.arg);
	engine_unlock();
	return NULL;
}

void team_run(int size, bool crowded, team_body *body, void *arg)
{
	static uint64_t runs;
	pthread_t threads[TEAM_MOST];

	runs++;
	memset(team.members, 0, sizeof team.members);
	team.messages = 0;
	team.body = body;
	team.arg = arg;
	for (int i = 0; i < size; i++) {
		struct comm *c = &team.members[i].comm;

		c->rank = i;
		c->size = c->npeers = size;
		c->crowded = crowded;
		c->serial = runs; /* nothing of another run is remembered of it */
		c->coll_seq = 0xfffffff0; /* the number wraps on the way */
		c->handle = (MPI_Comm)(void *)c;
	}
	for (int i = 0; i < size; i++)
		team_must(pthread_create(&threads[i], NULL, member_main, &team.members[i]) == 0,
			"no thread");
	for (int i = 0; i < size; i++)
		pthread_join(threads[i], NULL);
	team_must(!team.waiting, "a message of rank %d with %d was never met",
		team.waiting ? team.waiting->me : 0, team.waiting ? team.waiting->peer : 0);
	for (int i = 0; i < size; i++)
		team_must(team.members[i].open == 0, "rank %d has left %zu messages open", i,
			team.members[i].open);
}
