/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI_Type_get_envelope and MPI_Type_get_contents say of every constructor, and how long types
 * live that others were made of. */
#include <string.h>

#include "mpi/handle/handle_table.h"
#include "type_check.h"

enum { ROOM = 40 };

/* What a type says of itself; room for more than any here has. */
struct said {
	MPI_Count nints, naddresses, nlarge, ntypes;
	int combiner;
	int ints[ROOM];
	MPI_Aint addresses[ROOM];
	MPI_Count large[ROOM];
	MPI_Datatype types[ROOM];
};

static struct said ask(MPI_Datatype t)
{
	struct said s = {0};

	must(MPI_Type_get_envelope_c(
		t, &s.nints, &s.naddresses, &s.nlarge, &s.ntypes, &s.combiner));
	if (s.combiner != MPI_COMBINER_NAMED)
		must(MPI_Type_get_contents_c(
			t, ROOM, ROOM, ROOM, ROOM, s.ints, s.addresses, s.large, s.types));
	return s;
}

/* The functions without _c say the same. */
static void same_without_c(MPI_Datatype t, const struct said *s)
{
	int nints = -1, naddresses = -1, ntypes = -1, combiner = -1, ints[ROOM];
	MPI_Aint addresses[ROOM];
	MPI_Datatype types[ROOM];

	must(MPI_Type_get_envelope(t, &nints, &naddresses, &ntypes, &combiner));
	ck_assert(nints == s->nints && naddresses == s->naddresses && ntypes == s->ntypes);
	ck_assert_int_eq(combiner, s->combiner);
	must(MPI_Type_get_contents(t, nints, naddresses, ntypes, ints, addresses, types));
	ck_assert_mem_eq(ints, s->ints, (size_t)nints * sizeof(int));
	ck_assert_mem_eq(addresses, s->addresses, (size_t)naddresses * sizeof(MPI_Aint));
	for (int i = 0; i < ntypes; i++)
		if ((uintptr_t)types[i] >= 4096)
			must(MPI_Type_free(&types[i]));
}

struct expected {
	int combiner;
	int nints, naddresses, nlarge;
	MPI_Count numbers[ROOM]; /* the ints, the addresses, the large counts */
};

/* Frees t. It was made of MPI_INT. */
static void expect(MPI_Datatype t, const struct expected *e)
{
	struct said s = ask(t);
	const MPI_Count *n = e->numbers;

	ck_assert_int_eq(s.combiner, e->combiner);
	ck_assert(s.nints == e->nints && s.naddresses == e->naddresses && s.nlarge == e->nlarge);
	for (int i = 0; i < e->nints; i++)
		ck_assert_msg(s.ints[i] == *n++, "combiner %d: ints[%d] is %d", e->combiner, i,
			s.ints[i]);
	for (int i = 0; i < e->naddresses; i++)
		ck_assert_int_eq(s.addresses[i], *n++);
	for (int i = 0; i < e->nlarge; i++)
		ck_assert_int_eq(s.large[i], *n++);
	for (int i = 0; i < s.ntypes; i++)
		ck_assert_ptr_eq(s.types[i], MPI_INT);
	if (e->nlarge == 0)
		same_without_c(t, &s);
	must(MPI_Type_free(&t));
}

#define EXPECT(...) expect(t, &(struct expected){__VA_ARGS__})

