/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mail: ranks send each other random messages, large and small, many of which are on their way when
 * a checkpoint is made: sent and not received, or awaited and not sent. The answer depends on every
 * message having come once, unchanged, and in order (mail_plan.h); each rank also checks that
 * itself.
 *
 * A checkpoint saves counts and chains (protected) and which receives are open (the data buffer).
 * After a restore those are posted again, in the same order; sends that were not done are not.
 */
#include "mail.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <ftmpi.h>

#include "steps.h"

enum { ID_PLACE, ID_COUNTS, ID_CHAINS };

struct mail {
	const struct prog *prog;
	struct steps steps;
	struct mailbox box;
	int64_t place[2]; /* step, messages received */
};

static void must(const struct mail *m, int rc, const char *call)
{
	if (rc != MPI_SUCCESS)
		prog_wrong(m->prog, "%s returned %d", call, rc);
}

static void protect(const struct mail *m, int id, void *addr, size_t bytes)
{
	must(m, FTMPI_CKPT_Protect(id, addr, (MPI_Count)bytes, MPI_BYTE), "FTMPI_CKPT_Protect");
}

/* The queues of the open receives, oldest first. */
static void pack_receives(const struct mail *m)
{
	const struct mail_list *list = &m->box.receives;
	int64_t count = (int64_t)list->count;
	must(m, FTMPI_CKPT_ReAllocBuffer((MPI_Count)sizeof(count) * (count + 1)),
		"FTMPI_CKPT_ReAllocBuffer");
	must(m, FTMPI_CKPT_ResetBufPtr(), "FTMPI_CKPT_ResetBufPtr");
	must(m, FTMPI_CKPT_AddToBuffer(&count, sizeof(count)), "FTMPI_CKPT_AddToBuffer");
	for (size_t i = 0; i < list->count; i++) {
		int64_t queue = list->at[i].queue;
		must(m, FTMPI_CKPT_AddToBuffer(&queue, sizeof(queue)), "FTMPI_CKPT_AddToBuffer");
	}
}

static void post_again(struct mail *m)
{
	int64_t count = 0, queue = 0;
	must(m, FTMPI_CKPT_GetFromBuffer(&count, sizeof(count)), "FTMPI_CKPT_GetFromBuffer");
	for (int64_t i = 0; i < count; i++) {
		must(m, FTMPI_CKPT_GetFromBuffer(&queue, sizeof(queue)),
			"FTMPI_CKPT_GetFromBuffer");
		if (queue < 0 || queue >= m->box.queues)
			prog_wrong(m->prog, "the data buffer holds queue %" PRId64, queue);
		mailbox_post(&m->box, (int)queue);
	}
}

static void checkpoint(struct mail *m)
{
	pack_receives(m);
	m->place[1] = m->box.received;
	steps_line(&m->steps, (long)m->place[0], FTMPI_Perform_Checkpoint());
}

/* Chains are protected after the restore, as memory whose size was itself restored would be. */
static void begin_or_restore(struct mail *m)
{
	struct mailbox *box = &m->box;
	size_t queues = (size_t)box->queues;
	protect(m, ID_PLACE, m->place, sizeof(m->place));
	protect(m, ID_COUNTS, box->count, queues * sizeof(*box->count));
	int verdict = FTMPI_Restore();
	protect(m, ID_CHAINS, box->chain, queues * (size_t)m->prog->size * sizeof(*box->chain));
	if (verdict != FTMPI_RESTORED)
		return;
	box->received = m->place[1];
	post_again(m);
	steps_restored(&m->steps, (long)m->place[0]);
}

static void agree(const struct mail *m, const char *what, int64_t got, int64_t wanted)
{
	if (got != wanted)
		prog_wrong(m->prog, "step %" PRId64 ": %s gives %" PRId64 ", not %" PRId64,
			m->place[0], what, got, wanted);
}

/* Collective operations between the messages. */
static void gather_around(const struct mail *m, int64_t step)
{
	int64_t size = m->prog->size, rank = m->prog->rank, mine = step * (rank + 1), all = 0;
	switch (mail_random(m->box.plan.seed, (uint64_t)step, UINT64_MAX) % 4) {
	case 0:
		MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
		agree(m, "the sum", all, step * size * (size + 1) / 2);
		break;
	case 1:
		MPI_Bcast(&mine, 1, MPI_INT64_T, (int)(step % size), m->box.comm[MAIL_DUP]);
		agree(m, "the broadcast", mine, step * (step % size + 1));
		break;
	case 2:
		MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MIN, m->box.comm[MAIL_HALF]);
		agree(m, "the least of a half", all, step * (rank % 2 + 1));
		break;
	default:
		break;
	}
}

static void exchange(struct mail *m)
{
	while (m->place[0] < mail_last_step(&m->box.plan)) {
		long step = (long)++m->place[0];
		mailbox_step(&m->box, step);
		gather_around(m, step);
		if (steps_line_wanted(&m->steps, step))
			checkpoint(m);
		steps_done(&m->steps, step);
	}
}

static void answer(struct mail *m, double begin)
{
	int size = m->prog->size;
	int64_t received = m->box.received, all = 0;
	uint64_t mine = mailbox_sum(&m->box), checksum = 0;
	uint64_t *sums = prog_alloc(m->prog, (size_t)size * sizeof(*sums));
	MPI_Reduce(&received, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Gather(&mine, 1, MPI_UINT64_T, sums, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	for (int r = 0; r < size && m->prog->rank == 0; r++)
		checksum = mail_chain(checksum, sums[r]);
	free(sums);
	if (m->prog->rank == 0)
		printf("mail: right, checksum %08" PRIx32 ", %" PRId64 " messages, %ld steps, seed "
		       "%" PRIu64 ", %d ranks, %.3f s\n",
			(uint32_t)checksum, all, m->box.plan.steps, m->box.plan.seed, size,
			MPI_Wtime() - begin);
}

int main(int argc, char **argv)
{
	struct mail m = {.steps = STEPS_DEFAULT};
	long seed = 1, steps = 200, bytes = 1 << 20;
	const struct prog_option options[] = {
		{"-seed", "S", PROG_LONG, &seed, 0, "seed of the plan (default 1)"},
		{"-steps", "N", PROG_LONG, &steps, 1,
			"steps at which messages are sent (default 200)"},
		{"-bytes", "MAX", PROG_LONG, &bytes, 0, "longest message (default 1048576)"},
		STEPS_OPTIONS(m.steps),
	};
	struct prog prog = {"mail", "random messages across checkpoints", options,
		sizeof(options) / sizeof(options[0]), 0, 1};
	MPI_Init(&argc, &argv);
	prog_begin(&prog, argc, argv);
	m.prog = &prog;
	steps_begin(&m.steps, &prog);
	if (bytes > INT_MAX)
		prog_wrong(&prog, "-bytes %ld: at most %d", bytes, INT_MAX);
	double begin = MPI_Wtime();
	struct mail_plan plan = {(uint64_t)seed, steps, prog.size, bytes};
	mailbox_make(&m.box, &prog, &plan);
	begin_or_restore(&m);
	exchange(&m);
	mailbox_verify(&m.box);
	answer(&m, begin);
	mailbox_free(&m.box);
	FTMPI_CKPT_DeAllocBuffer();
	MPI_Finalize();
	return 0;
}
