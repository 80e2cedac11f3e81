/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sessions: MPI 5.0 section 11.3, without MPI_Init unless a case says so. "sessions CASE" runs one
 * of the cases at the end.
 */
#include "sessions.h"

#include <pthread.h>
#include <stdio.h>

struct prog prog = {"sessions", "the Sessions Model", NULL, 0, 0, 0};
char **words;

MPI_Session begin_session(void)
{
	MPI_Session session = MPI_SESSION_NULL;

	IS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
	IS(session == MPI_SESSION_NULL, 0);
	return session;
}

MPI_Group pset_group(MPI_Session session, const char *name)
{
	MPI_Group group = MPI_GROUP_NULL;

	IS(MPI_Group_from_session_pset(session, name, &group), MPI_SUCCESS);
	return group;
}

MPI_Comm pset_comm(MPI_Session session, const char *name, const char *tag)
{
	MPI_Group group = pset_group(session, name);
	MPI_Comm c = MPI_COMM_NULL;

	IS(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
		MPI_SUCCESS);
	IS(MPI_Group_free(&group), MPI_SUCCESS);
	return c;
}

void talks(MPI_Comm c)
{
	int rank, size, mine, sum = -1, next, from = -1;

	IS(MPI_Comm_rank(c, &rank), MPI_SUCCESS);
	IS(MPI_Comm_size(c, &size), MPI_SUCCESS);
	mine = rank + 1;
	IS(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
	IS(sum, size * (size + 1) / 2);
	next = (rank + 1) % size;
	IS(MPI_Sendrecv(&rank, 1, MPI_INT, next, 7, &from, 1, MPI_INT, MPI_ANY_SOURCE, 7, c,
		   MPI_STATUS_IGNORE),
		MPI_SUCCESS);
	IS(from, (rank + size - 1) % size);
}

void find_place(void)
{
	MPI_Session session = begin_session();
	MPI_Group world = pset_group(session, "mpi://WORLD");

	IS(MPI_Group_rank(world, &prog.rank), MPI_SUCCESS);
	IS(MPI_Group_size(world, &prog.size), MPI_SUCCESS);
	IS(MPI_Group_free(&world), MPI_SUCCESS);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
}

void right(const char *what)
{
	if (prog.rank == 0)
		printf("sessions: right, %s, %d ranks\n", what, prog.size);
}

void flags(int initialized, int finalized)
{
	int is = -1, was = -1;

	IS(MPI_Initialized(&is), MPI_SUCCESS);
	IS(MPI_Finalized(&was), MPI_SUCCESS);
	IS(is, initialized);
	IS(was, finalized);
}

/* ---- many ---- */

enum { TIMES = 20, MANY = 5 };

static void again(void)
{
	MPI_Session many[MANY];
	MPI_Comm comms[MANY];
	char tag[32];

	find_place();
	for (int i = 0; i < TIMES; i++)
		groups_and_comms();
	for (int i = 0; i < MANY; i++) {
		snprintf(tag, sizeof tag, "session %d", i);
		many[i] = begin_session();
		comms[i] = pset_comm(many[i], "mpi://WORLD", tag);
	}
	for (int i = 0; i < MANY; i++)
		talks(comms[MANY - 1 - i]);
	/* each in an order of its own: nothing of it is collective */
	for (int i = 0; i < MANY; i++) {
		int which = (i + prog.rank) % MANY;

		IS(MPI_Comm_free(&comms[which]), MPI_SUCCESS);
		IS(MPI_Session_finalize(&many[which]), MPI_SUCCESS);
	}
	right("again");
}

static pthread_barrier_t together;

static void *one_of_threads(void *arg)
{
	MPI_Session session;
	MPI_Comm c;

	pthread_barrier_wait(&together);
	session = begin_session();
	c = pset_comm(session, "mpi://WORLD", arg);
	talks(c);
	IS(MPI_Comm_free(&c), MPI_SUCCESS);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
	return NULL;
}

/* Each of them may be the first of the process. */
static void threads(void)
{
	enum { THREADS = 6 };
	static char tags[THREADS][24];
	pthread_t ids[THREADS];

	IS(pthread_barrier_init(&together, NULL, THREADS), 0);
	for (int i = 0; i < THREADS; i++) {
		snprintf(tags[i], sizeof tags[i], "thread %d", i);
		IS(pthread_create(&ids[i], NULL, one_of_threads, tags[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		IS(pthread_join(ids[i], NULL), 0);
	find_place();
	right("threads");
}

/* ---- with the world ---- */

/* Before MPI_Init, beside it, across MPI_Finalize, and a new one after it. */
static void around(void)
{
	MPI_Session before = begin_session(), beside, after;
	MPI_Comm old = pset_comm(before, "mpi://WORLD", "old"), young;
	int provided = -1, level = -1, main_thread = -1;

	talks(old);
	flags(0, 0);
	IS(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided), MPI_SUCCESS);
	IS(provided, MPI_THREAD_SERIALIZED);
	IS(MPI_Query_thread(&level), MPI_SUCCESS);
	IS(level, MPI_THREAD_SERIALIZED);
	IS(MPI_Is_thread_main(&main_thread), MPI_SUCCESS);
	IS(main_thread, 1);
	flags(1, 0);
	beside = begin_session();
	young = pset_comm(beside, "mpi://WORLD", "young");
	talks(MPI_COMM_WORLD);
	talks(young);
	talks(old);
	IS(MPI_Finalize(), MPI_SUCCESS);
	flags(1, 1);
	talks(old);
	talks(young);
	IS(MPI_Comm_free(&young), MPI_SUCCESS);
	IS(MPI_Session_finalize(&beside), MPI_SUCCESS);
	IS(MPI_Comm_free(&old), MPI_SUCCESS);
	IS(MPI_Session_finalize(&before), MPI_SUCCESS);
	after = begin_session();
	old = pset_comm(after, "mpi://WORLD", "after");
	talks(old);
	IS(MPI_Comm_free(&old), MPI_SUCCESS);
	IS(MPI_Session_finalize(&after), MPI_SUCCESS);
	find_place();
	right("around");
}

/* Those of a job begun by hand go out of the program's with MPI_Init, also where a session was the
 * first to need them. */
static void arguments(void)
{
	MPI_Session before = begin_session();
	char **argv = words - 2;
	int argc = 0;

	while (argv[argc])
		argc++;
	IS(MPI_Init(&argc, &argv), MPI_SUCCESS);
	IS(argc, 2);
	IS(argv[2] == NULL, 1);
	IS(MPI_Finalize(), MPI_SUCCESS);
	IS(MPI_Session_finalize(&before), MPI_SUCCESS);
	find_place();
	right("arguments");
}

/* The world is over before there was any session. */
static void late(void)
{
	IS(MPI_Init(NULL, NULL), MPI_SUCCESS);
	talks(MPI_COMM_WORLD);
	IS(MPI_Finalize(), MPI_SUCCESS);
	flags(1, 1);
	find_place();
	groups_and_comms();
	right("late");
}

/* The world is the last to end, and what a session left is gone. */
static void inside(void)
{
	int argc = 0;

	IS(MPI_Init(&argc, NULL), MPI_SUCCESS);
	find_place();
	groups_and_comms();
	between_groups();
	IS(MPI_Finalize(), MPI_SUCCESS);
	flags(1, 1);
	right("inside");
}

static const struct prog_case cases[] = {
	{"alone", alone},
	{"again", again},
	{"threads", threads},
	{"around", around},
	{"arguments", arguments},
	{"late", late},
	{"inside", inside},
	{"errors-with-world", errors_with_world},
	{"errors", errors_of_session},
	{"errors-in-init", errors_in_init},
	{"errors-anytime", errors_anytime},
	{"buffers", buffers},
	{"open", end_open},
	{"open-beside-world", end_open_beside_world},
	{"late-call", end_late_call},
	{"world-named", end_world_named},
	{"world-gone", end_world_gone},
	{"status", end_with_status},
	{"at-exit", end_at_exit},
	{"child", end_child},
	{"steps", steps},
};

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "sessions: give a case\n");
		return 2;
	}
	words = argv + 2;
	prog_case_named(&prog, cases, sizeof cases / sizeof *cases, argv[1])->run();
	return 0;
}