START_TEST(every_constructor)
{
	int two[] = {2, 1}, at[] = {0, 5}, sizes[] = {4, 6}, subsizes[] = {2, 3}, starts[] = {1, 2};
	int ways[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[] = {2, 3};
	int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
	MPI_Aint bytes[] = {0, 40};
	MPI_Datatype ints[] = {MPI_INT, MPI_INT}, t;

	must(MPI_Type_dup(MPI_INT, &t));
	EXPECT(MPI_COMBINER_DUP, 0, 0, 0, {0});
	must(MPI_Type_contiguous(3, MPI_INT, &t));
	EXPECT(MPI_COMBINER_CONTIGUOUS, 1, 0, 0, {3});
	must(MPI_Type_vector(3, 2, -4, MPI_INT, &t));
	EXPECT(MPI_COMBINER_VECTOR, 3, 0, 0, {3, 2, -4});
	must(MPI_Type_create_hvector(3, 2, -7, MPI_INT, &t));
	EXPECT(MPI_COMBINER_HVECTOR, 2, 1, 0, {3, 2, -7});
	must(MPI_Type_indexed(2, two, at, MPI_INT, &t));
	EXPECT(MPI_COMBINER_INDEXED, 5, 0, 0, {2, 2, 1, 0, 5});
	must(MPI_Type_create_hindexed(2, two, bytes, MPI_INT, &t));
	EXPECT(MPI_COMBINER_HINDEXED, 3, 2, 0, {2, 2, 1, 0, 40});
	must(MPI_Type_create_indexed_block(2, 3, at, MPI_INT, &t));
	EXPECT(MPI_COMBINER_INDEXED_BLOCK, 4, 0, 0, {2, 3, 0, 5});
	must(MPI_Type_create_hindexed_block(2, 3, bytes, MPI_INT, &t));
	EXPECT(MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 0, {2, 3, 0, 40});
	must(MPI_Type_create_struct(2, two, bytes, ints, &t));
	EXPECT(MPI_COMBINER_STRUCT, 3, 2, 0, {2, 2, 1, 0, 40});
	must(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t));
	EXPECT(MPI_COMBINER_SUBARRAY, 8, 0, 0, {2, 4, 6, 2, 3, 1, 2, MPI_ORDER_C});
	must(MPI_Type_create_darray(
		6, 4, 2, sizes, ways, dargs, grid, MPI_ORDER_FORTRAN, MPI_INT, &t));
	EXPECT(MPI_COMBINER_DARRAY, 12, 0, 0,
		{6, 4, 2, 4, 6, ways[0], ways[1], dargs[0], dargs[1], 2, 3, MPI_ORDER_FORTRAN});
	must(MPI_Type_create_resized(MPI_INT, -4, 12, &t));
	EXPECT(MPI_COMBINER_RESIZED, 0, 2, 0, {-4, 12});
}
END_TEST

START_TEST(every_large_constructor)
{
	MPI_Count two[] = {2, 1}, at[] = {0, 5}, sizes[] = {4, 6}, subsizes[] = {2, 3};
	MPI_Count starts[] = {1, 2};
	int ways[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}, grid[] = {1, 3};
	int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
	MPI_Datatype ints[] = {MPI_INT, MPI_INT}, t;

	must(MPI_Type_contiguous_c(3, MPI_INT, &t));
	EXPECT(MPI_COMBINER_CONTIGUOUS, 0, 0, 1, {3});
	must(MPI_Type_vector_c(3, 2, -4, MPI_INT, &t));
	EXPECT(MPI_COMBINER_VECTOR, 0, 0, 3, {3, 2, -4});
	must(MPI_Type_create_hvector_c(3, 2, -7, MPI_INT, &t));
	EXPECT(MPI_COMBINER_HVECTOR, 0, 0, 3, {3, 2, -7});
	must(MPI_Type_indexed_c(2, two, at, MPI_INT, &t));
	EXPECT(MPI_COMBINER_INDEXED, 0, 0, 5, {2, 2, 1, 0, 5});
	must(MPI_Type_create_hindexed_c(2, two, at, MPI_INT, &t));
	EXPECT(MPI_COMBINER_HINDEXED, 0, 0, 5, {2, 2, 1, 0, 5});
	must(MPI_Type_create_indexed_block_c(2, 3, at, MPI_INT, &t));
	EXPECT(MPI_COMBINER_INDEXED_BLOCK, 0, 0, 4, {2, 3, 0, 5});
	must(MPI_Type_create_hindexed_block_c(2, 3, at, MPI_INT, &t));
	EXPECT(MPI_COMBINER_HINDEXED_BLOCK, 0, 0, 4, {2, 3, 0, 5});
	must(MPI_Type_create_struct_c(2, two, at, ints, &t));
	EXPECT(MPI_COMBINER_STRUCT, 0, 0, 5, {2, 2, 1, 0, 5});
	must(MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t));
	EXPECT(MPI_COMBINER_SUBARRAY, 2, 0, 6, {2, MPI_ORDER_C, 4, 6, 2, 3, 1, 2});
	must(MPI_Type_create_darray_c(3, 2, 2, sizes, ways, dargs, grid, MPI_ORDER_C, MPI_INT, &t));
	EXPECT(MPI_COMBINER_DARRAY, 10, 0, 2,
		{3, 2, 2, ways[0], ways[1], dargs[0], dargs[1], 1, 3, MPI_ORDER_C, 4, 6});
	must(MPI_Type_create_resized_c(MPI_INT, -4, 12, &t));
	EXPECT(MPI_COMBINER_RESIZED, 0, 0, 2, {-4, 12});
}
END_TEST

