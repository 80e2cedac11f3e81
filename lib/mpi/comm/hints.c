/* SPDX-License-Identifier: BSD-3-Clause */
#include "hints.h"
#include "mpi/handle/fail.h"

#include <string.h>

bool hints_is_flag(const char *value)
{
	return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

/* The library makes no use of them yet, but a layer above may ask what was promised. */
const struct hint hints_of_comm[] = {
	{"mpi_assert_no_any_tag", "false", hints_is_flag},
	{"mpi_assert_no_any_source", "false", hints_is_flag},
	{"mpi_assert_exact_length", "false", hints_is_flag},
	{"mpi_assert_allow_overtaking", "false", hints_is_flag},
	{"mpi_assert_strict_persistent_collective_ordering", "false", hints_is_flag},
	{NULL, NULL, NULL},
};

static int check(const struct hint *known, const struct info *given)
{
	for (; known->key; known++) {
		const char *value = info_find(given, known->key);

		if (value && !known->fits(value))
			return fail_with(MPI_ERR_INFO_VALUE, "%s is no value for info key %s",
				value, known->key);
	}
	return MPI_SUCCESS;
}

static int take(struct info *held, const struct hint *known, const struct info *given)
{
	int rc = MPI_SUCCESS;

	for (; known->key && rc == MPI_SUCCESS; known++) {
		const char *value = info_find(given, known->key);

		if (value)
			rc = info_put(held, known->key, value);
	}
	return rc;
}

static int no_memory(void)
{
	return fail_with(MPI_ERR_NO_MEM, "no memory for hints");
}

/* On a copy, so that what does not succeed changes nothing. */
int hints_set(struct info **held, const struct hint *known, MPI_Info given)
{
	struct info *said, *copy;
	int rc = info_lookup_hints(given, &said);

	if (rc != MPI_SUCCESS || !said)
		return rc;
	rc = check(known, said);
	if (rc != MPI_SUCCESS)
		return rc;
	copy = *held ? info_copy(*held) : info_new();
	if (!copy)
		return no_memory();
	rc = take(copy, known, said);
	if (rc != MPI_SUCCESS) {
		info_free(copy);
		return rc;
	}
	info_free(*held);
	*held = copy;
	return MPI_SUCCESS;
}

int hints_get(const struct info *held, const struct hint *known, MPI_Info *used)
{
	struct info *i = info_new();
	int rc = i ? MPI_SUCCESS : no_memory();

	for (; rc == MPI_SUCCESS && known->key; known++) {
		const char *said = held ? info_find(held, known->key) : NULL;

		rc = info_put(i, known->key, said ? said : known->standard);
	}
	if (rc == MPI_SUCCESS)
		rc = info_export(i, used);
	if (rc != MPI_SUCCESS)
		info_free(i);
	return rc;
}
