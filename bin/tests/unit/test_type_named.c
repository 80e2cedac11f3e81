/* SPDX-License-Identifier: BSD-3-Clause */
/* What a datatype has beside its layout, names and attributes; and the ones found by their size or
 * their parts. */
#include <string.h>

#include "mpi/handle/handle_table.h"
#include "type_check.h"

START_TEST(sizes_and_pairs)
{
	MPI_Datatype t;

	must(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t));
	ck_assert_ptr_eq(t, MPI_REAL8);
	must(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &t));
	ck_assert_ptr_eq(t, MPI_INTEGER2);
	must(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &t));
	ck_assert_ptr_eq(t, MPI_COMPLEX8);
	ck_assert_int_eq(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_match_size(7, 4, &t), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, NULL), MPI_ERR_ARG);
	must(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &t));
	ck_assert_ptr_eq(t, MPI_DOUBLE_INT);
	must(MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &t));
	ck_assert_ptr_eq(t, MPI_DATATYPE_NULL);
	ck_assert_int_eq(MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &t), MPI_ERR_TYPE);
}
END_TEST

static const char *name_of(MPI_Datatype t)
{
	static char name[MPI_MAX_OBJECT_NAME];
	int len = -1;

	memset(name, 'x', sizeof(name));
	must(MPI_Type_get_name(t, name, &len));
	ck_assert_int_eq(len, strlen(name));
	return name;
}

START_TEST(names)
{
	char longer[2 * MPI_MAX_OBJECT_NAME], *name = longer;
	MPI_Datatype t, copy;
	int len;

	ck_assert_str_eq(name_of(MPI_UNSIGNED_LONG_LONG), "MPI_UNSIGNED_LONG_LONG");
	ck_assert_str_eq(name_of(MPI_REAL16), "MPI_REAL16");
	ck_assert_str_eq(name_of(MPI_2DOUBLE_PRECISION), "MPI_2DOUBLE_PRECISION");
	ck_assert_str_eq(name_of(MPI_DATATYPE_NULL), "MPI_DATATYPE_NULL");
	must(MPI_Type_contiguous(2, MPI_INT, &t));
	ck_assert_str_eq(name_of(t), "");
	must(MPI_Type_set_name(t, "pair"));
	ck_assert_str_eq(name_of(t), "pair");
	must(MPI_Type_dup(t, &copy));
	ck_assert_str_eq(name_of(copy), "");
	must(MPI_Type_set_name(MPI_INT, "whole"));
	ck_assert_str_eq(name_of(MPI_INT), "whole");
	memset(longer, 'n', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	must(MPI_Type_set_name(copy, longer));
	ck_assert_int_eq(strlen(name_of(copy)), MPI_MAX_OBJECT_NAME - 1);
	ck_assert_int_eq(MPI_Type_set_name(MPI_DATATYPE_NULL, "x"), MPI_ERR_TYPE);
	ck_assert_int_eq(MPI_Type_set_name(t, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_name(t, NULL, &len), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_name(t, name, NULL), MPI_ERR_ARG);
	must(MPI_Type_free(&t));
	must(MPI_Type_free(&copy));
	type_fini();
	ck_assert_str_eq(name_of(MPI_INT), "MPI_INT");
}
END_TEST

static int copies, deletions;

static int copy(MPI_Datatype t, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)t;
	(void)keyval;
	copies++;
	*(void **)out = (char *)in + 1;
	*flag = extra == NULL;
	return in == &copies ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int del(MPI_Datatype t, int keyval, void *value, void *extra)
{
	(void)t;
	(void)keyval;
	(void)extra;
	deletions++;
	return value == &deletions ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* The value, NULL when there is none. */
static void *got(MPI_Datatype t, int keyval)
{
	void *value = NULL;
	int flag = -1;

	must(MPI_Type_get_attr(t, keyval, &value, &flag));
	return flag ? value : NULL;
}

START_TEST(attributes)
{
	char here[4];
	MPI_Datatype t, u = MPI_DATATYPE_NULL;
	int k = MPI_KEYVAL_INVALID, stays, was;

	must(MPI_Type_create_keyval(copy, del, &k, NULL));
	must(MPI_Type_create_keyval(copy, del, &stays, here));
	must(MPI_Type_contiguous(2, MPI_INT, &t));
	ck_assert_ptr_null(got(t, k));
	must(MPI_Type_set_attr(t, k, here));
	must(MPI_Type_set_attr(t, stays, here));
	ck_assert_ptr_eq(got(t, k), here);
	must(MPI_Type_dup(t, &u));
	ck_assert_ptr_eq(got(u, k), here + 1);
	ck_assert_ptr_null(got(u, stays));
	ck_assert_int_eq(copies, 2);
	must(MPI_Type_delete_attr(u, k));
	ck_assert_int_eq(deletions, 1);
	must(MPI_Type_free(&u));
	ck_assert_int_eq(deletions, 1);
	/* a copy that is refused: no type */
	must(MPI_Type_set_attr(t, k, &copies));
	u = t;
	ck_assert_int_eq(MPI_Type_dup(t, &u), MPI_ERR_OTHER);
	ck_assert_ptr_eq(u, MPI_DATATYPE_NULL);
	/* a deletion that is refused: the type stays */
	must(MPI_Type_set_attr(t, k, &deletions));
	u = t;
	ck_assert_int_eq(MPI_Type_free(&t), MPI_ERR_OTHER);
	ck_assert_ptr_eq(t, u);
	ck_assert_ptr_eq(got(t, k), &deletions);
	was = k;
	must(MPI_Type_free_keyval(&k));
	ck_assert_int_eq(k, MPI_KEYVAL_INVALID);
	ck_assert_int_eq(MPI_Type_set_attr(t, was, here), MPI_ERR_KEYVAL);
	must(MPI_Type_set_attr(MPI_INT, stays, here));
	ck_assert_ptr_eq(got(MPI_INT, stays), here);
	type_fini();
	ck_assert_ptr_null(handle_table_any(OBJECT_TYPE));
	ck_assert_ptr_null(got(MPI_INT, stays));
	attr_key_fini();
}
END_TEST

UNIT_MAIN("type_named", tcase_add_test(tc, sizes_and_pairs); tcase_add_test(tc, names);
	  tcase_add_test(tc, attributes);)
