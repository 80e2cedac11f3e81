/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Little memory: every rank lets itself have `-kib` more address space than it has after MPI_Init,
 * and then does a bit of everything. Errors are returned; the first one is told and ends the job by
 * MPI_Abort. So the end is either "right", or one sentence.
 */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <mpi.h>

enum { LONG = 1 << 20, SMALL = 200, STACK = 1 << 18 };

/* What is wanted later is the library's. */
static char out[2 * LONG], in[2 * LONG];

/* Pages of the stack are address space too, and there is no way to be told that there are none. */
static __attribute__((noinline)) void touch_stack(void)
{
	volatile char page[STACK];
	for (size_t i = 0; i < sizeof(page); i += 1024)
		page[i] = 1;
}

static void limit(const struct load *l)
{
	struct rlimit most;
	most.rlim_cur = most.rlim_max = memory_mapped(&l->prog) + (rlim_t)l->kib * 1024;
	if (setrlimit(RLIMIT_AS, &most) != 0)
		prog_wrong(&l->prog, "setrlimit fails");
}

/* No printf: it may want memory. */
static void expect(const struct load *l, const char *call, int rc)
{
	char text[MPI_MAX_ERROR_STRING], line[MPI_MAX_ERROR_STRING + 100];
	int class = 0, n = 0;
	if (rc == MPI_SUCCESS)
		return;
	MPI_Error_class(rc, &class);
	MPI_Error_string(rc, text, &n);
	n = snprintf(line, sizeof(line), "load: rank %d: %s: %s: %s\n", l->prog.rank, call,
		class == MPI_ERR_NO_MEM ? "no memory, cleanly" : "WRONG class", text);
	if (write(STDERR_FILENO, line, (size_t)n) != n)
		_exit(3);
	MPI_Abort(MPI_COMM_WORLD, class == MPI_ERR_NO_MEM ? 9 : 1);
}

static void messages(const struct load *l)
{
	int right = (l->prog.rank + 1) % l->prog.size;
	int left = (l->prog.rank + l->prog.size - 1) % l->prog.size;
	MPI_Request r[2 * SMALL];
	for (int i = 0; i < SMALL; i++)
		expect(l, "MPI_Isend",
			MPI_Isend(out + i * 1000, 1000, MPI_BYTE, right, i, MPI_COMM_WORLD, &r[i]));
	for (int i = SMALL; i-- > 0;)
		expect(l, "MPI_Irecv",
			MPI_Irecv(in + i * 1000, 1000, MPI_BYTE, left, i, MPI_COMM_WORLD,
				&r[SMALL + i]));
	expect(l, "MPI_Waitall", MPI_Waitall(2 * SMALL, r, MPI_STATUSES_IGNORE));
	expect(l, "MPI_Sendrecv",
		MPI_Sendrecv(out, LONG, MPI_BYTE, right, 0, in, LONG, MPI_BYTE, left, 0,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* A type with holes, of which messages are packed. */
static void packed(const struct load *l)
{
	int other = l->prog.rank ^ 1;
	MPI_Datatype t;
	expect(l, "MPI_Type_vector", MPI_Type_vector(LONG / 16, 8, 16, MPI_BYTE, &t));
	expect(l, "MPI_Type_commit", MPI_Type_commit(&t));
	if (other < l->prog.size)
		expect(l, "MPI_Sendrecv",
			MPI_Sendrecv(out, 1, t, other, 0, in, 1, t, other, 0, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE));
	expect(l, "MPI_Type_free", MPI_Type_free(&t));
}

static void collectives(const struct load *l)
{
	size_t p = (size_t)l->prog.size, part = LONG / p;
	expect(l, "MPI_Bcast", MPI_Bcast(out, LONG, MPI_BYTE, 0, MPI_COMM_WORLD));
	expect(l, "MPI_Allreduce", MPI_Allreduce(out, in, LONG, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD));
	expect(l, "MPI_Alltoall",
		MPI_Alltoall(out, (int)part, MPI_BYTE, in, (int)part, MPI_BYTE, MPI_COMM_WORLD));
	expect(l, "MPI_Reduce", MPI_Reduce(out, in, LONG, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD));
}

static void communicators(const struct load *l)
{
	enum { MANY = 50 };
	MPI_Comm c[MANY], split;
	for (int i = 0; i < MANY; i++)
		expect(l, "MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &c[i]));
	expect(l, "MPI_Comm_split", MPI_Comm_split(c[0], l->prog.rank % 2, -l->prog.rank, &split));
	expect(l, "MPI_Barrier", MPI_Barrier(split));
	expect(l, "MPI_Comm_free", MPI_Comm_free(&split));
	for (int i = 0; i < MANY; i++)
		expect(l, "MPI_Comm_free", MPI_Comm_free(&c[i]));
}

static void run_memory(struct load *l)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	memset(out, 1, sizeof(out));
	memset(in, 2, sizeof(in));
	touch_stack();
	limit(l);
	messages(l);
	collectives(l);
	packed(l);
	communicators(l);
}

const struct load_case load_memory_cases[] = {
	{"memory", run_memory, 2},
	{NULL, NULL, 0},
};
