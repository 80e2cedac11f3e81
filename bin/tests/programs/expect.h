/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call must answer; the program's `prog` says who it is. A wrong answer ends the job. */
#ifndef FTMPI_PROGRAMS_EXPECT_H
#define FTMPI_PROGRAMS_EXPECT_H

#include <mpi.h>

#include "prog.h"

/* The value itself. */
#define IS(call, expected) expect(&prog, __LINE__, #call, (long long)(call), (long long)(expected))

/* An error code of this class (MPI_SUCCESS is one, too). */
#define FAILS(call, expected) expect_class(&prog, __LINE__, #call, call, expected)

static inline void expect(
	const struct prog *prog, int line, const char *call, long long got, long long expected)
{
	if (got != expected)
		prog_wrong(prog, "line %d: %s gives %lld, not %lld", line, call, got, expected);
}

static inline void expect_class(
	const struct prog *prog, int line, const char *call, int code, int expected)
{
	int got = -1;

	MPI_Error_class(code, &got);
	if (got != expected)
		prog_wrong(prog, "line %d: %s gives an error of class %d, not %d", line, call, got,
			expected);
}

#endif