START_TEST(large_counts_need_the_large_functions)
{
	int n, combiner;
	MPI_Datatype t, types[1];

	must(MPI_Type_contiguous_c(3, MPI_INT, &t));
	ck_assert_int_eq(MPI_Type_get_envelope(t, &n, &n, &n, &combiner), MPI_ERR_TYPE);
	ck_assert_int_eq(MPI_Type_get_contents(t, 0, 0, 1, NULL, NULL, types), MPI_ERR_TYPE);
	must(MPI_Type_free(&t));
}
END_TEST

START_TEST(predefined_types_were_not_made)
{
	struct said s = ask(MPI_DOUBLE_INT);
	int none[1];

	ck_assert_int_eq(s.combiner, MPI_COMBINER_NAMED);
	ck_assert(s.nints == 0 && s.naddresses == 0 && s.nlarge == 0 && s.ntypes == 0);
	ck_assert_int_eq(MPI_Type_get_contents(MPI_INT, 0, 0, 0, none, NULL, NULL), MPI_ERR_TYPE);
}
END_TEST

/* What comes back is equal to what was given, is the program's to free, and lives without it. */
START_TEST(inner_types_come_back)
{
	int lens[] = {1, 2};
	MPI_Aint at[] = {0, 64}, lb, extent;
	MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_CHAR}, outer;
	struct said s, inner;

	must(MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &types[0]));
	must(MPI_Type_create_struct(2, lens, at, types, &outer));
	must(MPI_Type_free(&types[0]));
	s = ask(outer);
	ck_assert_ptr_eq(s.types[1], MPI_CHAR);
	must(MPI_Type_free(&outer));
	must(MPI_Type_get_extent(s.types[0], &lb, &extent));
	ck_assert_int_eq(extent, 80);
	inner = ask(s.types[0]);
	ck_assert_int_eq(inner.combiner, MPI_COMBINER_VECTOR);
	ck_assert(inner.ints[0] == 3 && inner.ints[1] == 2 && inner.ints[2] == 4);
	must(MPI_Type_free(&s.types[0]));
	ck_assert_ptr_null(handle_table_any(OBJECT_TYPE));
}
END_TEST

/* Freeing what came back takes nothing away from who still has the type. */
START_TEST(what_comes_back_is_another_reference)
{
	MPI_Datatype inner, outer;
	struct said s;
	int size = 0;

	must(MPI_Type_contiguous(2, MPI_INT, &inner));
	must(MPI_Type_contiguous(2, inner, &outer));
	s = ask(outer);
	must(MPI_Type_free(&s.types[0]));
	must(MPI_Type_size(inner, &size));
	ck_assert_int_eq(size, 8);
	s = ask(outer);
	must(MPI_Type_free(&s.types[0]));
	must(MPI_Type_free(&inner));
	must(MPI_Type_free(&outer));
	ck_assert_ptr_null(handle_table_any(OBJECT_TYPE));
}
END_TEST

