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

static bool is_numbered(const struct coll_run *run, const struct sched_step *t)
{
	return t->kind == SCHED_SEND && receiver_of(run, t) != comm_world()->rank;
}

/* They are all 0. */
static int make_numbers(struct coll_run *run)
{
	free(run->numbers);
	run->numbers = calloc(run->s.n + 1, sizeof *run->numbers);
	return run->numbers ? MPI_SUCCESS
			    : fail_with(MPI_ERR_NO_MEM, "no memory for the numbers of %zu messages",
				      run->s.n);
}

int coll_open_reserve(struct coll_open *o)
{
	struct coll_run *run = &o->run;
	int rc;

	if (!p2p_log_is_used())
		return MPI_SUCCESS;
	rc = make_numbers(run);
	if (rc)
		return rc;
	for (size_t i = 0; i < run->s.n; i++) {
		const struct sched_step *t = &run->s.steps[i];

		if (!is_numbered(run, t))
			continue;
		run->numbers[i] = p2p_log_reserve(receiver_of(run, t));
		if (!run->numbers[i])
			return MPI_ERR_NO_MEM;
	}
	return MPI_SUCCESS;
}

static bool is_unsent(const struct coll_run *run, size_t i)
{
	return run->numbers && run->numbers[i] &&
	       p2p_log_is_reserved(receiver_of(run, &run->s.steps[i]), run->numbers[i]);
}

int coll_open_send_rest(struct coll_open *o)
{
	struct coll_run *run = &o->run;
	int worst = MPI_SUCCESS, rc;

	for (size_t i = 0; i < run->s.n; i++) {
		struct p2p_message m;
		struct request *none;

		if (!is_unsent(run, i))
			continue;
		m = coll_steps_message(run, &run->s.steps[i]);
		m.count = 0;
		rc = p2p_send(&m, false, &none);
		worst = worst ? worst : rc;
	}
	return worst;
}

uint32_t coll_open_unsent(const struct coll_open *o, uint64_t *v)
{
	uint32_t n = 0;

	for (size_t i = 0; i < o->run.s.n; i++) {
		if (!is_unsent(&o->run, i))
			continue;
		if (v)
			v[n] = o->run.numbers[i];
		n++;
	}
	return n;
}

int coll_open_number_again(struct coll_open *o, size_t at, const uint64_t *v, uint32_t n)
{
	struct coll_run *run = &o->run;
	uint32_t given = 0;
	int rc;

	if (!p2p_log_is_used())
		return n ? MPI_ERR_ARG : MPI_SUCCESS;
	rc = make_numbers(run);
	if (rc)
		return rc;
	for (size_t i = coll_steps_round_end(&run->s, at); i < run->s.n; i++) {
		const struct sched_step *t = &run->s.steps[i];

		if (!is_numbered(run, t))
			continue;
		if (given == n || !p2p_log_is_reserved(receiver_of(run, t), v[given]))
			return MPI_ERR_ARG;
		run->numbers[i] = v[given++];
	}
	return given == n ? MPI_SUCCESS : MPI_ERR_ARG;
}
