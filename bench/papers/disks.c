/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * disks: hard disks by the method of Metropolis, half of the area covered. They start from a
 * triangular lattice, of so many disks along an edge. The master has several systems; a task is one
 * of them, as it is, and so many sweeps; the result is the same system after them. A worker's
 * random numbers follow from seed and task, so the answer is the same for every number of ranks.
 *
 * How many disks nearly touch gives the pressure (by the theorem of the virial), which has to be
 * the one of Henderson's equation of state, within what so many samples allow.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deal.h"
#include "disks_box.h"

enum { EDGE_LEAST = 4, EDGE_MOST = 1000, HEAD = 3, SYSTEMS_MOST = 10000, SWEEPS_MOST = 1000000000 };

#define FRACTION 0.5
#define REACH 0.25
#define SHELL 0.05

struct disks {
	struct paper paper;
	long edge, sweeps, systems, piece, seed;
	struct box box;
	double *state;	 /* master: systems x 2 disks */
	int64_t moves;	 /* master */
	int64_t near[2]; /* master: as box_near, in all samples */
	int64_t samples; /* master */
};

static long rounds(const struct disks *d)
{
	return d->sweeps / d->piece;
}

static size_t system_size(const struct disks *d)
{
	return 2 * (size_t)d->box.disks;
}

static double *system_of(const struct disks *d, long t)
{
	return d->state + (size_t)(t % d->systems) * system_size(d);
}

/* A task: its seed in two halves, which a double can hold, and the system. */
static void write_task(void *user, long t, double *task)
{
	const struct disks *d = user;
	uint64_t seed = paper_mix((uint64_t)t ^ paper_mix((uint64_t)d->seed));

	task[0] = (double)(uint32_t)(seed >> 32);
	task[1] = (double)(uint32_t)seed;
	memcpy(task + HEAD, system_of(d, t), system_size(d) * sizeof *task);
}

/* The result: moves, pairs that nearly touch, and the system. */
static void work(void *user, const double *task, double *result)
{
	struct disks *d = user;
	uint64_t seed = (uint64_t)task[0] << 32 | (uint64_t)task[1];
	int64_t near[2] = {0, 0};

	if (!box_fill(&d->box, task + HEAD))
		prog_wrong(&d->paper.prog, "disks overlap in the task that came");
	result[0] = (double)box_sweep(&d->box, d->piece, REACH, seed);
	box_near(&d->box, SHELL, near);
	result[1] = (double)near[0];
	result[2] = (double)near[1];
	memcpy(result + HEAD, d->box.x, system_size(d) * sizeof *result);
}

/* The first fifth is the lattice's end. */
static void take_result(void *user, long t, const double *result)
{
	struct disks *d = user;

	memcpy(system_of(d, t), result + HEAD, system_size(d) * sizeof *result);
	d->moves += (int64_t)result[0];
	if (t / d->systems < rounds(d) / 5)
		return;
	d->near[0] += (int64_t)result[1];
	d->near[1] += (int64_t)result[2];
	d->samples++;
}

static void make(struct disks *d)
{
	int master = d->paper.prog.rank == 0;
	size_t systems = master ? (size_t)d->systems : 0;

	box_make(&d->box, &d->paper, d->edge, FRACTION);
	d->state = paper_array(&d->paper, systems * system_size(d), sizeof *d->state);
	for (size_t s = 0; s < systems; s++)
		box_lattice(&d->box, system_of(d, (long)s));
	if (!master)
		return;
	paper_protect(&d->paper, 2, d->state, systems * system_size(d), MPI_DOUBLE);
	paper_protect(&d->paper, 3, &d->moves, 1, MPI_INT64_T);
	paper_protect(&d->paper, 4, d->near, 2, MPI_INT64_T);
	paper_protect(&d->paper, 5, &d->samples, 1, MPI_INT64_T);
}

/* ---- the end ---- */

/* Pairs in the shell from a to b, over those that there were without any order. */
static double order(const struct disks *d, int64_t count, double a, double b)
{
	double area = d->box.width * d->box.height;
	double pairs = 0.5 * (double)d->box.disks * (double)(d->box.disks - 1);

	return (double)count / ((double)d->samples * pairs * M_PI * (b * b - a * a) / area);
}

