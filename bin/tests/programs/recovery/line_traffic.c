/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * line_traffic: who talks to whom is chosen, and the same in every run: in each interval every rank
 * sends to its receivers of the pattern, a number in each message, gets what is sent to it, and
 * makes its checkpoint. For what lines cost that depends on who has exchanged anything.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ftmpi.h>

#include "prog.h"

enum { ID = 1 };

static long rounds = 1, lines = 1, tags = 1;
static int sure;
static const char *name = "neighbours", *gate = "";

static const struct prog_option options[] = {
	{"pattern", NULL, PROG_TEXT, &name, 0,
		"neighbours (on a ring, both ways; the default), all, none, one-way (each to the "
		"next rank, the last to none), turning (in interval i each to the i-th after it)"},
	{"-rounds", "N", PROG_LONG, &rounds, 0, "messages of each such pair and interval (1)"},
	{"-tags", "N", PROG_LONG, &tags, 1, "they have so many tags by turns (1)"},
	{"-lines", "N", PROG_LONG, &lines, 0, "checkpoints (1)"},
	{"-sure", NULL, PROG_FLAG, &sure, 0, "wait for each line to be committed"},
	{"-gate", "FIFO", PROG_TEXT, &gate, 0,
		"when the lines are there say so on standard error, then wait until nobody writes "
		"to the FIFO any more"},
};

static struct prog prog = {"line_traffic", "talks by a pattern between checkpoints", options,
	sizeof options / sizeof *options, 0, 1};

/* ---- the patterns: does `from` send to `to`? They are two ranks. ---- */

static bool neighbours(int from, int to, long interval)
{
	int step = (to - from + prog.size) % prog.size;

	(void)interval;
	return step == 1 || step == prog.size - 1;
}

static bool all(int from, int to, long interval)
{
	(void)from, (void)to, (void)interval;
	return true;
}

static bool none(int from, int to, long interval)
{
	(void)from, (void)to, (void)interval;
	return false;
}

static bool one_way(int from, int to, long interval)
{
	(void)interval;
	return to == from + 1;
}

static bool turning(int from, int to, long interval)
{
	return (to - from + prog.size) % prog.size == interval % prog.size;
}

static const struct pattern {
	const char *name;
	bool (*sends)(int from, int to, long interval);
} patterns[] = {
	{"neighbours", neighbours},
	{"all", all},
	{"none", none},
	{"one-way", one_way},
	{"turning", turning},
};

static const struct pattern *pattern_named(void)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (strcmp(patterns[i].name, name) == 0)
			return &patterns[i];
	if (prog.rank == 0)
		fprintf(stderr, "line_traffic: there is no pattern '%s'; try line_traffic -h\n", name);
	MPI_Finalize();
	exit(2);
}

/* ---- an interval ---- */

static uint64_t number(int from, long interval, long round)
{
	return ((uint64_t)from << 48) + ((uint64_t)interval << 24) + (uint64_t)round;
}

struct round {
	uint64_t out, *in;
	MPI_Request *requests;
};

static void talk(const struct pattern *p, const struct round *r, int tag, long interval)
{
	int n = 0;

	for (int q = 0; q < prog.size; q++)
		if (q != prog.rank && p->sends(q, prog.rank, interval))
			MPI_Irecv(&r->in[q], 1, MPI_UINT64_T, q, tag, MPI_COMM_WORLD,
				&r->requests[n++]);
	for (int q = 0; q < prog.size; q++)
		if (q != prog.rank && p->sends(prog.rank, q, interval))
			MPI_Isend(&r->out, 1, MPI_UINT64_T, q, tag, MPI_COMM_WORLD,
				&r->requests[n++]);
	MPI_Waitall(n, r->requests, MPI_STATUSES_IGNORE);
}

static void check(const struct pattern *p, const struct round *r, long interval, long round)
{
	for (int q = 0; q < prog.size; q++)
		if (q != prog.rank && p->sends(q, prog.rank, interval) &&
			r->in[q] != number(q, interval, round))
			prog_wrong(&prog, "rank %d sent %llx in round %ld of interval %ld", q,
				(unsigned long long)r->in[q], round, interval);
}

static void one_interval(const struct pattern *p, struct round *r, long interval)
{
	for (long i = 0; i < rounds; i++) {
		r->out = number(prog.rank, interval, i);
		talk(p, r, (int)(i % tags), interval);
		check(p, r, interval, i);
	}
	if (FTMPI_Perform_Checkpoint() != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "checkpoint %ld was not made", interval);
	if (sure && FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "line %ld was not committed", interval);
}

/* Before MPI_Finalize, which is a word with ranks that the pattern does not know. */
static void wait_at_gate(void)
{
	char c;
	int fd = open(gate, O_RDONLY | O_CLOEXEC);

	fprintf(stderr, "line_traffic: rank %d waits at the gate\n", prog.rank);
	if (fd < 0 || read(fd, &c, 1) != 0)
		prog_wrong(&prog, "cannot read %s to its end", gate);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct pattern *p;
	struct round r;

	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	p = pattern_named();
	r.in = prog_alloc(&prog, (size_t)prog.size * sizeof *r.in);
	r.requests = prog_alloc(&prog, 2 * (size_t)prog.size * sizeof *r.requests);
	if (FTMPI_CKPT_Protect(ID, &prog.rank, 1, MPI_INT) != MPI_SUCCESS)
		prog_wrong(&prog, "the rank cannot be protected");
	FTMPI_Restore();
	for (long i = 1; i <= lines; i++)
		one_interval(p, &r, i);
	if (lines && FTMPI_CKPT_Wait() != FTMPI_CHECKPOINTED)
		prog_wrong(&prog, "line %ld was not committed", lines);
	if (*gate)
		wait_at_gate();
	if (prog.rank == 0)
		printf("line_traffic: right, %s, %ld lines, %d ranks\n", name, lines, prog.size);
	free(r.in);
	free(r.requests);
	MPI_Finalize();
	return 0;
}
