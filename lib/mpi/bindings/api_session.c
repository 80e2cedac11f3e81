/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions and process sets: MPI 5.0 section 11.3. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi/comm/errhandler.h"
#include "mpi/comm/group.h"
#include "mpi/comm/info.h"
#include "mpi/engine/engine.h"
#include "mpi/init/runtime.h"
#include "mpi/init/session.h"

/* ---- beginning and end ---- */

/* What MPI_Session_init is given, understood. */
struct asked {
	struct errhandler *e; /* held; NULL: it was none for sessions */
	struct info *hints;
};

static int understand(
	MPI_Info info, MPI_Errhandler errhandler, const MPI_Session *session, struct asked *a)
{
	struct errhandler *e = NULL;
	int rc = errhandler_lookup(errhandler, &e);

	if (rc == MPI_SUCCESS)
		rc = errhandler_check_kind(e, "sessions");
	if (rc != MPI_SUCCESS)
		return rc;
	a->e = e;
	errhandler_hold(e);
	rc = check_pointer(session, "session");
	return rc ? rc : session_take_hints(&a->hints, info);
}

/* The session is there from now on, and so is what it runs on. */
static int begin(struct asked *a, MPI_Session *session)
{
	struct session *s = NULL;
	int rc;

	if (!runtime_use(NULL, NULL))
		return fail_with(MPI_ERR_OTHER,
			"MPI was finalized for good, as nothing in the program showed that a "
			"session would follow: make a session before MPI_Finalize");
	runtime_keep();
	engine_lock();
	rc = session_new(a->e, a->hints, &s);
	if (rc == MPI_SUCCESS) {
		a->hints = NULL;
		*session = s->handle;
	}
	engine_unlock();
	if (rc != MPI_SUCCESS)
		runtime_release();
	return rc;
}

static int end_init(struct asked *a, int rc)
{
	struct errhandler e;

	if (!a->e)
		return api_leave_anytime(rc);
	engine_lock();
	e = *a->e;
	errhandler_release(a->e);
	info_free(a->hints);
	engine_unlock();
	return rc == MPI_SUCCESS ? rc : errhandler_raise_session(&e, MPI_SESSION_NULL, rc);
}

#pragma weak MPI_Session_init = PMPI_Session_init
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
	struct asked a = {NULL, NULL};
	int rc;

	api_enter_anytime("MPI_Session_init");
	api_refuse_child();
	engine_lock();
	rc = understand(info, errhandler, session, &a);
	engine_unlock();
	if (rc == MPI_SUCCESS)
		rc = begin(&a, session);
	return end_init(&a, rc);
}

#pragma weak MPI_Session_finalize = PMPI_Session_finalize
int PMPI_Session_finalize(MPI_Session *session)
{
	struct session *s = NULL;

	api_enter("MPI_Session_finalize");
	int rc = check_pointer(session, "session");
	if (rc == MPI_SUCCESS)
		rc = session_lookup(*session, &s);
	if (rc == MPI_SUCCESS)
		rc = session_free(s);
	if (rc != MPI_SUCCESS)
		return api_leave_session(s ? s->number : 0, rc);
	*session = MPI_SESSION_NULL;
	engine_leave();
	runtime_release();
	return MPI_SUCCESS;
}

/* ---- what there is ---- */

/* Look session up and check the place for an answer. */
static int lookup_for(MPI_Session session, const void *out, const char *what, struct session **s)
{
	int rc = session_lookup(session, s);

	return rc == MPI_SUCCESS ? check_pointer(out, what) : rc;
}

static int leave(const struct session *s, int rc)
{
	return api_leave_session(s ? s->number : 0, rc);
}

/* A hint to these calls says nothing, but it must be one. */
static int check_info(MPI_Info info)
{
	struct info *said;

	return info_lookup_hints(info, &said);
}

#pragma weak MPI_Session_get_num_psets = PMPI_Session_get_num_psets
int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
	struct session *s = NULL;

	api_enter("MPI_Session_get_num_psets");
	int rc = lookup_for(session, npset_names, "npset_names", &s);
	if (rc == MPI_SUCCESS)
		rc = check_info(info);
	if (rc == MPI_SUCCESS)
		*npset_names = session_pset_count();
	return leave(s, rc);
}

/* *room counts the NUL; none, and only the length is wanted. */
static int give_name(int n, int *room, char *out)
{
	const char *name = session_pset_name(n);

	if (!name)
		return fail_with(MPI_ERR_ARG, "there is no process set %d: they count from 0 to %d",
			n, session_pset_count() - 1);
	if (*room < 0)
		return fail_with(MPI_ERR_ARG, "pset_len is %d", *room);
	if (*room > 0 && !out)
		return check_pointer(out, "pset_name");
	if (*room > 0)
		snprintf(out, (size_t)*room, "%s", name);
	*room = (int)strlen(name) + 1;
	return MPI_SUCCESS;
}

#pragma weak MPI_Session_get_nth_pset = PMPI_Session_get_nth_pset
int PMPI_Session_get_nth_pset(
	MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name)
{
	struct session *s = NULL;

	api_enter("MPI_Session_get_nth_pset");
	int rc = lookup_for(session, pset_len, "pset_len", &s);
	if (rc == MPI_SUCCESS)
		rc = check_info(info);
	if (rc == MPI_SUCCESS)
		rc = give_name(n, pset_len, pset_name);
	return leave(s, rc);
}

#pragma weak MPI_Session_get_info = PMPI_Session_get_info
int PMPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
	struct session *s = NULL;

	api_enter("MPI_Session_get_info");
	int rc = lookup_for(session, info_used, "info_used", &s);
	if (rc == MPI_SUCCESS)
		rc = session_give_hints(s, info_used);
	return leave(s, rc);
}

static int describe_pset(const char *name, MPI_Info *info)
{
	struct info *made;
	char text[16];
	int size, rc = session_pset_size(name, &size);

	if (rc != MPI_SUCCESS)
		return rc;
	made = info_new();
	if (!made)
		return fail_with(MPI_ERR_NO_MEM, "no memory for an info object");
	snprintf(text, sizeof text, "%d", size);
	rc = info_put(made, "mpi_size", text);
	if (rc == MPI_SUCCESS)
		rc = info_export(made, info);
	if (rc != MPI_SUCCESS)
		info_free(made);
	return rc;
}

#pragma weak MPI_Session_get_pset_info = PMPI_Session_get_pset_info
int PMPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
	struct session *s = NULL;

	api_enter("MPI_Session_get_pset_info");
	int rc = lookup_for(session, info, "info", &s);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(pset_name, "pset_name");
	if (rc == MPI_SUCCESS)
		rc = describe_pset(pset_name, info);
	return leave(s, rc);
}

#pragma weak MPI_Group_from_session_pset = PMPI_Group_from_session_pset
int PMPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
	struct session *s = NULL;
	struct group *made = NULL;

	api_enter("MPI_Group_from_session_pset");
	int rc = lookup_for(session, newgroup, "newgroup", &s);
	if (rc == MPI_SUCCESS)
		*newgroup = MPI_GROUP_NULL; /* as it is where there is no such set */
	if (rc == MPI_SUCCESS)
		rc = check_pointer(pset_name, "pset_name");
	if (rc == MPI_SUCCESS)
		rc = session_pset_group(s, pset_name, &made);
	if (rc == MPI_SUCCESS) {
		rc = group_export(made, newgroup);
		group_release(made);
	}
	return leave(s, rc);
}