/* PV/NkT = 1 + 2 f g(1); g at contact follows from those of the two shells. */
static double pressure(const struct disks *d)
{
	double g[2] = {order(d, d->near[0], 1.0, 1.0 + SHELL),
		order(d, d->near[1], 1.0 + SHELL, 1.0 + 2.0 * SHELL)};

	return 1.0 + 2.0 * FRACTION * (1.5 * g[0] - 0.5 * g[1]);
}

static void judge(struct disks *d)
{
	double expected = (1.0 + FRACTION * FRACTION / 8.0) / ((1.0 - FRACTION) * (1.0 - FRACTION));
	double found = d->samples > 0 ? pressure(d) : 0.0;
	/* neighbouring samples are alike, and the lattice takes a while to melt */
	int enough = rounds(d) >= 100 && d->near[1] > 20000;

	for (long s = 0; s < d->systems; s++)
		if (!box_fill(&d->box, system_of(d, s)))
			prog_wrong(&d->paper.prog, "disks of system %ld overlap", s);
	if (enough && !(fabs(found - expected) <= 0.1 * expected))
		prog_wrong(&d->paper.prog, "the pressure is %.3f, not %.3f", found, expected);
	paper_right(&d->paper,
		"%ld x %ld disks, %ld systems, %ld sweeps, seed %ld, %" PRId64
		" moves, pressure %.3f (%.3f %s), disks are at %016" PRIx64,
		d->edge, d->edge, d->systems, rounds(d) * d->piece, d->seed, d->moves, found,
		expected, enough ? "expected" : "after many more sweeps",
		paper_print_of(d->state, (size_t)d->systems * system_size(d), 0));
}

static void check_options(const struct disks *d)
{
	if (d->edge % 2 != 0 || d->edge < EDGE_LEAST || d->edge > EDGE_MOST)
		paper_refuse(&d->paper,
			"%ld disks along an edge: an even number from %d to %d is needed", d->edge,
			EDGE_LEAST, EDGE_MOST);
	paper_at_most(&d->paper, "systems", d->systems, SYSTEMS_MOST);
	paper_at_most(&d->paper, "sweeps", d->sweeps, SWEEPS_MOST);
	if (d->sweeps < d->piece)
		paper_refuse(
			&d->paper, "%ld sweeps are less than one task of %ld", d->sweeps, d->piece);
}

int main(int argc, char **argv)
{
	struct disks d = {.paper.steps = STEPS_DEFAULT,
		.edge = 16,
		.sweeps = 1000,
		.systems = 8,
		.piece = 5,
		.seed = 1};
	struct deal deal = {.paper = &d.paper,
		.ahead = 2,
		.user = &d,
		.write = write_task,
		.work = work,
		.take = take_result};
	const struct prog_option options[] = {
		{"edge", NULL, PROG_LONG, &d.edge, 1, "disks along an edge (default 16)"},
		{"-sweeps", "N", PROG_LONG, &d.sweeps, 1, "of each system (default 1000)"},
		{"-systems", "N", PROG_LONG, &d.systems, 1, "of disks (default 8)"},
		{"-piece", "N", PROG_LONG, &d.piece, 1, "sweeps of a task (default 5)"},
		{"-seed", "S", PROG_LONG, &d.seed, 0, "of the random numbers (default 1)"},
		PAPER_OPTIONS(d.paper),
	};

	MPI_Init(&argc, &argv);
	d.paper.prog = (struct prog){"disks",
		"hard disks by the method of Metropolis, a master and "
		"workers; a step is a task",
		options, sizeof options / sizeof *options, 0, 1};
	paper_begin(&d.paper, argc, argv);
	check_options(&d);
	make(&d);
	deal.tasks = d.systems * rounds(&d);
	deal.after = d.systems;
	deal.task_size = deal.result_size = system_size(&d) + HEAD;
	deal_begin(&deal, 1);
	paper_start(&d.paper, deal.tasks);
	deal_run(&deal);
	paper_stop(&d.paper);
	if (d.paper.prog.rank == 0)
		judge(&d);
	deal_end(&deal);
	free(d.state);
	box_free(&d.box);
	MPI_Finalize();
	return 0;
}
