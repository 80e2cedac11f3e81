/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups (MPI 5.0 section 7.3). Their errors belong to no communicator, but to the session that
 * they come from (section 9.3). */
#include "api.h"
#include "check.h"
#include "mpi.h"
#include "mpi/comm/group.h"
#include "mpi/init/session.h"

static int lookup_for(MPI_Group group, const void *out, const char *what, struct group **g)
{
	int rc = group_lookup(group, g);

	return rc == MPI_SUCCESS ? check_pointer(out, what) : rc;
}

/* of: what the call was about; NULL: nothing that is a group */
static int leave(const struct group *of, int rc)
{
	return api_leave_session(of ? of->session : 0, rc);
}

/* Hand a group that was just made to the program, and end the call. */
static int finish(const struct group *of, struct group *made, MPI_Group *newgroup, int rc)
{
	if (rc == MPI_SUCCESS) {
		rc = group_export(made, newgroup);
		group_release(made);
	}
	return leave(of, rc);
}

#pragma weak MPI_Group_size = PMPI_Group_size
int PMPI_Group_size(MPI_Group group, int *size)
{
	struct group *g = NULL;

	api_enter("MPI_Group_size");
	int rc = lookup_for(group, size, "size", &g);
	if (rc == MPI_SUCCESS)
		*size = g->size;
	return leave(g, rc);
}

#pragma weak MPI_Group_rank = PMPI_Group_rank
int PMPI_Group_rank(MPI_Group group, int *rank)
{
	struct group *g = NULL;

	api_enter("MPI_Group_rank");
	int rc = lookup_for(group, rank, "rank", &g);
	if (rc == MPI_SUCCESS)
		*rank = g->rank;
	return leave(g, rc);
}

#pragma weak MPI_Group_incl = PMPI_Group_incl
int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	struct group *g = NULL, *made = NULL;

	api_enter("MPI_Group_incl");
	int rc = lookup_for(group, newgroup, "newgroup", &g);
	if (rc == MPI_SUCCESS)
		rc = group_incl(g, n, ranks, &made);
	return finish(g, made, newgroup, rc);
}

#pragma weak MPI_Group_excl = PMPI_Group_excl
int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	struct group *g = NULL, *made = NULL;

	api_enter("MPI_Group_excl");
	int rc = lookup_for(group, newgroup, "newgroup", &g);
	if (rc == MPI_SUCCESS)
		rc = group_excl(g, n, ranks, &made);
	return finish(g, made, newgroup, rc);
}

#pragma weak MPI_Group_range_incl = PMPI_Group_range_incl
int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	struct group *g = NULL, *made = NULL;

	api_enter("MPI_Group_range_incl");
	int rc = lookup_for(group, newgroup, "newgroup", &g);
	if (rc == MPI_SUCCESS)
		rc = group_range_incl(g, n, ranges, &made);
	return finish(g, made, newgroup, rc);
}

#pragma weak MPI_Group_range_excl = PMPI_Group_range_excl
int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	struct group *g = NULL, *made = NULL;

	api_enter("MPI_Group_range_excl");
	int rc = lookup_for(group, newgroup, "newgroup", &g);
	if (rc == MPI_SUCCESS)
		rc = group_range_excl(g, n, ranges, &made);
	return finish(g, made, newgroup, rc);
}

static int lookup_two(MPI_Group g1, MPI_Group g2, struct group **a, struct group **b)
{
	int rc = group_lookup(g1, a);

	return rc == MPI_SUCCESS ? group_lookup(g2, b) : rc;
}

typedef int combination(const struct group *a, const struct group *b, struct group **out);

static int combine(MPI_Group group1, MPI_Group group2, combination *how, MPI_Group *newgroup)
{
	struct group *a = NULL, *b = NULL, *made = NULL;
	int rc = lookup_two(group1, group2, &a, &b);

	if (rc == MPI_SUCCESS)
		rc = check_pointer(newgroup, "newgroup");
	if (rc == MPI_SUCCESS)
		rc = how(a, b, &made);
	return finish(a, made, newgroup, rc);
}

#pragma weak MPI_Group_union = PMPI_Group_union
int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	api_enter("MPI_Group_union");
	return combine(group1, group2, group_union, newgroup);
}

#pragma weak MPI_Group_intersection = PMPI_Group_intersection
int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	api_enter("MPI_Group_intersection");
	return combine(group1, group2, group_intersection, newgroup);
}

#pragma weak MPI_Group_difference = PMPI_Group_difference
int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	api_enter("MPI_Group_difference");
	return combine(group1, group2, group_difference, newgroup);
}

#pragma weak MPI_Group_compare = PMPI_Group_compare
int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
	struct group *a = NULL, *b = NULL;

	api_enter("MPI_Group_compare");
	int rc = lookup_two(group1, group2, &a, &b);
	if (rc == MPI_SUCCESS)
		rc = check_pointer(result, "result");
	if (rc == MPI_SUCCESS)
		rc = group_compare(a, b, result);
	return leave(a, rc);
}

#pragma weak MPI_Group_translate_ranks = PMPI_Group_translate_ranks
int PMPI_Group_translate_ranks(
	MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])
{
	struct group *a = NULL, *b = NULL;

	api_enter("MPI_Group_translate_ranks");
	int rc = lookup_two(group1, group2, &a, &b);
	if (rc == MPI_SUCCESS)
		rc = group_translate(a, n, ranks1, b, ranks2);
	return leave(a, rc);
}

#pragma weak MPI_Group_free = PMPI_Group_free
int PMPI_Group_free(MPI_Group *group)
{
	struct group *g = NULL;

	api_enter("MPI_Group_free");
	int rc = check_pointer(group, "group");
	if (rc == MPI_SUCCESS)
		rc = group_lookup(*group, &g);
	if (rc != MPI_SUCCESS)
		return leave(g, rc);
	group_unexport(g);
	*group = MPI_GROUP_NULL;
	return leave(NULL, rc);
}
