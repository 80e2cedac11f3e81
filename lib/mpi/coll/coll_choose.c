/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All thresholds. Two measures decide. With a core for each rank, small operations take the fewest
 * rounds and large ones send every byte as seldom as possible. When ranks outnumber cores a message
 * costs a change of process whichever round it is in, so small operations take the fewest messages,
 * and among those the fewest one after another: two leaders.
 * Rows for ranks of one host come first: make tune writes them to coll_rules_near.h.
 * The crowded rows here were measured with 2 to 16 ranks on 2 cores over loopback; there every byte is
 * copied by the same cores whatever the algorithm, so the plain tree stays good for long.
 */
#include "coll_choose.h"

#include <stdint.h>

enum { KIB = 1024 };

#define ANY SIZE_MAX

enum when {
	ALWAYS = 0,
	CROWDED = 1,
	ROOMY = 2, /* not crowded */
	COMMUTES = 4,
	POWER = 8, /* the size is a power of two */
	NEAR = 16, /* messages go through memory */
};

/* The first row that holds is taken: sizes and bytes are the largest that it is for. The rows of a kind
 * lie side by side, and those with NEAR, which have CROWDED as well, before all others. */
static const struct rule {
	enum coll_kind kind;
	int when;
	size_t size, bytes;
	enum coll_algo algo;
} rules[] = {
#include "coll_rules_near.h"

	{COLL_BARRIER, ALWAYS, 2, ANY, ALGO_DISSEMINATION},
	{COLL_BARRIER, CROWDED, 64, ANY, ALGO_LEADERS},
	{COLL_BARRIER, CROWDED, ANY, ANY, ALGO_TREE},
	{COLL_BARRIER, ALWAYS, ANY, ANY, ALGO_DISSEMINATION},

	{COLL_BCAST, ALWAYS, 2, ANY, ALGO_TREE},
	{COLL_BCAST, CROWDED, ANY, ANY, ALGO_TREE},
	{COLL_BCAST, ALWAYS, ANY, 256 * KIB - 1, ALGO_TREE},
	{COLL_BCAST, ALWAYS, 16, ANY, ALGO_CHAIN},
	{COLL_BCAST, ALWAYS, ANY, ANY, ALGO_SCATTER},

	{COLL_GATHER, CROWDED, 64, ANY, ALGO_LINEAR},
	{COLL_GATHER, ALWAYS, ANY, 4 * KIB, ALGO_TREE},
	{COLL_GATHER, ALWAYS, ANY, ANY, ALGO_LINEAR},

	{COLL_SCATTER, CROWDED, 64, 16 * KIB, ALGO_LINEAR},
	{COLL_SCATTER, CROWDED, 64, 128 * KIB, ALGO_TREE},
	{COLL_SCATTER, ALWAYS, ANY, 4 * KIB, ALGO_TREE},
	{COLL_SCATTER, ALWAYS, ANY, ANY, ALGO_LINEAR},

	{COLL_ALLGATHER, CROWDED, 64, 32 * KIB, ALGO_LEADERS},
	{COLL_ALLGATHER, CROWDED, ANY, 64 * KIB, ALGO_TREE},
	{COLL_ALLGATHER, CROWDED | POWER, ANY, ANY, ALGO_DOUBLING},
	{COLL_ALLGATHER, CROWDED, ANY, 512 * KIB, ALGO_BRUCK},
	{COLL_ALLGATHER, POWER, ANY, 64 * KIB, ALGO_DOUBLING},
	{COLL_ALLGATHER, ALWAYS, ANY, 64 * KIB, ALGO_BRUCK},
	{COLL_ALLGATHER, ALWAYS, ANY, ANY, ALGO_RING},

	{COLL_ALLGATHERV, ALWAYS, ANY, 64 * KIB, ALGO_TREE},
	{COLL_ALLGATHERV, ALWAYS, ANY, ANY, ALGO_RING},

	{COLL_ALLTOALL, ALWAYS, 2, 32 * KIB, ALGO_WINDOW},
	{COLL_ALLTOALL, CROWDED, 32, 4 * KIB, ALGO_LEADERS},
	{COLL_ALLTOALL, ALWAYS, 3, 32 * KIB, ALGO_WINDOW},
	{COLL_ALLTOALL, CROWDED, ANY, 8 * KIB, ALGO_BRUCK},
	{COLL_ALLTOALL, ALWAYS, ANY, 512, ALGO_BRUCK},
	{COLL_ALLTOALL, ALWAYS, ANY, 32 * KIB, ALGO_WINDOW},
	{COLL_ALLTOALL, ALWAYS, ANY, ANY, ALGO_PAIRWISE},

	{COLL_REDUCE, ALWAYS, 3, ANY, ALGO_TREE},
	{COLL_REDUCE, ALWAYS, ANY, 64 * KIB, ALGO_TREE},
	{COLL_REDUCE, ROOMY | COMMUTES, ANY, ANY, ALGO_RABENSEIFNER},
	{COLL_REDUCE, ALWAYS, ANY, ANY, ALGO_TREE},

	{COLL_ALLREDUCE, ALWAYS, 2, 64 * KIB, ALGO_DOUBLING},
	{COLL_ALLREDUCE, CROWDED, 64, 8 * KIB, ALGO_LEADERS},
	{COLL_ALLREDUCE, ALWAYS, 3, 64 * KIB, ALGO_DOUBLING},
	{COLL_ALLREDUCE, ROOMY, ANY, 32 * KIB, ALGO_DOUBLING},
	{COLL_ALLREDUCE, CROWDED, ANY, 512 * KIB, ALGO_TREE},
	{COLL_ALLREDUCE, COMMUTES | POWER, ANY, ANY, ALGO_RABENSEIFNER},
	{COLL_ALLREDUCE, COMMUTES, ANY, ANY, ALGO_RING},
	{COLL_ALLREDUCE, ALWAYS, ANY, ANY, ALGO_TREE},

	{COLL_REDUCE_SCATTER, COMMUTES, 2, ANY, ALGO_RING}, /* one message each way */
	{COLL_REDUCE_SCATTER, CROWDED, 64, 32 * KIB, ALGO_LEADERS},
	{COLL_REDUCE_SCATTER, CROWDED, ANY, 512 * KIB, ALGO_TREE},
	{COLL_REDUCE_SCATTER, ALWAYS, ANY, 32 * KIB, ALGO_TREE},
	{COLL_REDUCE_SCATTER, COMMUTES, ANY, ANY, ALGO_RING},
	{COLL_REDUCE_SCATTER, ALWAYS, ANY, ANY, ALGO_TREE},

	{COLL_SCAN, CROWDED, ANY, ANY, ALGO_CHAIN},
	{COLL_SCAN, ALWAYS, ANY, ANY, ALGO_DOUBLING},
};

