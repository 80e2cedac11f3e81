/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * info_objects: info objects before MPI_Init, while MPI runs and after MPI_Finalize; their limits and
 * errors; MPI_INFO_ENV; hints of communicators.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "expect.h"
#include "prog.h"

static struct prog prog = {.name = "info_objects", .text = "info objects and hints"};

/* What info says of key, "(none)" when it does not have it. */
static const char *value_of(MPI_Info info, const char *key)
{
	static char value[MPI_MAX_INFO_VAL];
	int len = sizeof value, flag = -1;

	IS(MPI_Info_get_string(info, key, &len, value, &flag), MPI_SUCCESS);
	if (!flag)
		return "(none)";
	IS(len, strlen(value) + 1);
	return value;
}

static void says(MPI_Info info, const char *key, const char *expected)
{
	const char *got = value_of(info, key);

	if (strcmp(got, expected) != 0)
		prog_wrong(&prog, "key %s has the value '%s', not '%s'", key, got, expected);
}

/* Keys come in the order in which they were first set. */
static void keys(MPI_Info info, int count, const char *const *expected)
{
	char key[MPI_MAX_INFO_KEY];
	int n = -1;

	IS(MPI_Info_get_nkeys(info, &n), MPI_SUCCESS);
	IS(n, count);
	for (int i = 0; i < n; i++) {
		IS(MPI_Info_get_nthkey(info, i, key), MPI_SUCCESS);
		IS(strcmp(key, expected[i]), 0);
	}
}

static void basic(void)
{
	const char *const three[] = {"one", "two", "three"}, *const two[] = {"two", "three"};
	MPI_Info a, b;

	IS(MPI_Info_create(&a), MPI_SUCCESS);
	keys(a, 0, NULL);
	says(a, "one", "(none)");
	IS(MPI_Info_set(a, "one", "1"), MPI_SUCCESS);
	IS(MPI_Info_set(a, "two", ""), MPI_SUCCESS);
	IS(MPI_Info_set(a, "three", "3"), MPI_SUCCESS);
	IS(MPI_Info_set(a, "one", " uno "), MPI_SUCCESS);
	keys(a, 3, three);
	says(a, "one", " uno ");
	says(a, "two", "");
	IS(MPI_Info_dup(a, &b), MPI_SUCCESS);
	IS(MPI_Info_delete(a, "one"), MPI_SUCCESS);
	keys(a, 2, two);
	says(a, "three", "3");
	keys(b, 3, three);
	IS(MPI_Info_free(&a), MPI_SUCCESS);
	IS(a == MPI_INFO_NULL, 1);
	says(b, "one", " uno ");
	IS(MPI_Info_free(&b), MPI_SUCCESS);
}

/* A value is cut to the room there is, always with a NUL; the room it needs is told. */
static void lengths(void)
{
	char value[16] = "untouched";
	int len = 0, flag = -1;
	MPI_Info a;

	IS(MPI_Info_create(&a), MPI_SUCCESS);
	IS(MPI_Info_set(a, "key", "value"), MPI_SUCCESS);
	IS(MPI_Info_get_string(a, "key", &len, value, &flag), MPI_SUCCESS);
	IS(len, 6);
	IS(flag, 1);
	IS(strcmp(value, "untouched"), 0);
	len = 4;
	IS(MPI_Info_get_string(a, "key", &len, value, &flag), MPI_SUCCESS);
	IS(len, 6);
	IS(strcmp(value, "val"), 0);
	len = 9;
	IS(MPI_Info_get_string(a, "none", &len, value, &flag), MPI_SUCCESS);
	IS(len, 9);
	IS(flag, 0);
	IS(strcmp(value, "val"), 0);
	IS(MPI_Info_get(a, "key", 4, value, &flag), MPI_SUCCESS);
	IS(strcmp(value, "valu"), 0);
	IS(MPI_Info_get(a, "none", 4, value, &flag), MPI_SUCCESS);
	IS(flag, 0);
	IS(strcmp(value, "valu"), 0);
	IS(MPI_Info_get_valuelen(a, "key", &len, &flag), MPI_SUCCESS);
	IS(len, 5);
	IS(flag, 1);
	IS(MPI_Info_get_valuelen(a, "none", &len, &flag), MPI_SUCCESS);
	IS(flag, 0);
	IS(MPI_Info_free(&a), MPI_SUCCESS);
}

