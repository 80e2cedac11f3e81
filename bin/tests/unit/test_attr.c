/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: what is called, in which order, and what remains. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/handle/attr.h"
#include "mpi/comm/comm.h"
#include "mpi/handle/errtext.h"
#include "unit.h"

/* what the callbacks were asked, as "c<extra>:<value> " and "d<extra>:<value> " */
static char calls[256];
static int refuse_copy, refuse_delete; /* the value whose callback fails, 0: none */
static struct comm *made;	       /* a second communicator of this process alone */

static void note(char what, void *extra, void *value)
{
	size_t n = strlen(calls);

	snprintf(calls + n, sizeof(calls) - n, "%c%d:%d ", what, (int)(intptr_t)extra,
		(int)(intptr_t)value);
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)comm;
	(void)keyval;
	note('c', extra, in);
	*(void **)out = (char *)in + 100;
	*flag = (intptr_t)in != 7; /* seven stays behind */
	return (intptr_t)in == refuse_copy ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int del(MPI_Comm comm, int keyval, void *value, void *extra)
{
	(void)comm;
	(void)keyval;
	note('d', extra, value);
	return (intptr_t)value == refuse_delete ? 99999 : MPI_SUCCESS;
}

static void *value_of(int n)
{
	return (void *)(intptr_t)n;
}

static int key(int extra)
{
	struct attr_functions f = {ATTR_COMM, {copy}, {del}, value_of(extra)};
	int keyval = MPI_KEYVAL_INVALID;

	ck_assert_int_eq(attr_key_create(&f, &keyval), MPI_SUCCESS);
	ck_assert_int_ne(keyval, MPI_KEYVAL_INVALID);
	return keyval;
}

/* -1 when there is none */
static int got(struct comm *c, int keyval)
{
	void *value = NULL;
	bool found = true;

	ck_assert_int_eq(comm_attr_get(c, keyval, &value, &found), MPI_SUCCESS);
	return found ? (int)(intptr_t)value : -1;
}

static void expect_calls(const char *want)
{
	ck_assert_str_eq(calls, want);
	calls[0] = '\0';
}

