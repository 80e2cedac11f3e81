/* SPDX-License-Identifier: BSD-3-Clause */
#include "team.h"

#include "base/log.h"
#include "coll.h"
#include "mpi/comm/comm.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"

int team_rank(void)
{
	return comm_coord()->rank;
}

int team_size(void)
{
	return comm_coord()->size;
}

static void must(int rc)
{
	if (rc == MPI_SUCCESS)
		return;
	process_last_words();
	log_error("%s: the ranks cannot agree: %s", fail_call(), fail_detail());
	process_die(rc);
}

static struct coll_reduction reduction(const void *in, void *out, MPI_Datatype type, MPI_Op op)
{
	struct coll_reduction r = {.in = in, .out = out, .count = 1};

	must(type_lookup(type, &r.type));
	must(op_lookup(op, &r.op));
	return r;
}

void team_scatter_sum(const uint64_t *each, uint64_t *mine)
{
	struct coll_reduction r = reduction(each, mine, MPI_UINT64_T, MPI_SUM);

	must(coll_now_reduce_scatter(comm_coord(), &r));
}

void team_broadcast(void *bytes, size_t len)
{
	must(coll_now_bcast(comm_coord(), bytes, len, 0));
}

void team_gather(const void *one, size_t len, void *all)
{
	must(coll_now_gather(comm_coord(), one, len, all, 0));
}

uint32_t team_minimum(uint32_t mine)
{
	uint32_t least = 0;
	struct coll_reduction r = reduction(&mine, &least, MPI_UINT32_T, MPI_MIN);

	must(coll_now_allreduce(comm_coord(), &r));
	return least;
}

bool team_all(bool yes)
{
	int32_t mine = yes, all = 0;
	struct coll_reduction r = reduction(&mine, &all, MPI_INT32_T, MPI_MIN);

	must(coll_now_allreduce(comm_coord(), &r));
	return all != 0;
}
