/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/shown.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/errhandler.h"
#include "mpi/comm/hints.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"
#include "mpi/p2p/p2p_buffer.h"
#include "mpi/p2p/request.h"

static struct link sessions = {&sessions, &sessions};

/* ---- finding ---- */

int session_lookup(MPI_Session handle, struct session **out)
{
	if (handle_table_has(handle, OBJECT_SESSION)) {
		*out = (struct session *)(void *)handle;
		return MPI_SUCCESS;
	}
	if (handle == MPI_SESSION_NULL)
		return fail_with(MPI_ERR_SESSION, "MPI_SESSION_NULL was given");
	return fail_with(
		MPI_ERR_SESSION, "%p is not a session, or it was finalized", (void *)handle);
}

struct session *session_of(uint64_t number)
{
	list_for_each (item, &sessions) {
		struct session *s = container_of(item, struct session, link);

		if (s->number == number)
			return s;
	}
	return NULL;
}

int session_check_group(const struct group *g)
{
	if (!g->session || session_of(g->session))
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_SESSION, "the session of this group of %d was finalized", g->size);
}

/* ---- hints ---- */

static bool is_thread_level(const char *value)
{
	static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
		"MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (strcmp(value, levels[i]) == 0)
			return true;
	return false;
}

/* The program cannot ask for the first (MPI 5.0 section 11.4.3), only read it. */
static const struct hint hints_of_session[] = {
	{"mpi_memory_alloc_kinds", "mpi,system", NULL},
	{"thread_level", "MPI_THREAD_MULTIPLE", is_thread_level},
	{NULL, NULL, NULL},
};

int session_take_hints(struct info **hints, MPI_Info given)
{
	return hints_set(hints, hints_of_session + 1, given);
}

int session_give_hints(const struct session *s, MPI_Info *used)
{
	return hints_get(s->hints, hints_of_session, used);
}

/* ---- life ---- */

int session_new(struct errhandler *e, struct info *hints, struct session **out)
{
	static uint64_t number;
	struct session *s = calloc(1, sizeof *s);
	int rc = s ? MPI_SUCCESS : fail_with(MPI_ERR_NO_MEM, "no memory for a session");

	if (rc != MPI_SUCCESS)
		return rc;
	s->head = (struct object){.kind = OBJECT_SESSION, .refs = 1};
	rc = handle_table_add(&s->head);
	if (rc != MPI_SUCCESS) {
		free(s);
		return rc;
	}
	s->number = ++number;
	s->errhandler = e;
	errhandler_hold(e);
	s->hints = hints;
	s->handle = (MPI_Session)(void *)s;
	list_append(&sessions, &s->link);
	*out = s;
	return MPI_SUCCESS;
}

/* What is left of a session. */
struct left {
	uint64_t number;
	int requests;
	int ncomms;
	struct comm *any; /* one of these */
};

static void count_request(struct request *r, void *arg)
{
	struct left *left = arg;

	left->requests += r->m.comm && r->m.comm->group->session == left->number && !r->freed &&
			  request_active(r);
}

static void count_comm(struct object *o, void *arg)
{
	struct comm *c = (struct comm *)(void *)o;
	struct left *left = arg;

	if (c->group->session != left->number)
		return;
	left->ncomms++;
	left->any = c;
}

static struct left what_is_left(const struct session *s)
{
	struct left left = {.number = s->number};

	requests_each(count_request, &left);
	handle_table_each(OBJECT_COMM, count_comm, &left);
	return left;
}

static void free_comms(const struct session *s)
{
	struct left left = what_is_left(s);

	if (left.any)
		log_event("%d communicators of a session were left at its end", left.ncomms);
	for (; left.any; left = what_is_left(s))
		comm_drop(left.any);
}

int session_free(struct session *s)
{
	struct left left = what_is_left(s);

	if (left.requests > 0)
		return fail_with(MPI_ERR_PENDING,
			"%d requests of the session are not completed: wait for them, or free them",
			left.requests);
	free_comms(s);
	if (s->buffer)
		buffer_abandon(s->buffer);
	list_remove(&s->link);
	handle_table_remove(&s->head);
	errhandler_release(s->errhandler);
	info_free(s->hints);
	s->head.kind = OBJECT_FREED;
	free(s);
	return MPI_SUCCESS;
}

struct buffer *session_buffer(uint64_t number)
{
	struct session *s = session_of(number);

	return s ? s->buffer : NULL;
}

/* ---- process sets ---- */

struct pset {
	const char *name;
	struct comm *(*of)(void);
};

static const struct pset psets[] = {
	{"mpi://WORLD", comm_world},
	{"mpi://SELF", comm_self},
};

enum { PSETS = sizeof psets / sizeof *psets };

int session_pset_count(void)
{
	return PSETS;
}

const char *session_pset_name(int n)
{
	return n >= 0 && n < PSETS ? psets[n].name : NULL;
}

/* They are URIs, whose scheme and authority have no case (RFC 3986 section 6.2.2.1). */
static const struct pset *find_pset(const char *name)
{
	for (int i = 0; i < PSETS; i++)
		if (strcasecmp(psets[i].name, name) == 0)
			return &psets[i];
	(void)fail_with(MPI_ERR_ARG,
		"there is no process set %s: there are mpi://WORLD and mpi://SELF",
		shown(name).text);
	return NULL;
}

int session_pset_size(const char *name, int *size)
{
	const struct pset *p = find_pset(name);

	if (!p)
		return MPI_ERR_ARG;
	*size = p->of()->size;
	return MPI_SUCCESS;
}

int session_pset_group(const struct session *s, const char *name, struct group **out)
{
	const struct pset *p = find_pset(name);
	const struct group *like;
	struct group *g;

	if (!p)
		return MPI_ERR_ARG;
	like = p->of()->group;
	g = group_make(like->size, like->world, comm_world_info()->rank);
	if (!g)
		return fail_with(MPI_ERR_NO_MEM, "no memory for a group of %d", like->size);
	g->session = s->number;
	*out = g;
	return MPI_SUCCESS;
}