static void begin(void)
{
	static const int node = 0, cores = 1;
	struct world_info w = {0, 1, &node, &cores, false};

	calls[0] = '\0';
	refuse_copy = refuse_delete = 0;
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

START_TEST(set_get_delete)
{
	struct comm *c = comm_world();
	int a = key(1), b = key(2);

	ck_assert_int_eq(got(c, a), -1);
	ck_assert_int_eq(attr_set(comm_attrs(c), a, value_of(5)), MPI_SUCCESS);
	ck_assert_int_eq(got(c, a), 5);
	ck_assert_int_eq(got(c, b), -1);
	ck_assert_int_eq(got(made, a), -1);
	expect_calls("");
	ck_assert_int_eq(attr_set(comm_attrs(c), a, value_of(6)), MPI_SUCCESS);
	expect_calls("d1:5 ");
	ck_assert_int_eq(got(c, a), 6);
	ck_assert_int_eq(attr_delete(comm_attrs(c), a), MPI_SUCCESS);
	expect_calls("d1:6 ");
	ck_assert_int_eq(got(c, a), -1);
	ck_assert_int_eq(attr_delete(comm_attrs(c), a), MPI_SUCCESS);
	expect_calls("");
}
END_TEST

START_TEST(refused_deletion_keeps_the_value)
{
	struct comm *c = comm_world();
	int a = key(1);

	refuse_delete = 5;
	ck_assert_int_eq(attr_set(comm_attrs(c), a, value_of(5)), MPI_SUCCESS);
	/* 99999 is no error code: it becomes one */
	ck_assert_int_eq(attr_delete(comm_attrs(c), a), MPI_ERR_OTHER);
	ck_assert_int_eq(attr_set(comm_attrs(c), a, value_of(6)), MPI_ERR_OTHER);
	ck_assert_int_eq(attr_delete_all(comm_attrs(c)), MPI_ERR_OTHER);
	ck_assert_int_eq(got(c, a), 5);
}
END_TEST

START_TEST(all_are_deleted_last_set_first)
{
	struct comm *c = comm_self();

	for (int i = 1; i <= 4; i++)
		ck_assert_int_eq(attr_set(comm_attrs(c), key(i), value_of(10 * i)), MPI_SUCCESS);
	comm_world_delete_attributes();
	expect_calls("d4:40 d3:30 d2:20 d1:10 ");
}
END_TEST

START_TEST(copies)
{
	struct attr_functions none = {
		ATTR_COMM, {MPI_COMM_NULL_COPY_FN}, {MPI_COMM_NULL_DELETE_FN}, NULL};
	struct attr_functions dup = {ATTR_COMM, {MPI_COMM_DUP_FN}, {MPI_COMM_NULL_DELETE_FN}, NULL};
	int a = key(1), seven = key(2), k_none, k_dup;

	attr_key_create(&none, &k_none);
	attr_key_create(&dup, &k_dup);
	attr_set(comm_attrs(comm_world()), a, value_of(5));
	attr_set(comm_attrs(comm_world()), k_none, value_of(6));
	attr_set(comm_attrs(comm_world()), seven, value_of(7));
	attr_set(comm_attrs(comm_world()), k_dup, value_of(8));
	ck_assert_int_eq(attr_copy_all(comm_attrs(comm_world()), comm_attrs(made)), MPI_SUCCESS);
	expect_calls("c1:5 c2:7 ");
	ck_assert_int_eq(got(made, a), 105);
	ck_assert_int_eq(got(made, k_none), -1);
	ck_assert_int_eq(got(made, seven), -1);
	ck_assert_int_eq(got(made, k_dup), 8);
	ck_assert_int_eq(got(comm_world(), a), 5);
}
END_TEST

START_TEST(refused_copy_ends_copying)
{
	for (int i = 1; i <= 3; i++)
		attr_set(comm_attrs(comm_world()), key(i), value_of(10 * i));
	refuse_copy = 20;
	ck_assert_int_eq(attr_copy_all(comm_attrs(comm_world()), comm_attrs(made)), MPI_ERR_OTHER);
	expect_calls("c1:10 c2:20 ");
	ck_assert_int_eq(attr_delete_all(comm_attrs(made)), MPI_SUCCESS);
	expect_calls("d1:110 ");
}
END_TEST

/* A freed key is unknown at once, and works for the attributes that are there until the last goes.
 */
/* MPI 5.0 section 7.7.2: it goes with the last attribute; until then these can be deleted. */
START_TEST(freed_key)
{
	int a = key(1);

	attr_set(comm_attrs(comm_world()), a, value_of(5));
	ck_assert_int_eq(attr_key_free(ATTR_COMM, a), MPI_SUCCESS);
	ck_assert_int_eq(attr_key_free(ATTR_COMM, a), MPI_SUCCESS);
	ck_assert_int_eq(attr_set(comm_attrs(made), a, value_of(6)), MPI_ERR_KEYVAL);
	ck_assert_int_eq(got(comm_world(), a), 5);
	ck_assert_int_eq(attr_copy_all(comm_attrs(comm_world()), comm_attrs(made)), MPI_SUCCESS);
	ck_assert_int_eq(attr_delete(comm_attrs(comm_world()), a), MPI_SUCCESS);
	ck_assert_int_eq(got(comm_world(), a), -1);
	ck_assert_int_eq(attr_delete_all(comm_attrs(made)), MPI_SUCCESS);
	expect_calls("c1:5 d1:5 d1:105 ");
	ck_assert_int_eq(attr_key_free(ATTR_COMM, a), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_delete(comm_attrs(made), a), MPI_ERR_KEYVAL);
	ck_assert_int_ne(key(2), a);
}
END_TEST

static int other_key;

/* deletes another attribute, and sets a new one, of the communicator that is being emptied */
static int meddle(MPI_Comm comm, int keyval, void *value, void *extra)
{
	(void)comm;
	(void)keyval;
	note('d', extra, value);
	ck_assert_int_eq(attr_delete(comm_attrs(comm_self()), other_key), MPI_SUCCESS);
	ck_assert_int_eq(attr_set(comm_attrs(comm_self()), key(3), value_of(30)), MPI_SUCCESS);
	return MPI_SUCCESS;
}

START_TEST(callbacks_may_change_the_list)
{
	struct attr_functions f = {ATTR_COMM, {MPI_COMM_NULL_COPY_FN}, {meddle}, value_of(9)};
	int k;

	other_key = key(1);
	attr_key_create(&f, &k);
	attr_set(comm_attrs(comm_self()), other_key, value_of(10));
	attr_set(comm_attrs(comm_self()), k, value_of(90));
	comm_world_delete_attributes();
	expect_calls("d9:90 d1:10 d3:30 ");
}
END_TEST

/* deletes the very attribute it is called for, once */
static int delete_again(MPI_Comm comm, int keyval, void *value, void *extra)
{
	static bool inside;

	(void)comm;
	note('d', extra, value);
	if (!inside) {
		inside = true;
		ck_assert_int_eq(attr_delete(comm_attrs(comm_world()), keyval), MPI_SUCCESS);
		inside = false;
	}
	return MPI_SUCCESS;
}

START_TEST(callback_may_delete_its_own)
{
	struct attr_functions f = {ATTR_COMM, {MPI_COMM_NULL_COPY_FN}, {delete_again}, value_of(1)};
	int k;

	attr_key_create(&f, &k);
	attr_set(comm_attrs(comm_world()), k, value_of(10));
	ck_assert_int_eq(attr_delete(comm_attrs(comm_world()), k), MPI_SUCCESS);
	expect_calls("d1:10 d1:10 ");
	ck_assert_int_eq(got(comm_world(), k), -1);
}
END_TEST

static int predefined(int keyval)
{
	void *value = NULL;
	bool found = false;

	ck_assert_int_eq(comm_attr_get(made, keyval, &value, &found), MPI_SUCCESS);
	ck_assert(found);
	return *(int *)value;
}

START_TEST(predefined_attributes)
{
	int code = 0;

	ck_assert_int_eq(predefined(MPI_TAG_UB), INT_MAX);
	ck_assert_int_eq(predefined(MPI_HOST), MPI_PROC_NULL);
	ck_assert_int_eq(predefined(MPI_IO), MPI_ANY_SOURCE);
	ck_assert_int_eq(predefined(MPI_WTIME_IS_GLOBAL), 0);
	ck_assert_int_eq(predefined(MPI_APPNUM), 0);
	ck_assert_int_eq(predefined(MPI_UNIVERSE_SIZE), 1);
	ck_assert_int_eq(predefined(MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
	ck_assert_int_eq(errtext_add_class(&code), MPI_SUCCESS);
	ck_assert_int_eq(predefined(MPI_LASTUSEDCODE), code);
}
END_TEST

START_TEST(wrong_keys)
{
	static const int wrong[] = {MPI_KEYVAL_INVALID, -1, MPI_WIN_BASE, 123456};
	void *value = NULL;
	bool found = false;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ck_assert_int_eq(attr_set(comm_attrs(made), wrong[i], NULL), MPI_ERR_KEYVAL);
		ck_assert_int_eq(comm_attr_get(made, wrong[i], &value, &found), MPI_ERR_KEYVAL);
		ck_assert_int_eq(attr_key_free(ATTR_COMM, wrong[i]), MPI_ERR_KEYVAL);
	}
	ck_assert_int_eq(attr_set(comm_attrs(made), MPI_TAG_UB, NULL), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_delete(comm_attrs(made), MPI_TAG_UB), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_key_free(ATTR_COMM, MPI_TAG_UB), MPI_ERR_KEYVAL);
}
END_TEST

/* An object of any kind has attributes, under keys of its kind only. */
START_TEST(kinds)
{
	struct attr_functions f = {.kind = ATTR_WIN, .copy.win = MPI_WIN_DUP_FN};
	struct attr_list *list = NULL, *copied = NULL;
	struct attr_holder win = {ATTR_WIN, &list, &list}, copy = {ATTR_WIN, &copied, &copied};
	struct attr_holder type = {ATTR_TYPE, &list, &list};
	void *value = NULL;
	bool found = false;
	int k = MPI_KEYVAL_INVALID;

	attr_key_create(&f, &k);
	ck_assert_int_eq(attr_set(comm_attrs(made), k, NULL), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_set(type, k, NULL), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_key_free(ATTR_TYPE, k), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_set(win, key(1), NULL), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_get(win, MPI_TAG_UB, &value, &found), MPI_ERR_KEYVAL);
	ck_assert_int_eq(attr_set(win, k, value_of(5)), MPI_SUCCESS);
	ck_assert_int_eq(attr_copy_all(win, copy), MPI_SUCCESS);
	ck_assert_int_eq(attr_get(copy, k, &value, &found), MPI_SUCCESS);
	ck_assert(found && value == value_of(5));
	ck_assert_int_eq(attr_key_free(ATTR_WIN, k), MPI_SUCCESS);
	ck_assert_int_eq(attr_delete_all(win), MPI_SUCCESS);
	attr_forget_all(&list);
	attr_forget_all(&copied);
}
END_TEST

START_TEST(after_the_world_a_new_one)
{
	int a = key(1);

	attr_set(comm_attrs(comm_world()), a, value_of(5));
	attr_set(comm_attrs(made), a, value_of(6));
	comm_world_free();
	expect_calls("");
	begin();
	ck_assert_int_eq(attr_delete(comm_attrs(comm_world()), a), MPI_ERR_KEYVAL);
	a = key(2);
	ck_assert_int_eq(got(comm_world(), a), -1);
}
END_TEST

UNIT_MAIN("attr", tcase_add_checked_fixture(tc, begin, end); tcase_add_test(tc, set_get_delete);
	  tcase_add_test(tc, refused_deletion_keeps_the_value);
	  tcase_add_test(tc, all_are_deleted_last_set_first); tcase_add_test(tc, copies);
	  tcase_add_test(tc, refused_copy_ends_copying); tcase_add_test(tc, freed_key);
	  tcase_add_test(tc, callbacks_may_change_the_list);
	  tcase_add_test(tc, callback_may_delete_its_own);
	  tcase_add_test(tc, predefined_attributes); tcase_add_test(tc, wrong_keys);
	  tcase_add_test(tc, kinds); tcase_add_test(tc, after_the_world_a_new_one);)
