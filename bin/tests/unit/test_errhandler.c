/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes in words, and who is told of an error. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/bindings/api.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/errhandler.h"
#include "mpi/handle/errtext.h"
#include "mpi/handle/handle_table.h"
#include "unit.h"

static struct comm *made;
static MPI_Comm told_comm;
static int told_code, told_times;

static void tell(MPI_Comm *comm, int *code, ...)
{
	told_comm = *comm;
	told_code = *code;
	told_times++;
}

static void forgive(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	*code = MPI_SUCCESS;
}

/* replaces itself, so that its own object goes away while it runs */
static void replace(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	errhandler_set(made, errhandler_fatal());
	told_times++;
}

static struct errhandler *predefined(MPI_Errhandler handle)
{
	struct errhandler *e = NULL;

	ck_assert_int_eq(errhandler_lookup(handle, &e), MPI_SUCCESS);
	return e;
}

static void put(struct comm *c, MPI_Comm_errhandler_function *fn)
{
	struct errhandler *e = errhandler_make(fn);

	errhandler_set(c, e);
	errhandler_release(e);
}

static void begin(void)
{
	static const int node = 0, cores = 1;
	struct world_info w = {0, 1, &node, &cores, false};

	told_comm = MPI_COMM_NULL;
	told_code = told_times = 0;
	ck_assert_int_eq(comm_world_init(&w), MPI_SUCCESS);
	comm_name_world(true);
	ck_assert_int_eq(comm_new(comm_world()->group, comm_context_of(0, comm_counter_next()),
				 comm_world(), &made),
		MPI_SUCCESS);
}

static void end(void)
{
	comm_world_free();
}

START_TEST(returned)
{
	errhandler_set(made, predefined(MPI_ERRORS_RETURN));
	ck_assert_int_eq(errhandler_raise(made, MPI_ERR_RANK), MPI_ERR_RANK);
}
END_TEST

START_TEST(told)
{
	put(made, tell);
	ck_assert_int_eq(errhandler_raise(made, MPI_ERR_RANK), MPI_ERR_RANK);
	ck_assert_int_eq(told_times, 1);
	ck_assert_int_eq(told_code, MPI_ERR_RANK);
	ck_assert_ptr_eq(told_comm, made->handle);
	put(made, forgive);
	ck_assert_int_eq(errhandler_raise(made, MPI_ERR_RANK), MPI_SUCCESS);
}
END_TEST

START_TEST(handler_may_replace_itself)
{
	put(made, replace);
	ck_assert_int_eq(errhandler_raise(made, MPI_ERR_RANK), MPI_ERR_RANK);
	ck_assert_int_eq(told_times, 1);
	ck_assert_ptr_eq(made->errhandler, errhandler_fatal());
}
END_TEST

/* the world's handler as long as the program has none on MPI_COMM_SELF */
START_TEST(errors_of_no_communicator)
{
	put(comm_world(), tell);
	errhandler_raise(NULL, MPI_ERR_TYPE);
	ck_assert_ptr_eq(told_comm, MPI_COMM_WORLD);
	put(comm_self(), tell);
	errhandler_raise(NULL, MPI_ERR_TYPE);
	ck_assert_ptr_eq(told_comm, MPI_COMM_SELF);
	ck_assert_int_eq(told_times, 2);
}
END_TEST

START_TEST(inherited)
{
	struct comm *child = NULL;

	put(made, tell);
	ck_assert_int_eq(
		comm_new(made->group, comm_context_of(0, comm_counter_next()), made, &child),
		MPI_SUCCESS);
	comm_drop(made); /* the handler stays for the child */
	errhandler_raise(child, MPI_ERR_TAG);
	ck_assert_ptr_eq(told_comm, child->handle);
}
END_TEST

/* What a child that raises rc on c writes to stderr before it is ended. */
static void last_words(struct comm *c, int rc, char *text, size_t size)
{
	int ends[2], status = 0;
	ssize_t n, at = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		errhandler_raise(c, rc);
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], text + at, size - 1 - (size_t)at)) > 0)
		at += n;
	text[at] = '\0';
	close(ends[0]);
	waitpid(pid, &status, 0);
	ck_assert_int_ne(status, 0);
}

START_TEST(fatal)
{
	char text[2048];

	api_enter("MPI_Send");
	fail_with(MPI_ERR_RANK, "rank 9 is not in communicator MPI_COMM_WORLD of 4");
	last_words(made, MPI_ERR_RANK, text, sizeof(text));
	ck_assert_msg(strncmp(text, "rank 3 on testhost: ", 20) == 0, "it said: %s", text);
	ck_assert_msg(strstr(text, ": MPI_Send: MPI_ERR_RANK: rank 9 is not in communicator "
				   "MPI_COMM_WORLD of 4\n") != NULL,
		"it said: %s", text);
	errhandler_set(made, predefined(MPI_ERRORS_ABORT));
	last_words(made, MPI_ERR_RANK, text, sizeof(text));
	ck_assert_msg(strstr(text, "MPI_ERR_RANK: rank 9") != NULL, "it said: %s", text);
}
END_TEST

START_TEST(fatal_without_a_world)
{
	char text[2048];

	errhandler_set(comm_world(), predefined(MPI_ERRORS_RETURN));
	comm_world_free();
	api_enter("MPI_Error_class");
	fail_with(MPI_ERR_ARG, "errorclass is a null pointer");
	last_words(NULL, MPI_ERR_ARG, text, sizeof(text));
	ck_assert_msg(strstr(text, "MPI_ERR_ARG: errorclass is a null pointer\n") != NULL,
		"it said: %s", text);
}
END_TEST

