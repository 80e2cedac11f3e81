/* SPDX-License-Identifier: BSD-3-Clause */
#include "turn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

/* For reading and writing: then neither waits for somebody at the other end. */
static int open_pipe(const struct prog *prog, const char *name)
{
	int fd = name != NULL ? open(name, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		prog_wrong(prog, "cannot open the pipe %s: %s", name != NULL ? name : "(none)",
			name != NULL ? strerror(errno) : "-turn-from and -turn-to belong together");
	return fd;
}

static void await(const struct turn *t, const struct prog *prog)
{
	ssize_t n;
	char word;

	do
		n = read(t->in, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		prog_wrong(prog, "cannot read from the pipe %s", t->from);
}

static void pass(const struct turn *t, const struct prog *prog)
{
	if (write(t->out, "t", 1) != 1)
		prog_wrong(prog, "cannot write to the pipe %s", t->to);
}

static int is_alone(const struct turn *t)
{
	return t->from == NULL && t->to == NULL;
}

void turn_begin(struct turn *t, const struct prog *prog)
{
	if (is_alone(t))
		return;
	MPI_Barrier(MPI_COMM_WORLD);
	if (prog->rank == 0) {
		t->in = open_pipe(prog, t->from);
		t->out = open_pipe(prog, t->to);
		await(t, prog); /* the first time round says that all are there */
	}
	turn_next(t, prog);
}

void turn_next(struct turn *t, const struct prog *prog)
{
	if (is_alone(t))
		return;
	if (prog->rank == 0) {
		pass(t, prog);
		await(t, prog);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

void turn_end(struct turn *t, const struct prog *prog)
{
	if (is_alone(t) || prog->rank != 0)
		return;
	pass(t, prog);
	close(t->in);
	close(t->out);
}
