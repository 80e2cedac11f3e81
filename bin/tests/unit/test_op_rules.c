/* SPDX-License-Identifier: BSD-3-Clause */
/* Which operators take which datatypes, the program's own operators, and what is refused. */
#include <stdint.h>

#include "type_check.h"

extern int fake_unlocks;

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const MPI_Datatype c_integer[] = {MPI_INT, MPI_LONG, MPI_SHORT, MPI_UNSIGNED_SHORT,
	MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_SIGNED_CHAR,
	MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT64_T, MPI_UINT32_T, MPI_CHAR};
static const MPI_Datatype fortran_integer[] = {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER16};
static const MPI_Datatype floating[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL8};
static const MPI_Datatype logical[] = {MPI_LOGICAL, MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL16};
static const MPI_Datatype complexes[] = {MPI_C_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_COMPLEX};
static const MPI_Datatype byte[] = {MPI_BYTE};
static const MPI_Datatype multi[] = {MPI_AINT, MPI_OFFSET, MPI_COUNT};
static const MPI_Datatype pairs[] = {MPI_2INT, MPI_LONG_DOUBLE_INT, MPI_2REAL};
static const MPI_Datatype others[] = {MPI_WCHAR, MPI_CHARACTER, MPI_PACKED};

/* The table of MPI 5.0 section 6.9.2, a column for each class in the order above; and what goes
 * beyond it (op.c). */
static const struct {
	MPI_Op op;
	const char *allowed;
} rules[] = {
	{MPI_MAX, "yyynnnynn"},
	{MPI_MIN, "yyynnnynn"},
	{MPI_SUM, "yyynynynn"},
	{MPI_PROD, "yyynynynn"},
	{MPI_LAND, "ynnynnynn"},
	{MPI_LOR, "ynnynnynn"},
	{MPI_LXOR, "ynnynnynn"},
	{MPI_BAND, "yynnnyynn"},
	{MPI_BOR, "yynnnyynn"},
	{MPI_BXOR, "yynnnyynn"},
	{MPI_MINLOC, "nnnnnnnyn"},
	{MPI_MAXLOC, "nnnnnnnyn"},
	{MPI_REPLACE, "nnnnnnnnn"},
	{MPI_NO_OP, "nnnnnnnnn"},
};

START_TEST(operators_take_the_types_of_the_standard)
{
	const struct {
		const MPI_Datatype *types;
		int n;
	} classes[] = {{c_integer, COUNT(c_integer)}, {fortran_integer, COUNT(fortran_integer)},
		{floating, COUNT(floating)}, {logical, COUNT(logical)},
		{complexes, COUNT(complexes)}, {byte, COUNT(byte)}, {multi, COUNT(multi)},
		{pairs, COUNT(pairs)}, {others, COUNT(others)}};
	long double in[8] = {0}, inout[8] = {0};

	for (int r = 0; r < COUNT(rules); r++) {
		for (int c = 0; c < COUNT(classes); c++) {
			int want = rules[r].allowed[c] == 'y' ? MPI_SUCCESS : MPI_ERR_OP;

			for (int i = 0; i < classes[c].n; i++) {
				int got = MPI_Reduce_local(
					in, inout, 1, classes[c].types[i], rules[r].op);

				ck_assert_msg(got == want, "rule %d class %d type %d: %d, not %d",
					r, c, i, got, want);
			}
		}
	}
}
END_TEST

