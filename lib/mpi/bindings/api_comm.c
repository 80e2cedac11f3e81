/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators: asking, naming, comparing, freeing (MPI 5.0 sections 7.4.1, 7.4.3, 7.8). */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/comm.h"

/* Look comm up and check the place for an answer. */
static int lookup_for(MPI_Comm comm, const void *out, const char *what, struct comm **c)
{
	int rc = comm_lookup(comm, c);

	return rc == MPI_SUCCESS ? check_pointer(out, what) : rc;
}

#pragma weak MPI_Comm_rank = PMPI_Comm_rank
int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_rank");
	int rc = lookup_for(comm, rank, "rank", &c);
	if (rc == MPI_SUCCESS)
		*rank = c->rank;
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_size = PMPI_Comm_size
int PMPI_Comm_size(MPI_Comm comm, int *size)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_size");
	int rc = lookup_for(comm, size, "size", &c);
	if (rc == MPI_SUCCESS)
		*size = c->size;
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_group = PMPI_Comm_group
int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_group");
	int rc = lookup_for(comm, group, "group", &c);
	if (rc == MPI_SUCCESS)
		rc = group_export(c->group, group);
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_test_inter = PMPI_Comm_test_inter
int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_test_inter");
	int rc = lookup_for(comm, flag, "flag", &c);
	if (rc == MPI_SUCCESS)
		*flag = c->remote != NULL;
	return api_leave(c, rc);
}

/* The same for a call that needs an intercommunicator. */
static int lookup_inter_for(MPI_Comm comm, const void *out, const char *what, struct comm **c)
{
	int rc = comm_lookup_inter(comm, c);

	return rc == MPI_SUCCESS ? check_pointer(out, what) : rc;
}

#pragma weak MPI_Comm_remote_size = PMPI_Comm_remote_size
int PMPI_Comm_remote_size(MPI_Comm comm, int *size)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_remote_size");
	int rc = lookup_inter_for(comm, size, "size", &c);
	if (rc == MPI_SUCCESS)
		*size = c->remote->size;
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_remote_group = PMPI_Comm_remote_group
int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_remote_group");
	int rc = lookup_inter_for(comm, group, "group", &c);
	if (rc == MPI_SUCCESS)
		rc = group_export(c->remote, group);
	return api_leave(c, rc);
}

/* The groups of two communicators; the worse of both sides. */
static int compare_groups(const struct comm *a, const struct comm *b, int *result)
{
	int remote = MPI_IDENT, rc;

	rc = group_compare(a->group, b->group, result);
	if (rc == MPI_SUCCESS && a->remote)
		rc = group_compare(a->remote, b->remote, &remote);
	if (remote == MPI_UNEQUAL || *result == MPI_IDENT)
		*result = remote;
	return rc;
}

static int compare(const struct comm *a, const struct comm *b, int *result)
{
	int rc;

	if (a == b) {
		*result = MPI_IDENT;
		return MPI_SUCCESS;
	}
	if (!a->remote != !b->remote) {
		*result = MPI_UNEQUAL;
		return MPI_SUCCESS;
	}
	rc = compare_groups(a, b, result);
	if (rc == MPI_SUCCESS && *result == MPI_IDENT)
		*result = MPI_CONGRUENT;
	return rc;
}

#pragma weak MPI_Comm_compare = PMPI_Comm_compare
int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
	struct comm *a = NULL, *b = NULL;

	api_enter("MPI_Comm_compare");
	int rc = lookup_for(comm1, result, "result", &a);
	if (rc == MPI_SUCCESS)
		rc = comm_lookup(comm2, &b);
	if (rc == MPI_SUCCESS)
		rc = compare(a, b, result);
	return api_leave(a, rc);
}

#pragma weak MPI_Comm_set_name = PMPI_Comm_set_name
int PMPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
	struct comm *c = NULL;

	api_enter("MPI_Comm_set_name");
	int rc = lookup_for(comm, comm_name, "comm_name", &c);
	if (rc == MPI_SUCCESS) /* a longer name is cut (MPI 5.0 section 7.8) */
		snprintf(c->name, sizeof(c->name), "%s", comm_name);
	return api_leave(c, rc);
}

#pragma weak MPI_Comm_get_name = PMPI_Comm_get_name
int PMPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
	struct comm *c = NULL;
	const char *name = "MPI_COMM_NULL";

	api_enter("MPI_Comm_get_name");
	/* the null handle has a name too (MPI 5.0 section 7.8) */
	int rc = comm == MPI_COMM_NULL ? MPI_SUCCESS : comm_lookup(comm, &c);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(comm_name, "comm_name");
	if (rc == MPI_SUCCESS)
		rc = check_pointer(resultlen, "resultlen");
	if (rc == MPI_SUCCESS) {
		if (c)
			name = c->name;
		strcpy(comm_name, name);
		*resultlen = (int)strlen(name);
	}
	return api_leave(c, rc);
}
