/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles as integers and back. */
#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi.h"
#include "unit.h"

enum { MANY = 20000, THREADS = 4 };

START_TEST(predefined_handles_are_their_number)
{
	ck_assert_int_eq(MPI_Comm_toint(MPI_COMM_WORLD), 257);
	ck_assert_int_eq(MPI_Type_toint(MPI_INTEGER), 537);
	ck_assert_int_eq(MPI_Op_toint(MPI_NO_OP), 61);
	ck_assert_int_eq(MPI_Request_toint(MPI_REQUEST_NULL), 384);
	ck_assert_ptr_eq(MPI_Comm_fromint(258), MPI_COMM_SELF);
	ck_assert_ptr_eq(MPI_Errhandler_fromint(323), MPI_ERRORS_RETURN);
	ck_assert_ptr_eq(MPI_Group_fromint(265), MPI_GROUP_EMPTY);
	ck_assert_ptr_eq(MPI_Info_fromint(305), MPI_INFO_ENV);
	ck_assert_ptr_eq(MPI_Win_fromint(272), MPI_WIN_NULL);
	ck_assert_ptr_eq(MPI_File_fromint(280), MPI_FILE_NULL);
	ck_assert_ptr_eq(MPI_Session_fromint(288), MPI_SESSION_NULL);
	ck_assert_ptr_eq(MPI_Message_fromint(297), MPI_MESSAGE_NO_PROC);
}
END_TEST

START_TEST(other_handles_keep_their_number)
{
	char *objects = calloc(MANY, 64);
	int *numbers = calloc(MANY, sizeof(*numbers));

	for (int i = 0; i < MANY; i++) {
		numbers[i] = MPI_Request_toint((MPI_Request)(void *)(objects + 64 * i));
		ck_assert_int_ge(numbers[i], 4096);
	}
	for (int i = 0; i < MANY; i++) {
		ck_assert_ptr_eq(MPI_Request_fromint(numbers[i]), objects + 64 * i);
		ck_assert_int_eq(
			MPI_Request_toint((MPI_Request)(void *)(objects + 64 * i)), numbers[i]);
	}
	free(objects);
	free(numbers);
}
END_TEST

START_TEST(numbers_never_given_out_are_null)
{
	ck_assert_ptr_null(MPI_Comm_fromint(-1));
	ck_assert_ptr_null(MPI_Comm_fromint(INT32_MIN));
	ck_assert_ptr_null(MPI_Comm_fromint(4096));
	ck_assert_ptr_null(MPI_Comm_fromint(INT32_MAX));
}
END_TEST

static pthread_barrier_t together;

static void *ask(void *objects)
{
	int *numbers = calloc(MANY, sizeof(*numbers));

	pthread_barrier_wait(&together);
	for (int i = 0; i < MANY; i++)
		numbers[i] = MPI_Type_toint((MPI_Datatype)(void *)((char *)objects + 64 * i));
	return numbers;
}

START_TEST(threads_agree)
{
	char *objects = calloc(MANY, 64);
	pthread_t threads[THREADS];
	int *numbers[THREADS];

	pthread_barrier_init(&together, NULL, THREADS);
	for (int t = 0; t < THREADS; t++)
		ck_assert_int_eq(pthread_create(&threads[t], NULL, ask, objects), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join(threads[t], (void **)&numbers[t]);
	for (int t = 1; t < THREADS; t++) {
		for (int i = 0; i < MANY; i++)
			ck_assert_int_eq(numbers[t][i], numbers[0][i]);
		free(numbers[t]);
	}
	free(numbers[0]);
	free(objects);
}
END_TEST

UNIT_MAIN("abi", tcase_add_test(tc, predefined_handles_are_their_number);
	  tcase_add_test(tc, other_handles_keep_their_number);
	  tcase_add_test(tc, numbers_never_given_out_are_null); tcase_add_test(tc, threads_agree);)