/* The longest that is allowed, and one more. */
static void limits(void)
{
	char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1], got[MPI_MAX_INFO_KEY];
	MPI_Info a;

	memset(key, 'k', MPI_MAX_INFO_KEY);
	memset(value, 'v', MPI_MAX_INFO_VAL);
	key[MPI_MAX_INFO_KEY] = value[MPI_MAX_INFO_VAL] = '\0';
	IS(MPI_Info_create(&a), MPI_SUCCESS);
	FAILS(MPI_Info_set(a, key, "v"), MPI_ERR_INFO_KEY);
	FAILS(MPI_Info_set(a, "k", value), MPI_ERR_INFO_VALUE);
	key[MPI_MAX_INFO_KEY - 1] = value[MPI_MAX_INFO_VAL - 1] = '\0';
	IS(MPI_Info_set(a, key, value), MPI_SUCCESS);
	says(a, key, value);
	IS(MPI_Info_get_nthkey(a, 0, got), MPI_SUCCESS);
	IS(strcmp(got, key), 0);
	keys(a, 1, (const char *const[]){key});
	IS(MPI_Info_free(&a), MPI_SUCCESS);
}

static void refusals(void)
{
	char text[8] = "";
	int n = 0, flag = 0;
	MPI_Info a, gone, none = MPI_INFO_NULL, env = MPI_INFO_ENV;

	IS(MPI_Info_create(&a), MPI_SUCCESS);
	IS(MPI_Info_dup(a, &gone), MPI_SUCCESS);
	MPI_Info copy = gone;
	IS(MPI_Info_free(&gone), MPI_SUCCESS);
	FAILS(MPI_Info_set(copy, "k", "v"), MPI_ERR_INFO);
	FAILS(MPI_Info_set(MPI_INFO_NULL, "k", "v"), MPI_ERR_INFO);
	FAILS(MPI_Info_set((MPI_Info)MPI_COMM_WORLD, "k", "v"), MPI_ERR_INFO);
	FAILS(MPI_Info_set(MPI_INFO_ENV, "k", "v"), MPI_ERR_INFO);
	FAILS(MPI_Info_free(&env), MPI_ERR_INFO);
	FAILS(MPI_Info_free(&none), MPI_ERR_INFO);
	FAILS(MPI_Info_set(a, "", "v"), MPI_ERR_INFO_KEY);
	FAILS(MPI_Info_set(a, NULL, "v"), MPI_ERR_INFO_KEY);
	FAILS(MPI_Info_set(a, "k", NULL), MPI_ERR_INFO_VALUE);
	FAILS(MPI_Info_delete(a, "k"), MPI_ERR_INFO_NOKEY);
	FAILS(MPI_Info_get_nthkey(a, 0, text), MPI_ERR_ARG);
	FAILS(MPI_Info_get_nthkey(a, -1, text), MPI_ERR_ARG);
	FAILS(MPI_Info_get_nkeys(MPI_INFO_NULL, &n), MPI_ERR_INFO);
	FAILS(MPI_Info_dup(MPI_INFO_NULL, &gone), MPI_ERR_INFO);
	FAILS(MPI_Info_create(NULL), MPI_ERR_ARG);
	n = -1;
	FAILS(MPI_Info_get_string(a, "k", &n, text, &flag), MPI_ERR_ARG);
	FAILS(MPI_Info_get(a, "k", -1, text, &flag), MPI_ERR_ARG);
	FAILS(MPI_Info_get(a, "k", 1, text, NULL), MPI_ERR_ARG);
	IS(MPI_Info_free(&a), MPI_SUCCESS);
}

/* Where the process was started, whatever it does later. */
static void environment(int argc, char **argv, const char *directory)
{
	MPI_Info made;

	says(MPI_INFO_ENV, "wdir", directory);
	says(MPI_INFO_ENV, "command", argv[0]);
	says(MPI_INFO_ENV, "thread_level", "(none)");
	IS(strcmp(value_of(MPI_INFO_ENV, "host"), "(none)") != 0, 1);
	IS(strcmp(value_of(MPI_INFO_ENV, "arch"), "(none)") != 0, 1);
	IS(MPI_Info_create_env(argc, argv, &made), MPI_SUCCESS);
	says(made, "wdir", directory);
	says(made, "command", argv[0]);
	says(made, "argv", argc > 1 ? argv[1] : "(none)");
	says(MPI_INFO_ENV, "argv", argc > 1 ? argv[1] : "(none)");
	IS(MPI_Info_set(made, "command", "mine"), MPI_SUCCESS);
	IS(MPI_Info_free(&made), MPI_SUCCESS);
	IS(MPI_Info_create_env(0, NULL, &made), MPI_SUCCESS);
	says(made, "command", argv[0]);
	IS(MPI_Info_free(&made), MPI_SUCCESS);
}

static void maxprocs(int size)
{
	char text[16];

	snprintf(text, sizeof text, "%d", size);
	says(MPI_INFO_ENV, "maxprocs", text);
}

