/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * p2p: the less common calls of point-to-point communication, case by case: buffered sends,
 * matched probes, requests of every kind. Without a case all are run that have ranks enough.
 */
#include "p2p.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD_SECONDS = 100 };

static const char *name;
static int lines;
static const struct prog_option options[] = {
	{"CASE", NULL, PROG_TEXT, &name, 0, "this case alone"},
	{"-lines", NULL, PROG_FLAG, &lines, 0,
		"a line may be made at any moment: no case in which a send has to wait"},
};
struct prog p2p = {"p2p", "point-to-point communication, case by case", options, 2, 0, 1};

static const struct p2p_case *const parts[] = {p2p_buffered, p2p_matched, p2p_sendrecv,
	p2p_requests, p2p_generalised, p2p_partitioned, p2p_short, p2p_no_data, p2p_last};

/* In these a send waits for its receive, and must not be over before; a line takes its message. */
static const char *const waiting[] = {"buffered-refill", "buffered-flush", "buffered-communicator",
	"buffered-at-once", "matched-cancel", "cancel-sends", "both-ways-done"};

static bool has_to_wait(const char *what)
{
	for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
		if (strcmp(waiting[i], what) == 0)
			return true;
	return false;
}

void p2p_want(bool right, const char *fmt, ...)
{
	char text[500];
	va_list args;

	if (right)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	prog_wrong(&p2p, "%s", text);
}

void p2p_error(const char *what, int class, int rc)
{
	int got = MPI_SUCCESS, length = 0;
	char text[MPI_MAX_ERROR_STRING] = "success";

	if (rc != MPI_SUCCESS) {
		MPI_Error_class(rc, &got);
		MPI_Error_string(rc, text, &length);
	}
	p2p_want(got == class, "%s: error class %d (%s), not %d", what, got, text, class);
}

static unsigned char byte_of(int seed, size_t i)
{
	return (unsigned char)(seed * 37 + (int)(i % 253));
}

unsigned char *p2p_bytes(int seed, size_t n)
{
	unsigned char *p = prog_alloc(&p2p, n);

	for (size_t i = 0; i < n; i++)
		p[i] = byte_of(seed, i);
	return p;
}

void p2p_check(const char *what, const unsigned char *bytes, int seed, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p2p_want(bytes[i] == byte_of(seed, i), "%s: byte %zu of %zu is %d, not %d", what, i,
			n, bytes[i], byte_of(seed, i));
}

void p2p_tell(int other)
{
	MPI_Send(NULL, 0, MPI_BYTE, other, P2P_GO, MPI_COMM_WORLD);
}

void p2p_wait(int other)
{
	MPI_Recv(NULL, 0, MPI_BYTE, other, P2P_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void p2p_status(const char *what, const MPI_Status *s, int source, int tag, int bytes)
{
	int count = -1;

	MPI_Get_count(s, MPI_BYTE, &count);
	p2p_want(s->MPI_SOURCE == source && s->MPI_TAG == tag && count == bytes,
		"%s: source %d, tag %d, %d bytes; not %d, %d, %d", what, s->MPI_SOURCE, s->MPI_TAG,
		count, source, tag, bytes);
}

void p2p_recv(const char *what, int source, int tag, int seed, int n, MPI_Comm comm)
{
	unsigned char *p = prog_alloc(&p2p, (size_t)n);
	MPI_Status s;

	MPI_Recv(p, n, MPI_BYTE, source, tag, comm, &s);
	p2p_status(what, &s, source, tag, n);
	p2p_check(what, p, seed, (size_t)n);
	free(p);
}

__attribute__((no_sanitize("thread"))) unsigned char p2p_seen(const volatile unsigned char *byte)
{
	return *byte;
}

static int run(const struct p2p_case *c)
{
	int flag = 0;

	if (p2p.size < c->ranks || (lines && has_to_wait(c->name)))
		return 0;
	c->run();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	p2p_want(!flag, "%s: a message is left over", c->name);
	MPI_Barrier(MPI_COMM_WORLD);
	return 1;
}

int main(int argc, char **argv)
{
	int provided, done = 0;

	alarm(prog_patience(GUARD_SECONDS));
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	prog_begin(&p2p, argc, argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (const struct p2p_case *c = parts[i]; c->name; c++)
			if (name ? strcmp(name, c->name) == 0 : parts[i] != p2p_last)
				done += run(c);
	p2p_want(done > 0, "no case is called %s", name ? name : "");
	if (p2p.rank == 0)
		printf("p2p: right, %d cases, %d ranks\n", done, p2p.size);
	MPI_Finalize();
	return 0;
}