START_TEST(too_little_room)
{
	int ints[3];
	MPI_Count n;
	MPI_Datatype t, types[1];

	must(MPI_Type_vector(3, 2, 4, MPI_INT, &t));
	ck_assert_int_eq(MPI_Type_get_contents(t, 2, 0, 1, ints, NULL, types), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_contents(t, 3, 0, 0, ints, NULL, types), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_contents(t, -1, 0, 1, ints, NULL, types), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_contents(t, 3, 0, 1, NULL, NULL, types), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_contents(t, 3, 0, 1, ints, NULL, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_envelope(t, NULL, NULL, NULL, NULL), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_get_envelope_c(t, &n, &n, &n, &n, NULL), MPI_ERR_ARG);
	must(MPI_Type_get_contents(t, 3, 0, 1, ints, NULL, types));
	must(MPI_Type_free(&t));
}
END_TEST

/* Each holds the one before. */
START_TEST(a_long_chain_is_freed_without_a_long_stack)
{
	enum { LONG = 200000 };
	MPI_Datatype t, next;
	int lens[] = {1, 1};
	MPI_Aint at[] = {0, 0};

	must(MPI_Type_dup(MPI_INT, &t));
	for (int i = 0; i < LONG; i++) {
		if (i % 1000 == 0) {
			MPI_Datatype types[] = {t, MPI_CHAR};

			at[1] += 8;
			must(MPI_Type_create_struct(2, lens, at, types, &next));
		} else {
			must(MPI_Type_dup(t, &next));
		}
		must(MPI_Type_free(&t));
		t = next;
	}
	{
		MPI_Status status = {0};
		int n = 0;

		must(MPI_Status_set_elements(&status, t, LONG / 1000));
		must(MPI_Get_elements(&status, t, &n));
		ck_assert_int_eq(n, LONG / 1000);
	}
	must(MPI_Type_free(&t));
	ck_assert_ptr_null(handle_table_any(OBJECT_TYPE));
}
END_TEST

START_TEST(types_for_fortran_kinds)
{
	MPI_Datatype a, b, c;
	struct said s;
	int size = 0;

	must(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &a));
	must(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &b));
	must(MPI_Type_create_f90_real(6, 30, &c));
	ck_assert_ptr_eq(a, b);
	ck_assert_ptr_ne(a, c);
	must(MPI_Type_size(a, &size));
	ck_assert_int_eq(size, 4);
	s = ask(a);
	ck_assert_int_eq(s.combiner, MPI_COMBINER_F90_REAL);
	ck_assert(s.nints == 2 && s.ints[0] == 6 && s.ints[1] == MPI_UNDEFINED && s.ntypes == 0);
	same_without_c(a, &s);
	ck_assert_int_eq(MPI_Type_free(&a), MPI_ERR_TYPE);
	must(MPI_Type_contiguous(2, a, &b));
	s = ask(b);
	ck_assert_ptr_eq(s.types[0], a);
	must(MPI_Type_create_f90_complex(15, 300, &a));
	must(MPI_Type_size(a, &size));
	ck_assert_int_eq(size, 16);
	ck_assert_int_eq(ask(a).combiner, MPI_COMBINER_F90_COMPLEX);
	must(MPI_Type_create_f90_integer(9, &a));
	must(MPI_Type_size(a, &size));
	ck_assert_int_eq(size, 4);
	s = ask(a);
	ck_assert(s.combiner == MPI_COMBINER_F90_INTEGER && s.nints == 1 && s.ints[0] == 9);
	must(MPI_Type_create_f90_integer(10, &a));
	must(MPI_Type_size(a, &size));
	ck_assert_int_eq(size, 8);
	ck_assert_int_eq(MPI_Type_create_f90_integer(39, &a), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_f90_real(19, 1, &a), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_f90_complex(1, 5000, &a), MPI_ERR_ARG);
	ck_assert_int_eq(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &a), MPI_ERR_ARG);
	type_fini();
	ck_assert_ptr_null(handle_table_any(OBJECT_TYPE));
}
END_TEST

UNIT_MAIN("type_contents", tcase_add_test(tc, every_constructor);
	  tcase_add_test(tc, every_large_constructor);
	  tcase_add_test(tc, large_counts_need_the_large_functions);
	  tcase_add_test(tc, predefined_types_were_not_made);
	  tcase_add_test(tc, inner_types_come_back);
	  tcase_add_test(tc, what_comes_back_is_another_reference);
	  tcase_add_test(tc, too_little_room);
	  tcase_add_test(tc, a_long_chain_is_freed_without_a_long_stack);
	  tcase_add_test(tc, types_for_fortran_kinds);)