static void hints(MPI_Comm comm)
{
	MPI_Info given, used;

	IS(MPI_Comm_get_info(comm, &used), MPI_SUCCESS);
	says(used, "mpi_assert_no_any_tag", "false");
	says(used, "mpi_assert_allow_overtaking", "false");
	says(used, "unheard_of", "(none)");
	IS(MPI_Info_free(&used), MPI_SUCCESS);
	IS(MPI_Info_create(&given), MPI_SUCCESS);
	IS(MPI_Info_set(given, "mpi_assert_no_any_tag", "true"), MPI_SUCCESS);
	IS(MPI_Info_set(given, "unheard_of", "true"), MPI_SUCCESS);
	IS(MPI_Comm_set_info(comm, given), MPI_SUCCESS);
	IS(MPI_Info_set(given, "mpi_assert_exact_length", "perhaps"), MPI_SUCCESS);
	IS(MPI_Info_set(given, "mpi_assert_no_any_tag", "false"), MPI_SUCCESS);
	FAILS(MPI_Comm_set_info(comm, given), MPI_ERR_INFO_VALUE);
	IS(MPI_Comm_set_info(comm, MPI_INFO_NULL), MPI_SUCCESS);
	IS(MPI_Comm_get_info(comm, &used), MPI_SUCCESS);
	says(used, "mpi_assert_no_any_tag", "true");
	says(used, "mpi_assert_exact_length", "false");
	says(used, "unheard_of", "(none)");
	IS(MPI_Info_set(used, "mpi_assert_no_any_tag", "false"), MPI_SUCCESS); /* a copy */
	IS(MPI_Info_free(&used), MPI_SUCCESS);
	IS(MPI_Comm_get_info(comm, &used), MPI_SUCCESS);
	says(used, "mpi_assert_no_any_tag", "true");
	IS(MPI_Info_free(&used), MPI_SUCCESS);
	FAILS(MPI_Comm_set_info(comm, given), MPI_ERR_INFO_VALUE);
	IS(MPI_Info_free(&given), MPI_SUCCESS);
	FAILS(MPI_Comm_set_info(comm, given), MPI_SUCCESS); /* MPI_INFO_NULL by now */
	FAILS(MPI_Comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL), MPI_ERR_COMM);
	FAILS(MPI_Comm_get_info(comm, NULL), MPI_ERR_ARG);
}

/* Every call that takes hints gives them to what it makes, and refuses those that make no sense. */
static void made_with(MPI_Comm made)
{
	MPI_Info used;

	IS(MPI_Comm_get_info(made, &used), MPI_SUCCESS);
	says(used, "mpi_assert_exact_length", "true");
	says(used, "mpi_assert_no_any_tag", "false");
	MPI_Info_free(&used);
	MPI_Comm_free(&made);
}

static void hints_of_made(void)
{
	int self = prog.rank, one = 1;
	MPI_Comm w = MPI_COMM_WORLD, made;
	MPI_Request request;
	MPI_Info given;

	MPI_Info_create(&given);
	MPI_Info_set(given, "mpi_assert_exact_length", "true");
	IS(MPI_Comm_dup_with_info(w, given, &made), MPI_SUCCESS);
	made_with(made);
	IS(MPI_Comm_idup_with_info(w, given, &made, &request), MPI_SUCCESS);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	made_with(made);
	IS(MPI_Comm_split_type(w, MPI_COMM_TYPE_SHARED, 0, given, &made), MPI_SUCCESS);
	made_with(made);
	IS(MPI_Dist_graph_create(w, 1, &self, &one, &self, MPI_UNWEIGHTED, given, 0, &made),
		MPI_SUCCESS);
	made_with(made);
	IS(MPI_Dist_graph_create_adjacent(w, 1, &self, MPI_UNWEIGHTED, 1, &self, MPI_UNWEIGHTED,
		   given, 0, &made),
		MPI_SUCCESS);
	made_with(made);
	MPI_Info_set(given, "mpi_assert_exact_length", "perhaps");
	FAILS(MPI_Comm_split_type(w, MPI_COMM_TYPE_SHARED, 0, given, &made), MPI_ERR_INFO_VALUE);
	FAILS(MPI_Dist_graph_create(w, 1, &self, &one, &self, MPI_UNWEIGHTED, given, 0, &made),
		MPI_ERR_INFO_VALUE);
	IS(made == MPI_COMM_NULL, 1);
	MPI_Info_free(&given);
}

int main(int argc, char **argv)
{
	char directory[4096] = "";
	const char *const kept[] = {"early"};
	MPI_Info early;
	MPI_Comm dup;

	if (!getcwd(directory, sizeof directory) || chdir("/") != 0)
		return 1;
	basic();
	lengths();
	IS(MPI_Info_create(&early), MPI_SUCCESS);
	IS(MPI_Info_set(early, "early", "yes"), MPI_SUCCESS);
	environment(argc, argv, directory);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &prog.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &prog.size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	environment(argc, argv, directory);
	maxprocs(prog.size);
	basic();
	lengths();
	limits();
	refusals();
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	hints(dup);
	hints(MPI_COMM_WORLD);
	MPI_Comm_free(&dup);
	hints_of_made();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	keys(early, 1, kept);
	basic();
	IS(MPI_Info_free(&early), MPI_SUCCESS);
	environment(argc, argv, directory);
	if (prog.rank == 0)
		printf("info_objects: right, %d ranks\n", prog.size);
	return 0;
}
