/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints about the use of a window (MPI 5.0 sections 12.2.1, 12.2.3). All but alloc_shared_noncontig
 * change nothing here: operations are done in the strict way that is right without them. */
#include <string.h>

#include "mpi/comm/hints.h"
#include "win.h"

static bool is_one_of(const char *word, size_t len, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == len && strncmp(*words, word, len) == 0)
			return true;
	return false;
}

/* "none", or some of the orders, with commas in between */
static bool is_ordering(const char *value)
{
	static const char *const orders[] = {"rar", "raw", "war", "waw", NULL};

	if (strcmp(value, "none") == 0)
		return true;
	for (;; value++) {
		size_t len = strcspn(value, ",");

		if (!is_one_of(value, len, orders))
			return false;
		value += len;
		if (!*value)
			return true;
	}
}

static bool is_ops(const char *value)
{
	static const char *const ops[] = {"same_op", "same_op_no_op", NULL};

	return is_one_of(value, strlen(value), ops);
}

static bool is_number(const char *value)
{
	return *value && strspn(value, "0123456789") == strlen(value);
}

const struct hint hints_of_win[] = {
	{"no_locks", "false", hints_is_flag},
	{"accumulate_ordering", "rar,raw,war,waw", is_ordering},
	{"accumulate_ops", "same_op_no_op", is_ops},
	{"same_size", "false", hints_is_flag},
	{"same_disp_unit", "false", hints_is_flag},
	{"alloc_shared_noncontig", "false", hints_is_flag},
	{"mpi_accumulate_granularity", "0", is_number},
	{NULL, NULL, NULL},
};
