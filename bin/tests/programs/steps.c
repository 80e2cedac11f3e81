/* SPDX-License-Identifier: BSD-3-Clause */
#include "steps.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ftmpi.h>

enum { TAG_NEVER = 32000 };

static void wait_asleep(const struct steps *s)
{
	(void)s;
	for (;;)
		pause();
}

static void wait_computing(const struct steps *s)
{
	volatile unsigned long turns = 0;
	(void)s;
	for (;;)
		turns++;
}

static void wait_receiving(const struct steps *s)
{
	(void)s;
	MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, TAG_NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 never comes. */
static void wait_together(const struct steps *s)
{
	if (s->prog->rank == 0)
		wait_receiving(s);
	MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
	const char *how;
	void (*wait)(const struct steps *s);
} ways[] = {
	{"sleep", wait_asleep},
	{"compute", wait_computing},
	{"receive", wait_receiving},
	{"collective", wait_together},
};

void steps_begin(struct steps *s, const struct prog *prog)
{
	bool known = false;
	s->prog = prog;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		known = known || strcmp(ways[i].how, s->how) == 0;
	if (!known)
		prog_wrong(prog, "-hold-in %s: try %s -h", s->how, prog->name);
	if (FTMPI_Get_restart_count(&s->run) != MPI_SUCCESS)
		prog_wrong(prog, "FTMPI_Get_restart_count failed");
}

bool steps_line_wanted(const struct steps *s, long step)
{
	int due = 0;
	if (FTMPI_Checkpoint_due(&due) != MPI_SUCCESS)
		prog_wrong(s->prog, "FTMPI_Checkpoint_due failed");
	return due || (s->every > 0 && step % s->every == 0);
}

static void say(const struct steps *s, const char *what, long step)
{
	if (!s->trace || s->prog->rank != 0)
		return;
	printf("%s %ld\n", what, step);
	fflush(stdout);
}

void steps_restored(const struct steps *s, long step)
{
	say(s, "restored after round", step);
}

void steps_line(const struct steps *s, long step, int verdict)
{
	if (s->sure && s->every > 0 && verdict != FTMPI_RESTORED)
		verdict = FTMPI_CKPT_Wait();
	int first = verdict;
	if (s->trace && s->every > 0)
		MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (first != verdict)
		prog_wrong(s->prog, "FTMPI_Perform_Checkpoint returned %d here, %d on rank 0",
			verdict, first);
	steps_line_here(s, step, verdict);
}

void steps_line_here(const struct steps *s, long step, int verdict)
{
	say(s, verdict == FTMPI_CHECKPOINTED ? "line after round" : "no line after round", step);
}

void steps_done(const struct steps *s, long step)
{
	say(s, "round", step);
	if (step != s->hold || s->run >= s->holds)
		return;
	printf("rank %d waits after round %ld\n", s->prog->rank, step);
	fflush(stdout);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(ways[i].how, s->how) == 0)
			ways[i].wait(s);
}
