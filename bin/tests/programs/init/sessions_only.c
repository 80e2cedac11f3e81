/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions: what there is in a program that has sessions and nothing else. */
#include "sessions.h"

#include <stdio.h>
#include <string.h>

static void has_key(MPI_Info info, const char *key, const char *want)
{
	char value[64] = "";
	int room = sizeof value, there = 0;

	IS(MPI_Info_get_string(info, key, &room, value, &there), MPI_SUCCESS);
	if (!there || strcmp(value, want) != 0)
		prog_wrong(&prog, "%s is '%s', not '%s'", key, there ? value : "(not there)", want);
}

static void has_size(MPI_Session session, const char *name, int size)
{
	MPI_Info info = MPI_INFO_NULL;
	MPI_Group group = pset_group(session, name);
	char text[16];
	int of_group = -1;

	snprintf(text, sizeof text, "%d", size);
	IS(MPI_Session_get_pset_info(session, name, &info), MPI_SUCCESS);
	has_key(info, "mpi_size", text);
	IS(MPI_Info_free(&info), MPI_SUCCESS);
	IS(MPI_Group_size(group, &of_group), MPI_SUCCESS);
	IS(of_group, size);
	IS(MPI_Group_free(&group), MPI_SUCCESS);
}

/* Its length with the NUL; a shorter place gets as much as there is room for; none, nothing. */
static void name_in_pieces(MPI_Session session, int n, const char *whole)
{
	char name[64] = "untouched";
	int length = 0, most = sizeof name, some = 5;

	IS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL), MPI_SUCCESS);
	IS(length, strlen(whole) + 1);
	length = 0;
	IS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name), MPI_SUCCESS);
	IS(strcmp(name, "untouched"), 0);
	IS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &some, name), MPI_SUCCESS);
	IS(some, strlen(whole) + 1);
	IS(strncmp(name, whole, 4) == 0 && name[4] == '\0', 1);
	IS(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &most, name), MPI_SUCCESS);
	IS(most, strlen(whole) + 1);
	IS(strcmp(name, whole), 0);
}

static void psets(void)
{
	MPI_Session session = begin_session();
	int n = -1;

	IS(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n), MPI_SUCCESS);
	IS(n, 2);
	name_in_pieces(session, 0, "mpi://WORLD");
	name_in_pieces(session, 1, "mpi://SELF");
	has_size(session, "mpi://WORLD", prog.size);
	has_size(session, "mpi://SELF", 1);
	has_size(session, "mpi://self", 1);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
}

/* What is asked for is given; without a wish all threads may call. */
static void level(const char *asked, const char *given)
{
	MPI_Info wish = MPI_INFO_NULL, used = MPI_INFO_NULL;
	MPI_Session session = MPI_SESSION_NULL;

	if (asked) {
		IS(MPI_Info_create(&wish), MPI_SUCCESS);
		IS(MPI_Info_set(wish, "thread_level", asked), MPI_SUCCESS);
		IS(MPI_Info_set(wish, "nobody_knows_this_key", "x"), MPI_SUCCESS);
	}
	IS(MPI_Session_init(wish, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
	IS(MPI_Session_get_info(session, &used), MPI_SUCCESS);
	has_key(used, "thread_level", given);
	has_key(used, "mpi_memory_alloc_kinds", "mpi,system");
	IS(MPI_Info_free(&used), MPI_SUCCESS);
	if (asked)
		IS(MPI_Info_free(&wish), MPI_SUCCESS);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
}

/* What describes the world is no matter of a session (MPI 5.0 section 9.1.2). */
static void attributes(MPI_Comm comm, int of_world)
{
	const int keys[] = {MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE,
		MPI_LASTUSEDCODE};
	void *value = NULL;
	int there = -1;

	IS(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &there), MPI_SUCCESS);
	IS(there && *(int *)value >= 32767, 1);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		there = -1;
		IS(MPI_Comm_get_attr(comm, keys[i], &value, &there), MPI_SUCCESS);
		IS(there, of_world);
	}
}

void groups_and_comms(void)
{
	MPI_Session session = begin_session();
	MPI_Comm all = pset_comm(session, "mpi://WORLD", "sessions all");
	MPI_Comm self = pset_comm(session, "mpi://SELF", "sessions self");
	MPI_Comm half = MPI_COMM_NULL, copy = MPI_COMM_NULL;
	int rank = -1;

	talks(all);
	talks(self);
	attributes(all, 0);
	IS(MPI_Comm_rank(all, &rank), MPI_SUCCESS);
	IS(rank, prog.rank);
	IS(MPI_Comm_split(all, rank % 2, -rank, &half), MPI_SUCCESS);
	talks(half);
	IS(MPI_Comm_dup(half, &copy), MPI_SUCCESS);
	talks(copy);
	attributes(copy, 0);
	IS(MPI_Comm_free(&copy), MPI_SUCCESS);
	IS(MPI_Comm_free(&half), MPI_SUCCESS);
	IS(MPI_Comm_disconnect(&self), MPI_SUCCESS);
	IS(MPI_Comm_free(&all), MPI_SUCCESS);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
	IS(session == MPI_SESSION_NULL, 1);
}

/* The highest level, and nobody is the thread that called MPI_Init. */
static void no_main_thread(void)
{
	MPI_Session session = begin_session();
	int granted = -1, main_thread = -1;

	IS(MPI_Query_thread(&granted), MPI_SUCCESS);
	IS(granted, MPI_THREAD_MULTIPLE);
	IS(MPI_Is_thread_main(&main_thread), MPI_SUCCESS);
	IS(main_thread, 0);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
}

/* Even ranks and odd ones, from groups of the session alone. */
void between_groups(void)
{
	MPI_Session session = begin_session();
	MPI_Group world = pset_group(session, "mpi://WORLD"), side[2];
	MPI_Comm c = MPI_COMM_NULL, merged = MPI_COMM_NULL;
	int even[1][3] = {{0, prog.size - 1, 2}}, odd = prog.rank % 2, n = -1;

	IS(MPI_Group_range_incl(world, 1, even, &side[0]), MPI_SUCCESS);
	IS(MPI_Group_difference(world, side[0], &side[1]), MPI_SUCCESS);
	if (prog.size > 1) {
		IS(MPI_Intercomm_create_from_groups(side[odd], 0, side[!odd], 0, "sides",
			   MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
			MPI_SUCCESS);
		IS(MPI_Comm_remote_size(c, &n), MPI_SUCCESS);
		IS(n, odd ? (prog.size + 1) / 2 : prog.size / 2);
		IS(MPI_Intercomm_merge(c, odd, &merged), MPI_SUCCESS);
		talks(merged);
		IS(MPI_Comm_free(&merged), MPI_SUCCESS);
		IS(MPI_Comm_free(&c), MPI_SUCCESS);
		IS(MPI_Group_free(&side[1]), MPI_SUCCESS);
	}
	IS(MPI_Group_free(&side[0]), MPI_SUCCESS);
	IS(MPI_Group_free(&world), MPI_SUCCESS);
	IS(MPI_Session_finalize(&session), MPI_SUCCESS);
}

void alone(void)
{
	flags(0, 0);
	find_place();
	psets();
	level(NULL, "MPI_THREAD_MULTIPLE");
	level("MPI_THREAD_SINGLE", "MPI_THREAD_SINGLE");
	level("MPI_THREAD_SERIALIZED", "MPI_THREAD_SERIALIZED");
	no_main_thread();
	groups_and_comms();
	between_groups();
	flags(0, 0);
	right("alone");
}
