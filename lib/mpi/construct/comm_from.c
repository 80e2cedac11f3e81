/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators from groups alone (MPI 5.0 sections 7.4.2 and 7.6.2): their messages are
 * MPI_COMM_WORLD's, beside its collectives. */
#include "comm_make.h"
#include "mpi/comm/comm_again.h"

int comm_from_tag(const char *stringtag)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *stringtag; stringtag++)
		h = (h ^ (uint8_t)*stringtag) * 16777619u;
	return (int)((h ^ h >> 28) & 0x0fffffff);
}

int comm_from_group(struct group *g, const char *stringtag, struct comm **out)
{
	int tag = comm_make_tag(COMM_TAG_FROM_GROUP, comm_from_tag(stringtag));

	return comm_make_in_group(comm_world(), g, tag, out);
}

int comm_from_groups(const struct comm_groups *from, struct comm **out)
{
	struct comm_meeting how = {.leader = from->leader,
		.peer = comm_world(),
		.tag = comm_make_tag(COMM_TAG_FROM_GROUPS, comm_from_tag(from->stringtag))};
	struct comm_again_like like = {COMM_AGAIN_PEER, from->local, NULL};
	struct comm *local;
	int rc;

	if (comm_again_alone(comm_world(), &like, out, &rc))
		return rc;
	if (from->local->rank == from->leader)
		how.remote_leader = from->remote->world[from->remote_leader];
	rc = comm_make_in_group(comm_world(), from->local, how.tag, &local);
	if (rc != MPI_SUCCESS && from->local->rank == from->leader)
		comm_inter_decline(&how);
	if (rc != MPI_SUCCESS)
		return rc;
	rc = comm_inter_create(local, &how, out);
	comm_drop(local);
	return rc;
}
