/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands between the plans of collective operations and the choice of their algorithms
 * (ld --wrap): FTMPI_TUNE=KIND:ALGORITHM, two numbers of coll_choose.h, is the choice for that kind.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/coll/coll_choose.h"

enum coll_algo __real_coll_choose(const struct coll_case *k);
enum coll_algo __wrap_coll_choose(const struct coll_case *k);

static int kind = -2, algo;

static void learn(void)
{
	const char *text = getenv("FTMPI_TUNE");

	kind = -1;
	if (text && sscanf(text, "%d:%d", &kind, &algo) != 2) {
		fprintf(stderr, "FTMPI_TUNE=%s: it is KIND:ALGORITHM\n", text);
		exit(2);
	}
}

enum coll_algo __wrap_coll_choose(const struct coll_case *k)
{
	if (kind == -2)
		learn();
	return (int)k->kind == kind ? (enum coll_algo)algo : __real_coll_choose(k);
}