enum { RULES = sizeof rules / sizeof *rules };

/* Rows of a kind, and perhaps others between them: NULL before the first choice. */
static struct rows {
	const struct rule *first, *end;
} near_rows[COLL_KINDS], other_rows[COLL_KINDS];

static void find_rows(void)
{
	for (const struct rule *r = rules; r < rules + RULES; r++) {
		struct rows *rows = &(r->when & NEAR ? near_rows : other_rows)[r->kind];

		if (!rows->first)
			rows->first = r;
		rows->end = r + 1;
	}
}

static const struct rule *look_up(const struct rows *rows, const struct coll_case *k, int is)
{
	for (const struct rule *r = rows->first; r < rows->end; r++)
		if (r->kind == k->kind && (r->when & ~is) == 0 && (size_t)k->size <= r->size &&
			k->bytes <= r->bytes)
			return r;
	return NULL;
}

enum coll_algo coll_choose(const struct coll_case *k)
{
	bool power = (k->size & (k->size - 1)) == 0;
	int is = (k->crowded ? CROWDED : ROOMY) | (k->commutative ? COMMUTES : 0) |
		 (power ? POWER : 0) | (k->near ? NEAR : 0);
	const struct rule *r = NULL;

	if (!other_rows[k->kind].first)
		find_rows();
	if (k->near && k->crowded)
		r = look_up(&near_rows[k->kind], k, is);
	if (!r)
		r = look_up(&other_rows[k->kind], k, is);
	return r ? r->algo : ALGO_TREE;
}

/* Long enough that the cost of a message does not show, but at most some hundred of them. */
size_t coll_choose_segment(size_t bytes)
{
	size_t least = 128 * KIB, most = bytes / 256;

	return most > least ? most : least;
}
