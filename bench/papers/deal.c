/* SPDX-License-Identifier: BSD-3-Clause */
#include "deal.h"

#include <stdlib.h>

enum { TAG_TASK = 21, TAG_RESULT = 22 };

static int workers(const struct deal *d)
{
	return d->paper->prog.size - 1;
}

static int worker_of(const struct deal *d, long t)
{
	return 1 + (int)(t % workers(d));
}

/* What is sent stays in its slot until it is gone; more tasks than slots are never out. */
static double *slot(const struct deal *d, long t, size_t size)
{
	return d->out + (size_t)(t % d->slots) * size;
}

void deal_begin(struct deal *d, int id)
{
	int master = d->paper->prog.rank == 0;

	d->slots = (long)d->ahead * (master && workers(d) > 0 ? workers(d) : 1);
	if (d->after > 0 && d->slots > d->after)
		d->slots = d->after;
	d->out = paper_array(d->paper, (size_t)d->slots * (master ? d->task_size : d->result_size),
		sizeof *d->out);
	d->in = paper_array(d->paper, master ? d->result_size : d->task_size, sizeof *d->in);
	d->sent = paper_array(d->paper, (size_t)d->slots, sizeof *d->sent);
	for (long i = 0; i < d->slots; i++)
		d->sent[i] = MPI_REQUEST_NULL;
	if (master)
		paper_protect(d->paper, id, &d->dealt, 1, MPI_INT64_T);
}

static void send(struct deal *d, long place, size_t size, int to, int tag)
{
	MPI_Isend(slot(d, place, size), (int)size, MPI_DOUBLE, to, tag, MPI_COMM_WORLD,
		&d->sent[place % d->slots]);
}

/* Tasks t and later, as many as may be out. */
static void deal_ahead(struct deal *d, long t)
{
	for (; d->dealt < d->tasks && d->dealt < t + d->slots; d->dealt++) {
		long next = (long)d->dealt;
		MPI_Wait(&d->sent[next % d->slots], MPI_STATUS_IGNORE);
		d->write(d->user, next, slot(d, next, d->task_size));
		send(d, next, d->task_size, worker_of(d, next), TAG_TASK);
	}
}

static void master_step(struct deal *d, long t)
{
	deal_ahead(d, t);
	MPI_Recv(d->in, (int)d->result_size, MPI_DOUBLE, worker_of(d, t), TAG_RESULT,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	d->take(d->user, t, d->in);
}

static void worker_step(struct deal *d, long t)
{
	long place = t / workers(d);

	if (worker_of(d, t) != d->paper->prog.rank)
		return;
	MPI_Recv(d->in, (int)d->task_size, MPI_DOUBLE, 0, TAG_TASK, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	MPI_Wait(&d->sent[place % d->slots], MPI_STATUS_IGNORE);
	d->work(d->user, d->in, slot(d, place, d->result_size));
	send(d, place, d->result_size, 0, TAG_RESULT);
}

/* Its own worker. */
static void lonely_step(struct deal *d, long t)
{
	d->write(d->user, t, d->out);
	d->work(d->user, d->out, d->in);
	d->take(d->user, t, d->in);
}

void deal_run(struct deal *d)
{
	void (*step)(struct deal * d, long t) = workers(d) == 0		   ? lonely_step
						: d->paper->prog.rank == 0 ? master_step
									   : worker_step;
	while (d->paper->step < d->tasks) {
		step(d, (long)d->paper->step);
		paper_step(d->paper);
	}
	MPI_Waitall((int)d->slots, d->sent, MPI_STATUSES_IGNORE);
}

void deal_end(struct deal *d)
{
	free(d->sent);
	free(d->in);
	free(d->out);
}
