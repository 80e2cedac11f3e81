/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of attributes: their numbers, and how long they live. The engine lock guards them. */
#ifndef FTMPI_MPI_ATTR_KEY_H
#define FTMPI_MPI_ATTR_KEY_H

#include <stdbool.h>

#include "attr.h"
#include "base/list.h"

struct keyval {
	struct link link;
	int number;
	int refs; /* the program's, and one for each attribute and each callback under way */
	bool freed;
	struct attr_functions f;
};

/* Also one that the program freed, while it lives. MPI_ERR_KEYVAL with fail_with said when it is
 * predefined, unknown or of another kind. */
int attr_key_lookup(enum attr_kind kind, int keyval, struct keyval **out);
void attr_key_release(struct keyval *k);

#endif
