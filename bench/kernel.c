/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernels share: their time, and what becomes of a wrong answer. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"
#include "mpibench.h"

/* of the runs that count */
static const double ENOUGH = 0.5;

double kernel_ms(const struct kernel *k, void *self)
{
	double used = 0;
	int run = 0;

	do {
		double mine, slowest;

		k->before(self, run);
		MPI_Barrier(MPI_COMM_WORLD);
		mine = MPI_Wtime();
		k->run(self);
		mine = MPI_Wtime() - mine;
		k->after(self, run);
		MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		used += run > 0 ? slowest : 0;
		run++;
	} while (run < 2 || used < ENOUGH);
	return used / (run - 1) * 1e3;
}

void kernel_wrong(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "mpibench: rank %d of %d: %s\n", rank, size, text);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

void *kernel_array(long n, size_t each)
{
	void *a = calloc((size_t)(n > 0 ? n : 1), each);

	if (a == NULL)
		kernel_wrong("no memory for %ld elements of %zu bytes", n, each);
	return a;
}

long kernel_first(long n, int parts, int part)
{
	return n * part / parts;
}