START_TEST(handles)
{
	struct errhandler *e = errhandler_make(tell), *found = NULL;
	MPI_Errhandler mine = MPI_ERRHANDLER_NULL, again = MPI_ERRHANDLER_NULL;

	ck_assert_int_eq(errhandler_lookup(MPI_ERRHANDLER_NULL, &found), MPI_ERR_ERRHANDLER);
	ck_assert_int_eq(errhandler_lookup((MPI_Errhandler)(void *)e, &found), MPI_ERR_ERRHANDLER);
	ck_assert_int_eq(errhandler_export(e, &mine), MPI_SUCCESS);
	errhandler_release(e);
	errhandler_set(made, e);
	errhandler_unexport(e);
	ck_assert_int_eq(errhandler_lookup(mine, &found), MPI_ERR_ERRHANDLER);
	/* the communicator still has it and can give a handle again */
	ck_assert_int_eq(errhandler_export(made->errhandler, &again), MPI_SUCCESS);
	ck_assert_int_eq(errhandler_lookup(again, &found), MPI_SUCCESS);
	errhandler_unexport(found);
	ck_assert_int_eq(errhandler_raise(made, MPI_ERR_TAG), MPI_ERR_TAG);
	ck_assert_int_eq(told_times, 1);
}
END_TEST

START_TEST(every_class_has_words)
{
	char text[MPI_MAX_ERROR_STRING], other[MPI_MAX_ERROR_STRING];

	for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; code++) {
		size_t n = errtext_get(code, text, sizeof(text));

		ck_assert(errtext_is_code(code));
		ck_assert_int_eq(errtext_class_of(code), code);
		ck_assert_uint_eq(n, strlen(text));
		ck_assert_msg(strncmp(text, "MPI_", 4) == 0 && n > 20, "%d: %s", code, text);
		errtext_get(code + 1, other, sizeof(other));
		ck_assert_str_ne(text, other);
	}
	ck_assert_str_eq(errtext_name(MPI_ERR_TRUNCATE), "MPI_ERR_TRUNCATE");
	ck_assert(!errtext_is_code(MPI_ERR_ABI + 1));
	ck_assert(!errtext_is_code(-1));
	ck_assert(!errtext_is_code(MPI_ERR_LASTCODE + 1));
	ck_assert_int_eq(errtext_class_of(-1), MPI_ERR_UNKNOWN);
}
END_TEST

START_TEST(codes_of_the_program)
{
	char text[MPI_MAX_ERROR_STRING];
	int errclass = 0, code = 0, under_standard = 0;

	ck_assert_int_eq(errtext_add_class(&errclass), MPI_SUCCESS);
	ck_assert_int_gt(errclass, MPI_ERR_LASTCODE);
	ck_assert_int_eq(errtext_add_code(errclass, &code), MPI_SUCCESS);
	ck_assert_int_eq(errtext_add_code(MPI_ERR_ARG, &under_standard), MPI_SUCCESS);
	ck_assert_int_eq(errtext_class_of(errclass), errclass);
	ck_assert_int_eq(errtext_class_of(code), errclass);
	ck_assert_int_eq(errtext_class_of(under_standard), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_last_code(), under_standard);
	ck_assert_uint_eq(errtext_get(code, text, sizeof(text)), 0);
	ck_assert_int_eq(errtext_add_string(code, "the pot boils over"), MPI_SUCCESS);
	ck_assert_uint_eq(errtext_get(code, text, sizeof(text)), 18);
	ck_assert_str_eq(text, "the pot boils over");

	ck_assert_int_eq(errtext_add_code(code, &code), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_add_string(MPI_ERR_ARG, "no"), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_add_string(under_standard + 1, "no"), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_remove_class(errclass), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_remove_code(code), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_remove_string(code), MPI_SUCCESS);
	ck_assert_int_eq(errtext_remove_string(code), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_remove_class(code), MPI_ERR_ARG);
	ck_assert_int_eq(errtext_remove_code(code), MPI_SUCCESS);
	ck_assert_int_eq(errtext_remove_class(errclass), MPI_SUCCESS);
	ck_assert(!errtext_is_code(errclass));
	ck_assert_int_eq(errtext_remove_class(MPI_ERR_ARG), MPI_ERR_ARG);
}
END_TEST

START_TEST(long_strings_are_cut)
{
	char text[MPI_MAX_ERROR_STRING], longer[2 * MPI_MAX_ERROR_STRING];
	int code = 0;

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(errtext_add_code(MPI_ERR_OTHER, &code), MPI_SUCCESS);
	ck_assert_int_eq(errtext_add_string(code, longer), MPI_SUCCESS);
	ck_assert_uint_eq(errtext_get(code, text, sizeof(text)), MPI_MAX_ERROR_STRING - 1);
	ck_assert_uint_eq(strlen(text), MPI_MAX_ERROR_STRING - 1);
}
END_TEST

UNIT_MAIN("errhandler", tcase_add_checked_fixture(tc, begin, end); tcase_add_test(tc, returned);
	  tcase_add_test(tc, told); tcase_add_test(tc, handler_may_replace_itself);
	  tcase_add_test(tc, errors_of_no_communicator); tcase_add_test(tc, inherited);
	  tcase_add_test(tc, fatal); tcase_add_test(tc, fatal_without_a_world);
	  tcase_add_test(tc, handles); tcase_add_test(tc, every_class_has_words);
	  tcase_add_test(tc, codes_of_the_program); tcase_add_test(tc, long_strings_are_cut);)
