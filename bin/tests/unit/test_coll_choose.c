/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of algorithms: never one that would give a wrong answer, and what performance rests
 * on. */
#include "unit.h"

#include "mpi/coll/coll_choose.h"

#define IS(algo) (1u << (algo))

/* What is written for each kind of operation (coll_*.c) */
static const unsigned written[COLL_KINDS] = {
	[COLL_BARRIER] = IS(ALGO_TREE) | IS(ALGO_LEADERS) | IS(ALGO_STAR) |
			 IS(ALGO_DISSEMINATION),
	[COLL_BCAST] = IS(ALGO_TREE) | IS(ALGO_STAR) | IS(ALGO_CHAIN) | IS(ALGO_SCATTER),
	[COLL_GATHER] = IS(ALGO_TREE) | IS(ALGO_LINEAR),
	[COLL_SCATTER] = IS(ALGO_TREE) | IS(ALGO_LINEAR),
	[COLL_ALLGATHER] = IS(ALGO_TREE) | IS(ALGO_LEADERS) | IS(ALGO_STAR) | IS(ALGO_DOUBLING) |
			   IS(ALGO_BRUCK) | IS(ALGO_RING),
	[COLL_ALLGATHERV] = IS(ALGO_TREE) | IS(ALGO_RING),
	[COLL_ALLTOALL] = IS(ALGO_TREE) | IS(ALGO_LEADERS) | IS(ALGO_BRUCK) | IS(ALGO_WINDOW) |
			  IS(ALGO_PAIRWISE),
	[COLL_REDUCE] = IS(ALGO_TREE) | IS(ALGO_STAR) | IS(ALGO_RABENSEIFNER),
	[COLL_ALLREDUCE] = IS(ALGO_TREE) | IS(ALGO_LEADERS) | IS(ALGO_STAR) | IS(ALGO_DOUBLING) |
			   IS(ALGO_RABENSEIFNER) | IS(ALGO_RING),
	[COLL_REDUCE_SCATTER] = IS(ALGO_TREE) | IS(ALGO_LEADERS) | IS(ALGO_STAR) | IS(ALGO_RING),
	[COLL_SCAN] = IS(ALGO_CHAIN) | IS(ALGO_DOUBLING),
};

static bool reduces(enum coll_kind kind)
{
	return kind == COLL_REDUCE || kind == COLL_ALLREDUCE || kind == COLL_REDUCE_SCATTER;
}

static void check_case(const struct coll_case *k)
{
	enum coll_algo algo = coll_choose(k);

	if (!(written[k->kind] & IS(algo)))
		ck_abort_msg("kind %d, %d ranks, %zu bytes: algorithm %d", k->kind, k->size,
			k->bytes, algo);
	if (reduces(k->kind) && !k->commutative && (algo == ALGO_RABENSEIFNER || algo == ALGO_RING))
		ck_abort_msg("kind %d, %d ranks, %zu bytes: algorithm %d changes the order",
			k->kind, k->size, k->bytes, algo);
	if (k->kind == COLL_ALLGATHER && algo == ALGO_DOUBLING && (k->size & (k->size - 1)))
		ck_abort_msg("doubling among %d ranks", k->size);
}

START_TEST(test_possible)
{
	for (int flags = 0; flags < 8; flags++) {
		for (int size = 1; size <= 70; size++) {
			for (size_t bytes = 0; bytes < (size_t)1 << 24; bytes = bytes * 2 + 1) {
				struct coll_case k = {.kind = (enum coll_kind)_i,
					.size = size,
					.bytes = bytes,
					.crowded = flags & 1,
					.near = flags & 2,
					.commutative = flags & 4};

				check_case(&k);
				k.bytes++;
				check_case(&k);
			}
		}
	}
}
END_TEST

static enum coll_algo choice(enum coll_kind kind, int size, size_t bytes, bool crowded)
{
	struct coll_case k = {.kind = kind,
		.size = size,
		.bytes = bytes,
		.crowded = crowded,
		.commutative = true};

	return coll_choose(&k);
}

/* Eight ranks on fewer cores: small operations take the fewest messages there can be. */
START_TEST(test_crowded)
{
	for (size_t bytes = 8; bytes <= 1024; bytes *= 128) {
		ck_assert_int_eq(choice(COLL_ALLREDUCE, 8, bytes, true), ALGO_LEADERS);
		ck_assert_int_eq(choice(COLL_ALLGATHER, 8, 8 * bytes, true), ALGO_LEADERS);
		ck_assert_int_eq(choice(COLL_SCAN, 8, bytes, true), ALGO_CHAIN);
	}
	ck_assert_int_eq(choice(COLL_BARRIER, 8, 0, true), ALGO_LEADERS);
	ck_assert_int_eq(choice(COLL_ALLTOALL, 8, 8, true), ALGO_LEADERS);
}
END_TEST

/* With a core for each: the fewest rounds. */
START_TEST(test_roomy)
{
	for (size_t bytes = 8; bytes <= 1024; bytes *= 128) {
		ck_assert_int_eq(choice(COLL_ALLREDUCE, 8, bytes, false), ALGO_DOUBLING);
		ck_assert_int_eq(choice(COLL_ALLGATHER, 8, 8 * bytes, false), ALGO_DOUBLING);
		ck_assert_int_eq(choice(COLL_SCAN, 8, bytes, false), ALGO_DOUBLING);
	}
	ck_assert_int_eq(choice(COLL_BARRIER, 8, 0, false), ALGO_DISSEMINATION);
	ck_assert_int_eq(choice(COLL_ALLTOALL, 8, 8, false), ALGO_BRUCK);
}
END_TEST

START_TEST(test_segment)
{
	for (size_t bytes = 1; bytes < (size_t)1 << 34; bytes *= 3) {
		size_t segment = coll_choose_segment(bytes);

		ck_assert_uint_ge(segment, 1024);
		ck_assert_uint_le((bytes + segment - 1) / segment, 512);
	}
}
END_TEST

UNIT_MAIN("coll_choose", tcase_add_loop_test(tc, test_possible, 0, COLL_KINDS);
	  tcase_add_test(tc, test_crowded); tcase_add_test(tc, test_roomy);
	  tcase_add_test(tc, test_segment);)
