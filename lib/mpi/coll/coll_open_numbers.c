/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Under message logging: an operation sends its messages when it gets on, at no certain place of
 * the program, so their numbers are taken as it begins (doc/msglog.md).
 */
#include <stdlib.h>

#include "coll_open.h"
#include "coll_steps.h"
#include "mpi/handle/fail.h"
#include "mpi/p2p/p2p_log.h"

/* In the world. */
static int receiver_of(const struct coll_run *run, const struct sched_step *t)
{
	return comm_world_rank(coll_steps_comm(run, t), t->peer);
}

int coll_open_reserve(struct coll_open *o)
{
	struct coll_run *run = &o->run;

	if (!p2p_log_is_used())
		return MPI_SUCCESS;
	if (!run->numbers)
		run->numbers = calloc(run->s.n + 1, sizeof *run->numbers);
	if (!run->numbers)
		return fail_with(
			MPI_ERR_NO_MEM, "no memory for the numbers of %zu messages", run->s.n);
	for (size_t i = 0; i < run->s.n; i++) {
		const struct sched_step *t = &run->s.steps[i];

		if (t->kind != SCHED_SEND || receiver_of(run, t) == comm_world()->rank)
			continue;
		run->numbers[i] = p2p_log_reserve(receiver_of(run, t));
		if (!run->numbers[i])
			return MPI_ERR_NO_MEM;
	}
	return MPI_SUCCESS;
}

int coll_open_send_rest(struct coll_open *o)
{
	struct coll_run *run = &o->run;
	int worst = MPI_SUCCESS, rc;

	for (size_t i = 0; run->numbers && i < run->s.n; i++) {
		const struct sched_step *t = &run->s.steps[i];
		struct p2p_message m;
		struct request *none;

		if (!run->numbers[i] || !p2p_log_is_reserved(receiver_of(run, t), run->numbers[i]))
			continue;
		m = coll_steps_message(run, t);
		m.count = 0;
		rc = p2p_send(&m, false, &none);
		worst = worst ? worst : rc;
	}
	return worst;
}
