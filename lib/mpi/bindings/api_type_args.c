/* SPDX-License-Identifier: BSD-3-Clause */
#include "api.h"
#include "api_type.h"

int type_need_count(MPI_Count count)
{
	if (count < 0)
		return fail_with(MPI_ERR_COUNT, "the count is %lld; it must not be negative",
			(long long)count);
	return MPI_SUCCESS;
}

int type_need_blocklen(MPI_Count blocklen)
{
	if (blocklen < 0)
		return fail_with(MPI_ERR_ARG, "the block length is %lld; it must not be negative",
			(long long)blocklen);
	return MPI_SUCCESS;
}

MPI_Count type_array_at(struct type_array a, MPI_Count i)
{
	if (a.ints)
		return a.ints[i];
	return a.addresses ? (MPI_Count)a.addresses[i] : a.counts[i];
}

int type_need_array(struct type_array a, const char *what)
{
	if (a.ints || a.addresses || a.counts)
		return MPI_SUCCESS;
	return fail_null(what);
}

int type_give(int rc, struct type *t, struct contents *c, MPI_Datatype *newtype)
{
	if (rc == MPI_SUCCESS && !type_contents_good(c)) {
		type_free(t);
		rc = fail_with(MPI_ERR_NO_MEM, "no memory for a datatype");
	}
	if (rc != MPI_SUCCESS) {
		type_release_contents(c);
		return rc;
	}
	t->contents = c;
	*newtype = t->handle;
	return MPI_SUCCESS;
}
