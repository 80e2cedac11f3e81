/* SPDX-License-Identifier: BSD-3-Clause */
/* Much of everything: ranks, messages under way, bytes, waiting; and little memory. A case each. */
#include "load.h"

#include <stdio.h>
#include <string.h>

#include <mpi.h>

static const struct load_case *const families[] = {
	load_many_cases, load_flood_cases, load_absent_cases, load_large_cases, load_memory_cases};

static const struct load_case *case_named(const char *name)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
		for (const struct load_case *c = families[f]; c->name != NULL; c++)
			if (strcmp(c->name, name) == 0)
				return c;
	return NULL;
}

void load_bound(const struct load *l, const char *what, size_t measured, size_t most)
{
	if (measured > most)
		prog_wrong(&l->prog, "%s: %s: %zu KiB, and %zu KiB are the most", l->what, what,
			measured >> 10, most >> 10);
}

int main(int argc, char **argv)
{
	struct load l = {.messages = 10000, .bytes = 4096, .rounds = 10, .kib = 65536};
	const struct prog_option options[] = {
		{"CASE", NULL, PROG_TEXT, &l.what, 0, "which case"},
		{"-messages", "N", PROG_LONG, &l.messages, 1, "how many messages (default 10000)"},
		{"-bytes", "B", PROG_LONG, &l.bytes, 0, "of a block (default 4096)"},
		{"-rounds", "N", PROG_LONG, &l.rounds, 1, "how often (default 10)"},
		{"-kib", "N", PROG_LONG, &l.kib, 0,
			"address space left to a rank, in KiB (default 65536)"},
		{"-file", "PATH", PROG_TEXT, &l.file, 0, "a FIFO, or the file that ends the case"},
	};
	l.prog = (struct prog){"load", "much of everything, and little memory", options, 6, 0, 1};
	load_absent_before_init(argc, argv);
	MPI_Init(&argc, &argv);
	prog_begin(&l.prog, argc, argv);
	const struct load_case *c = l.what != NULL ? case_named(l.what) : NULL;
	if (c == NULL)
		prog_wrong(&l.prog, "there is no case called %s", l.what ? l.what : "nothing");
	if (l.prog.size < c->ranks)
		prog_wrong(&l.prog, "%s: give it %d ranks or more", c->name, c->ranks);
	c->run(&l);
	MPI_Barrier(MPI_COMM_WORLD);
	if (l.prog.rank == 0)
		printf("load: right, %s, %d ranks\n", c->name, l.prog.size);
	MPI_Finalize();
	return 0;
}
