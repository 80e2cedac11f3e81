/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program names: handles of info objects, and MPI_INFO_ENV. */
#include "info.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/handle_table.h"

/* Lives as long as the process. */
static int environment(struct info **out)
{
	static struct info *env;

	if (!env)
		env = info_env(0, NULL);
	if (!env)
		return fail_with(MPI_ERR_NO_MEM, "no memory for MPI_INFO_ENV");
	*out = env;
	return MPI_SUCCESS;
}

int info_lookup_hints(MPI_Info handle, struct info **out)
{
	*out = NULL;
	if (handle == MPI_INFO_NULL)
		return MPI_SUCCESS;
	if (handle == MPI_INFO_ENV)
		return environment(out);
	if (!handle_table_has(handle, OBJECT_INFO))
		return fail_with(
			MPI_ERR_INFO, "%p is not an info object, or it was freed", (void *)handle);
	*out = (struct info *)(void *)handle;
	return MPI_SUCCESS;
}

int info_lookup(MPI_Info handle, struct info **out)
{
	if (handle == MPI_INFO_NULL)
		return fail_with(MPI_ERR_INFO, "MPI_INFO_NULL was given");
	return info_lookup_hints(handle, out);
}
