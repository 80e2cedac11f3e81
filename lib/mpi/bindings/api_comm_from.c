/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators from groups alone: MPI 5.0 sections 7.4.2 and 7.6.2. The error handler that the new
 * one shall have is also the call's. */
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/errhandler.h"
#include "mpi/comm/hints.h"
#include "mpi/init/session.h"

/* What both calls say beside the groups. */
struct asked {
	const char *stringtag;
	MPI_Info info;
	MPI_Errhandler errhandler;
	MPI_Comm *newcomm;
	/* understood */
	struct errhandler *e; /* held, once it is there */
	struct info *hints;
};

static int check_asked(struct asked *a)
{
	int rc = errhandler_lookup(a->errhandler, &a->e);

	check_no_comm_yet(a->newcomm);
	if (rc != MPI_SUCCESS)
		return rc;
	rc = errhandler_check_kind(a->e, "communicators");
	if (rc != MPI_SUCCESS) {
		a->e = NULL;
		return rc;
	}
	errhandler_hold(a->e);
	rc = check_pointer(a->newcomm, "newcomm");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(a->stringtag, "stringtag");
	if (rc == MPI_SUCCESS &&
		strnlen(a->stringtag, MPI_MAX_STRINGTAG_LEN) == MPI_MAX_STRINGTAG_LEN)
		rc = fail_with(MPI_ERR_ARG, "stringtag is longer than %d characters",
			MPI_MAX_STRINGTAG_LEN - 1);
	return rc ? rc : hints_set(&a->hints, hints_of_comm, a->info);
}

static int end(struct asked *a, struct comm *made, int rc)
{
	struct errhandler e = {.handle = MPI_ERRHANDLER_NULL};

	if (rc == MPI_SUCCESS && made) {
		errhandler_set(made, a->e);
		made->hints = a->hints;
		a->hints = NULL;
		*a->newcomm = made->handle;
	}
	info_free(a->hints);
	if (a->e) {
		e = *a->e;
		errhandler_release(a->e);
	}
	return e.handle == MPI_ERRHANDLER_NULL ? api_leave(NULL, rc) : api_leave_by(&e, rc);
}

static int check_member(const struct group *g)
{
	if (g->rank != MPI_UNDEFINED)
		return session_check_group(g);
	return fail_with(MPI_ERR_GROUP, "this process is not in the group of %d", g->size);
}

#pragma weak MPI_Comm_create_from_group = PMPI_Comm_create_from_group
int PMPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
	MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	struct asked a = {stringtag, info, errhandler, newcomm, NULL, NULL};
	struct group *g = NULL;
	struct comm *made = NULL;

	api_enter("MPI_Comm_create_from_group");
	int rc = check_asked(&a);
	if (rc == MPI_SUCCESS)
		rc = group_lookup(group, &g);
	/* an empty group has nobody to talk to (MPI 5.0 section 7.4.2) */
	if (rc == MPI_SUCCESS && g->size > 0) {
		rc = check_member(g);
		if (rc == MPI_SUCCESS)
			rc = comm_from_group(g, stringtag, &made);
	}
	return end(&a, made, rc);
}

static int check_leader(const char *name, int leader, const struct group *g)
{
	if (leader >= 0 && leader < g->size)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_RANK, "%s %d is not in a group of %d", name, leader, g->size);
}

/* The remote group counts at the leader alone. */
static int check_groups(MPI_Group local, MPI_Group remote, struct comm_groups *from)
{
	struct group *common = NULL;
	int rc = group_lookup(local, &from->local);

	if (rc == MPI_SUCCESS)
		rc = check_member(from->local);
	if (rc == MPI_SUCCESS)
		rc = check_leader("local_leader", from->leader, from->local);
	if (rc != MPI_SUCCESS || from->local->rank != from->leader)
		return rc;
	rc = group_lookup(remote, &from->remote);
	if (rc == MPI_SUCCESS)
		rc = check_leader("remote_leader", from->remote_leader, from->remote);
	if (rc == MPI_SUCCESS)
		rc = group_intersection(from->local, from->remote, &common);
	if (rc == MPI_SUCCESS && common->size > 0)
		rc = fail_with(
			MPI_ERR_GROUP, "the groups have %d processes in common", common->size);
	if (common)
		group_release(common);
	return rc;
}

#pragma weak MPI_Intercomm_create_from_groups = PMPI_Intercomm_create_from_groups
int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
	MPI_Group remote_group, int remote_leader, const char *stringtag, MPI_Info info,
	MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
	struct comm_groups from = {
		.leader = local_leader, .remote_leader = remote_leader, .stringtag = stringtag};
	struct asked a = {stringtag, info, errhandler, newintercomm, NULL, NULL};
	struct comm *made = NULL;

	api_enter("MPI_Intercomm_create_from_groups");
	int rc = check_asked(&a);
	if (rc == MPI_SUCCESS)
		rc = check_groups(local_group, remote_group, &from);
	if (rc == MPI_SUCCESS)
		rc = comm_from_groups(&from, &made);
	return end(&a, made, rc);
}
