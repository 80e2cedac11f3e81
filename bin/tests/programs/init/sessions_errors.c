/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions: wrong arguments, and who is told of them (MPI 5.0 section 9.3). */
#include "sessions.h"

#include <string.h>

/* What a handler of sessions was told last. */
static struct {
	int times, code;
	MPI_Session session;
} told;

static void tell(MPI_Session *session, int *code, ...)
{
	told.times++;
	told.session = *session;
	told.code = *code;
}

static MPI_Errhandler teller(void)
{
	MPI_Errhandler e = MPI_ERRHANDLER_NULL;

	memset(&told, 0, sizeof told);
	IS(MPI_Session_create_errhandler(tell, &e), MPI_SUCCESS);
	return e;
}

static void was_told(MPI_Session session, int class)
{
	int got = -1;

	IS(told.times, 1);
	IS(told.session == session, 1);
	MPI_Error_class(told.code, &got);
	IS(got, class);
	told.times = 0;
}

static void for_comms(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
}

/* ---- what belongs to no session is told to MPI_COMM_SELF and MPI_COMM_WORLD ---- */

static void no_session(MPI_Session s, MPI_Session gone)
{
	MPI_Info info = MPI_INFO_NULL;
	MPI_Group group = MPI_GROUP_NULL;
	MPI_Errhandler e = MPI_ERRHANDLER_NULL;
	char name[8];
	int n = sizeof name;

	FAILS(MPI_Session_finalize(NULL), MPI_ERR_ARG);
	FAILS(MPI_Session_finalize(&s), MPI_ERR_SESSION);
	FAILS(MPI_Session_finalize(&gone), MPI_ERR_SESSION);
	FAILS(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
	FAILS(MPI_Session_get_nth_pset(gone, MPI_INFO_NULL, 0, &n, name), MPI_ERR_SESSION);
	FAILS(MPI_Session_get_info(s, &info), MPI_ERR_SESSION);
	FAILS(MPI_Session_get_pset_info(gone, "mpi://SELF", &info), MPI_ERR_SESSION);
	FAILS(MPI_Group_from_session_pset(s, "mpi://SELF", &group), MPI_ERR_SESSION);
	FAILS(MPI_Session_set_errhandler(gone, MPI_ERRORS_RETURN), MPI_ERR_SESSION);
	FAILS(MPI_Session_get_errhandler(s, &e), MPI_ERR_SESSION);
	FAILS(MPI_Session_call_errhandler(gone, MPI_ERR_OTHER), MPI_ERR_SESSION);
	FAILS(MPI_Session_attach_buffer(s, name, 1), MPI_ERR_SESSION);
	FAILS(MPI_Session_detach_buffer(gone, &info, &n), MPI_ERR_SESSION);
	FAILS(MPI_Session_flush_buffer(s), MPI_ERR_SESSION);
	IS(info == MPI_INFO_NULL && group == MPI_GROUP_NULL && e == MPI_ERRHANDLER_NULL, 1);
}

/* What is left of a session goes with it; a group stays, but nothing can be made of it. */
static void left_behind(void)
{
	MPI_Session session = begin_session();
	MPI_Comm left = pset_comm(session, "mpi://WORLD", "left"), copy = MPI_COMM_NULL;
	MPI_Comm none = MPI_COMM_WORLD;
	MPI_Group group = pset_group(session, "mpi://WORLD");
	int size = -1;

	IS(MPI_Comm_dup(left, &copy), MPI_SUCCESS);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
	FAILS(MPI_Comm_size(left, &size), MPI_ERR_COMM);
	FAILS(MPI_Barrier(copy), MPI_ERR_COMM);
	IS(MPI_Group_size(group, &size), MPI_SUCCESS);
	IS(size, prog.size);
	/* the handler of the new one is told: it returns */
	FAILS(MPI_Comm_create_from_group(group, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &none),
		MPI_ERR_SESSION);
	IS(none == MPI_COMM_NULL, 1);
	IS(MPI_Group_free(&group), MPI_SUCCESS);
	talks(MPI_COMM_WORLD);
}

void errors_with_world(void)
{
	MPI_Session gone, same;

	IS(MPI_Init(NULL, NULL), MPI_SUCCESS);
	IS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
	find_place();
	same = gone = begin_session();
	IS(MPI_Session_finalize(&gone), MPI_SUCCESS);
	no_session(MPI_SESSION_NULL, same);
	left_behind();
	IS(MPI_Finalize(), MPI_SUCCESS);
	right("errors with the world");
}

/* ---- what belongs to a session ---- */

static void bad_arguments(MPI_Session s)
{
	MPI_Info info = MPI_INFO_NULL;
	MPI_Group group = MPI_GROUP_EMPTY;
	char name[8] = "as it is";
	int n = 3, less = -1;

	FAILS(MPI_Session_get_num_psets(s, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
	FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 2, &n, name), MPI_ERR_ARG);
	FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, -1, &n, name), MPI_ERR_ARG);
	FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 0, NULL, name), MPI_ERR_ARG);
	FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 0, &less, name), MPI_ERR_ARG);
	FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 0, &n, NULL), MPI_ERR_ARG);
	IS(n == 3 && less == -1 && memcmp(name, "as it is", sizeof name) == 0, 1);
	FAILS(MPI_Session_get_info(s, NULL), MPI_ERR_ARG);
	FAILS(MPI_Session_get_pset_info(s, NULL, &info), MPI_ERR_ARG);
	FAILS(MPI_Session_get_pset_info(s, "mpi://SELF", NULL), MPI_ERR_ARG);
	FAILS(MPI_Session_get_pset_info(s, "mpi://NOBODY", &info), MPI_ERR_ARG);
	FAILS(MPI_Group_from_session_pset(s, "mpi://SELF", NULL), MPI_ERR_ARG);
	FAILS(MPI_Group_from_session_pset(s, NULL, &group), MPI_ERR_ARG);
	group = MPI_GROUP_EMPTY;
	FAILS(MPI_Group_from_session_pset(s, "mpi://WORLD2", &group), MPI_ERR_ARG);
	IS(group == MPI_GROUP_NULL, 1);
	FAILS(MPI_Session_set_errhandler(s, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
	FAILS(MPI_Session_get_errhandler(s, NULL), MPI_ERR_ARG);
	FAILS(MPI_Session_call_errhandler(s, 1 << 30), MPI_ERR_ARG);
}

/* A handler is for one kind of thing. */
static void other_kinds(MPI_Session s)
{
	MPI_Comm self = pset_comm(s, "mpi://SELF", "kinds");
	MPI_Errhandler comms, sessions = teller();
	MPI_Group group = pset_group(s, "mpi://SELF");

	IS(MPI_Comm_create_errhandler(for_comms, &comms), MPI_SUCCESS);
	FAILS(MPI_Session_set_errhandler(s, comms), MPI_ERR_ARG);
	FAILS(MPI_Comm_set_errhandler(self, sessions), MPI_ERR_ARG);
	IS(MPI_Session_set_errhandler(s, sessions), MPI_SUCCESS);
	FAILS(MPI_Group_incl(group, -1, NULL, &group), MPI_ERR_ARG);
	was_told(s, MPI_ERR_ARG);
	IS(MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN), MPI_SUCCESS);
	IS(MPI_Errhandler_free(&comms), MPI_SUCCESS);
	IS(MPI_Errhandler_free(&sessions), MPI_SUCCESS);
	IS(MPI_Group_free(&group), MPI_SUCCESS);
	IS(MPI_Comm_free(&self), MPI_SUCCESS);
}

