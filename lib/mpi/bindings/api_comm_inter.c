/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators from two groups, and one communicator of both (MPI 5.0 section 7.6.2). */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/construct/comm_make.h"

/* A tag is valid from 0 on; the ranks count in their communicators. */
static int check_meeting(const struct comm *local, MPI_Comm peer_comm, struct comm_meeting *how)
{
	int rc;

	if (how->leader < 0 || how->leader >= local->size)
		return fail_with(MPI_ERR_RANK, "local_leader %d is not in communicator %s of %d",
			how->leader, comm_label(local), local->size);
	if (how->tag < 0)
		return fail_with(MPI_ERR_TAG, "tag %d is less than 0", how->tag);
	if (local->rank != how->leader)
		return MPI_SUCCESS; /* the rest counts at the leader alone */
	rc = comm_lookup(peer_comm, &how->peer);
	if (rc != MPI_SUCCESS)
		return rc;
	if (how->remote_leader < 0 || how->remote_leader >= how->peer->npeers)
		return fail_with(MPI_ERR_RANK, "remote_leader %d is not in communicator %s of %d",
			how->remote_leader, comm_label(how->peer), how->peer->npeers);
	if (comm_world_rank(how->peer, how->remote_leader) == process_rank())
		return fail_with(MPI_ERR_RANK,
			"remote_leader %d of communicator %s is the local leader itself",
			how->remote_leader, comm_label(how->peer));
	return MPI_SUCCESS;
}

#pragma weak MPI_Intercomm_create = PMPI_Intercomm_create
int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
	int remote_leader, int tag, MPI_Comm *newintercomm)
{
	struct comm_meeting how = {local_leader, NULL, remote_leader, tag};
	struct comm *c = NULL, *made = NULL;

	api_enter("MPI_Intercomm_create");
	check_no_comm_yet(newintercomm);
	int rc = comm_lookup_intra(local_comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newintercomm, "newintercomm");
	if (rc == MPI_SUCCESS)
		rc = check_meeting(c, peer_comm, &how);
	how.tag = comm_make_tag(COMM_TAG_INTER, tag);
	if (rc == MPI_SUCCESS)
		rc = comm_inter_create(c, &how, &made);
	if (rc == MPI_SUCCESS)
		*newintercomm = made->handle;
	return api_leave(c, rc);
}

#pragma weak MPI_Intercomm_merge = PMPI_Intercomm_merge
int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
	struct comm *c = NULL, *made = NULL;

	api_enter("MPI_Intercomm_merge");
	check_no_comm_yet(newintracomm);
	int rc = comm_lookup_inter(intercomm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(newintracomm, "newintracomm");
	if (rc == MPI_SUCCESS)
		rc = comm_inter_merge(c, high != 0, &made);
	if (rc == MPI_SUCCESS)
		*newintracomm = made->handle;
	return api_leave(c, rc);
}