START_TEST(wrong_arguments_get_their_class)
{
	int a = 0, b = 0;
	MPI_Op op = MPI_OP_NULL, sum = MPI_SUM;
	MPI_Datatype t;

	must(MPI_Type_contiguous(1, MPI_INT, &t));
	ck_assert_int_eq(MPI_Reduce_local(&a, &b, 1, t, MPI_SUM), MPI_ERR_TYPE);
	must(MPI_Type_commit(&t));
	ck_assert_int_eq(MPI_Reduce_local(&a, &b, 1, t, MPI_SUM), MPI_ERR_OP);
	must(MPI_Type_free(&t));
	ck_assert_int_eq(MPI_Reduce_local(&a, &b, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
	ck_assert_int_eq(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
	ck_assert_int_eq(MPI_Reduce_local(&a, &b, 1, MPI_INT, (MPI_Op)0x25), MPI_ERR_OP);
	ck_assert_int_eq(MPI_Reduce_local(&a, &b, 1, MPI_INT, (MPI_Op)MPI_INT), MPI_ERR_OP);
	ck_assert_int_eq(MPI_Reduce_local(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
	ck_assert_int_eq(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Op_free(&sum), MPI_ERR_OP);
	ck_assert_int_eq(MPI_Op_free(&op), MPI_ERR_OP);
	ck_assert_int_eq(MPI_Op_free(NULL), MPI_ERR_ARG);
	must(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, MPI_SUM));
	ck_assert_int_eq(MPI_Reduce_local(NULL, &b, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
	ck_assert_int_eq(MPI_Reduce_local(&a, NULL, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
	ck_assert_int_eq(MPI_Reduce_local(&a, &a, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
	ck_assert_int_eq(
		MPI_Reduce_local_c(&a, &b, (MPI_Count)1 << 62, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
}
END_TEST

/* 2x2 matrices: associative, not commutative. */
struct matrix {
	int a, b, c, d;
};

static MPI_Datatype matrix_type;

static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
	struct matrix *x = in, *y = inout;

	ck_assert_ptr_eq(*type, matrix_type);
	for (int i = 0; i < *len; i++) {
		struct matrix z = {x[i].a * y[i].a + x[i].b * y[i].c,
			x[i].a * y[i].b + x[i].b * y[i].d, x[i].c * y[i].a + x[i].d * y[i].c,
			x[i].c * y[i].b + x[i].d * y[i].d};

		y[i] = z;
	}
}

static void count_large(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
	(void)in;
	(void)type;
	*(MPI_Count *)inout += *len;
}

START_TEST(user_operators)
{
	struct matrix x[2] = {{1, 2, 3, 4}, {1, 1, 0, 1}}, y[2] = {{0, 1, 1, 0}, {1, 0, 1, 1}};
	MPI_Op op, large, gone;
	MPI_Count n = 0;
	int commute = -1;

	must(MPI_Type_contiguous(4, MPI_INT, &matrix_type));
	must(MPI_Type_commit(&matrix_type));
	must(MPI_Op_create(multiply, 0, &op));
	must(MPI_Op_commutative(op, &commute));
	ck_assert_int_eq(commute, 0);
	must(MPI_Op_commutative(MPI_SUM, &commute));
	ck_assert_int_eq(commute, 1);
	must(MPI_Reduce_local(x, y, 2, matrix_type, op));
	ck_assert(y[0].a == 2 && y[0].b == 1 && y[0].c == 4 && y[0].d == 3);
	ck_assert(y[1].a == 2 && y[1].b == 1 && y[1].c == 1 && y[1].d == 1);
	ck_assert_int_eq(fake_unlocks, 1);
	must(MPI_Op_create_c(count_large, 1, &large));
	must(MPI_Reduce_local_c(x, &n, 5, MPI_COUNT, large));
	ck_assert_int_eq(n, 5);
	gone = op;
	must(MPI_Op_free(&op));
	must(MPI_Op_free(&large));
	ck_assert_ptr_eq(op, MPI_OP_NULL);
	ck_assert_int_eq(MPI_Op_free(&gone), MPI_ERR_OP);
	must(MPI_Type_free(&matrix_type));
}
END_TEST

static MPI_Op self;

static void frees_itself(void *in, void *inout, int *len, MPI_Datatype *type)
{
	(void)in;
	(void)len;
	(void)type;
	must(MPI_Op_free(&self));
	*(int *)inout = 1;
}

START_TEST(an_operator_may_be_freed_while_it_runs)
{
	int a = 0, b = 0;

	must(MPI_Op_create(frees_itself, 1, &self));
	must(MPI_Reduce_local(&a, &b, 1, MPI_INT, self));
	ck_assert_int_eq(b, 1);
	ck_assert_ptr_eq(self, MPI_OP_NULL);
}
END_TEST

UNIT_MAIN("op_rules", tcase_add_test(tc, operators_take_the_types_of_the_standard);
	  tcase_add_test(tc, wrong_arguments_get_their_class); tcase_add_test(tc, user_operators);
	  tcase_add_test(tc, an_operator_may_be_freed_while_it_runs);)
