/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm_board.h"

#include <string.h>

#include "unit.h"

struct comm *comm_of(MPI_Comm handle)
{
	struct comm *c = NULL;

	ranks_must(comm_lookup(handle, &c) == MPI_SUCCESS, "a handle that is good", 0);
	return c;
}

void board_record(struct board *s, MPI_Comm handle)
{
	const struct comm *c = comm_of(handle);
	int at = atomic_fetch_add(&s->n, 1);
	struct record *r = &s->records[at];

	ranks_must(at < RECORDS, "room for records", at);
	*r = (struct record){c->context, comm_world_info()->rank, c->rank, c->size, {0}};
	memcpy(r->world, c->group->world, (size_t)c->size * sizeof(int));
	ranks_must(r->world[r->rank] == r->me, "this process at its rank", r->rank);
}

/* A context belongs to one creation: each of its members, and nobody else, recorded it once, and
 * all saw the same members. */
static void check_board(const struct board *s)
{
	int n = atomic_load(&s->n);

	for (int i = 0; i < n; i++) {
		const struct record *a = &s->records[i];
		int same = 0;

		ck_assert_uint_eq(a->context & 1, 0);
		for (int j = 0; j < n; j++) {
			const struct record *b = &s->records[j];

			if (b->context != a->context)
				continue;
			same++;
			ck_assert_int_eq(a->size, b->size);
			ck_assert_mem_eq(a->world, b->world, (size_t)a->size * sizeof(int));
			ck_assert_msg(i == j || a->rank != b->rank,
				"context %#llx was given out twice",
				(unsigned long long)a->context);
		}
		ck_assert_int_eq(same, a->size);
	}
}

void board_run(struct ranks_job *job, void (*body)(void *), struct board *s)
{
	job->body = body;
	job->shared = s;
	ck_assert_int_eq(ranks_run(job), 0);
	check_board(s);
}

void board_run_one(void (*body)(void *), int size, int cores)
{
	struct board *s = ranks_share(sizeof(*s));
	struct ranks_job job;

	ranks_one_host(&job, size, cores);
	board_run(&job, body, s);
}

void board_run_sizes(void (*body)(void *), int loop)
{
	for (int size = 1; size <= 9; size++) {
		struct board *s = ranks_share(sizeof(*s));
		struct ranks_job job;

		s->seed = (unsigned)(loop * 100 + size);
		ranks_one_host(&job, size, 4);
		board_run(&job, body, s);
	}
}