/* The handler of the session is told of errors of its calls and of its groups, with its handle. */
static void own_handler(void)
{
	MPI_Errhandler e = teller(), same = MPI_ERRHANDLER_NULL;
	MPI_Session s = MPI_SESSION_NULL;
	MPI_Group world, half, both;
	int n = -1;

	IS(MPI_Session_init(MPI_INFO_NULL, e, &s), MPI_SUCCESS);
	IS(MPI_Session_get_errhandler(s, &same), MPI_SUCCESS);
	IS(same == e, 1);
	IS(MPI_Errhandler_free(&e), MPI_SUCCESS);
	IS(MPI_Errhandler_free(&same), MPI_SUCCESS);
	FAILS(MPI_Session_get_num_psets(s, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
	was_told(s, MPI_ERR_ARG);
	world = pset_group(s, "mpi://WORLD");
	FAILS(MPI_Group_size(world, NULL), MPI_ERR_ARG);
	was_told(s, MPI_ERR_ARG);
	n = prog.size; /* no rank of it */
	FAILS(MPI_Group_incl(world, 1, &n, &half), MPI_ERR_RANK);
	was_told(s, MPI_ERR_RANK);
	/* a group made from one of the session's is the session's too */
	n = 0;
	IS(MPI_Group_incl(world, 1, &n, &half), MPI_SUCCESS);
	IS(MPI_Group_union(half, world, &both), MPI_SUCCESS);
	FAILS(MPI_Group_rank(half, NULL), MPI_ERR_ARG);
	was_told(s, MPI_ERR_ARG);
	FAILS(MPI_Group_compare(both, world, NULL), MPI_ERR_ARG);
	was_told(s, MPI_ERR_ARG);
	IS(MPI_Session_call_errhandler(s, MPI_ERR_OTHER), MPI_SUCCESS);
	was_told(s, MPI_ERR_OTHER);
	IS(MPI_Group_free(&half), MPI_SUCCESS);
	IS(MPI_Group_free(&both), MPI_SUCCESS);
	IS(MPI_Group_free(&world), MPI_SUCCESS);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
	IS(told.times, 0);
}

/* And of a group that a communicator of the session gives, however that was made. */
static void groups_of_comms(void)
{
	MPI_Errhandler e = teller();
	MPI_Session s = begin_session();
	MPI_Comm all = pset_comm(s, "mpi://WORLD", "groups of"), split = MPI_COMM_NULL;
	MPI_Group g = MPI_GROUP_NULL;

	IS(MPI_Comm_split(all, 0, -prog.rank, &split), MPI_SUCCESS);
	IS(MPI_Comm_group(split, &g), MPI_SUCCESS);
	IS(MPI_Session_set_errhandler(s, e), MPI_SUCCESS);
	FAILS(MPI_Group_rank(g, NULL), MPI_ERR_ARG);
	was_told(s, MPI_ERR_ARG);
	IS(MPI_Errhandler_free(&e), MPI_SUCCESS);
	IS(MPI_Group_free(&g), MPI_SUCCESS);
	IS(MPI_Comm_free(&split), MPI_SUCCESS);
	IS(MPI_Comm_free(&all), MPI_SUCCESS);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
}

/* A session cannot end under an operation; when that is done it can. */
static void under_way(void)
{
	MPI_Session s = begin_session(), same = s;
	MPI_Comm self = pset_comm(s, "mpi://SELF", "under way");
	MPI_Request request = MPI_REQUEST_NULL;
	int n = 5, got = -1;

	IS(MPI_Irecv(&got, 1, MPI_INT, 0, 3, self, &request), MPI_SUCCESS);
	FAILS(MPI_Session_finalize(&s), MPI_ERR_PENDING);
	IS(s == same, 1);
	IS(MPI_Send(&n, 1, MPI_INT, 0, 3, self), MPI_SUCCESS);
	IS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
	IS(got, 5);
	IS(MPI_Comm_free(&self), MPI_SUCCESS);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
}

void errors_of_session(void)
{
	MPI_Session s;

	find_place();
	s = begin_session();
	bad_arguments(s);
	other_kinds(s);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
	own_handler();
	groups_of_comms();
	under_way();
	right("errors");
}

/* ---- MPI_Session_init: the handler that it is given ---- */

void errors_in_init(void)
{
	MPI_Errhandler e = teller();
	MPI_Session s = MPI_SESSION_NULL;
	MPI_Info info;

	IS(MPI_Info_create(&info), MPI_SUCCESS);
	IS(MPI_Info_set(info, "thread_level", "MPI_THREAD_MOST"), MPI_SUCCESS);
	FAILS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, NULL), MPI_ERR_ARG);
	FAILS(MPI_Session_init(info, MPI_ERRORS_RETURN, &s), MPI_ERR_INFO_VALUE);
	FAILS(MPI_Session_init(info, e, &s), MPI_ERR_INFO_VALUE);
	was_told(MPI_SESSION_NULL, MPI_ERR_INFO_VALUE);
	FAILS(MPI_Session_init(MPI_INFO_NULL, e, NULL), MPI_ERR_ARG);
	was_told(MPI_SESSION_NULL, MPI_ERR_ARG);
	IS(s == MPI_SESSION_NULL, 1);
	IS(MPI_Info_free(&info), MPI_SUCCESS);
	FAILS(MPI_Session_init((MPI_Info)(void *)&told, e, &s), MPI_ERR_INFO);
	was_told(MPI_SESSION_NULL, MPI_ERR_INFO);
	IS(MPI_Errhandler_free(&e), MPI_SUCCESS);
	find_place();
	right("errors in init");
}

/* ---- calls that are legal at any time ---- */

/* A handler outlives sessions and the world. */
void errors_anytime(void)
{
	MPI_Errhandler e = teller(), predefined = MPI_ERRORS_RETURN;
	MPI_Session s = MPI_SESSION_NULL;

	IS(MPI_Errhandler_free(&predefined), MPI_SUCCESS);
	IS(predefined == MPI_ERRHANDLER_NULL, 1);
	IS(MPI_Init(NULL, NULL), MPI_SUCCESS);
	IS(MPI_Session_init(MPI_INFO_NULL, e, &s), MPI_SUCCESS);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
	IS(MPI_Finalize(), MPI_SUCCESS);
	IS(MPI_Session_init(MPI_INFO_NULL, e, &s), MPI_SUCCESS);
	IS(MPI_Session_call_errhandler(s, MPI_ERR_RANK), MPI_SUCCESS);
	was_told(s, MPI_ERR_RANK);
	IS(MPI_Session_finalize(&s), MPI_SUCCESS);
	IS(MPI_Errhandler_free(&e), MPI_SUCCESS);
	IS(e == MPI_ERRHANDLER_NULL, 1);
	find_place();
	right("errors at any time");
}
