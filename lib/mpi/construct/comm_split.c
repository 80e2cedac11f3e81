/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting a communicator by what its ranks vote for (MPI 5.0 section 7.4.2). */
#include <stdlib.h>

#include "comm_make.h"
#include "mpi/comm/comm_again.h"

static int make_elected(struct comm *c, const struct comm_ballot *ballots, struct comm **out)
{
	struct comm_ballot first;
	struct group *g = comm_ballot_elected(c->group, ballots, ballots[c->rank].color, &first);
	int rc;

	if (!g)
		return comm_make_no_memory(c);
	rc = comm_make(c, g, first.counter, out);
	group_release(g);
	return rc;
}

static int split_intra(struct comm *c, int color, int key, struct comm **out)
{
	struct comm_ballot mine = {color, key, 0, 0};
	void *ballots;
	int rc;

	if (color != MPI_UNDEFINED)
		mine.counter = comm_counter_next();
	rc = comm_make_gather(c, &mine, sizeof(mine), &ballots);
	if (rc != MPI_SUCCESS)
		return rc;
	*out = NULL;
	rc = comm_ballot_check(c->group, ballots);
	if (rc == MPI_SUCCESS && color != MPI_UNDEFINED)
		rc = make_elected(c, ballots, out);
	free(ballots);
	return rc;
}

int comm_split(struct comm *c, int color, int key, struct comm **out)
{
	struct comm_again_like part = {COMM_AGAIN_PART, c->group, c->remote};
	int rc;

	*out = NULL;
	if (color == MPI_UNDEFINED && comm_again_is_alone())
		return MPI_SUCCESS;
	if (color != MPI_UNDEFINED && comm_again_alone(c, &part, out, &rc))
		return rc;
	comm_hold(c);
	rc = c->remote ? comm_inter_part_split(c, color, key, out)
		       : split_intra(c, color, key, out);
	comm_release(c);
	return rc;
}
