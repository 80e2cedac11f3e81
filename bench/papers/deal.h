/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A master and its workers. Rank 0 deals tasks to the others in turn, some of them ahead, and
 * collects the results in the order of the tasks. Nobody takes what happens to come first: a run
 * that goes on from a recovery line must send what was sent before, so who gets a task follows from
 * its number. A job of one rank works alone.
 *
 * Steps are tasks: the master makes its checkpoint between two results, a worker before its first
 * task from there on. Tasks that were dealt ahead are then on their way across the line.
 */
#ifndef FTMPI_PAPERS_DEAL_H
#define FTMPI_PAPERS_DEAL_H

#include "paper.h"

struct deal {
	struct paper *paper;
	long tasks;
	int ahead;  /* tasks that may be out at once, for each worker */
	long after; /* a task needs the result of the one so many before it; 0: of none */
	size_t task_size, result_size; /* doubles */
	void *user;
	/* On the master: write task t; take its result. Tasks and results come in their order each.
	 */
	void (*write)(void *user, long t, double *task);
	void (*take)(void *user, long t, const double *result);
	/* On a worker. */
	void (*work)(void *user, const double *task, double *result);
	/* the deal's own */
	int64_t dealt;
	double *out, *in;
	MPI_Request *sent;
	long slots;
};

/* Names what the deal has to know; id: of paper_protect. Before paper_start. */
void deal_begin(struct deal *d, int id);

/* All tasks from the step of the paper on. */
void deal_run(struct deal *d);

void deal_end(struct deal *d);

#endif
