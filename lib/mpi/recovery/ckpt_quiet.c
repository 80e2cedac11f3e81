/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before a line is taken: what the program has begun, and what goes on without it, comes to its end
 * on all ranks. What would be sent while others drain their channels and clear their counts would
 * be thrown away there, or counted on the wrong side of the restore.
 *
 * Collective operations that nobody waits for need each other's messages, and nothing else, so all
 * that every member has begun come to their end. Ranks compare what they have seen again and again:
 * all that was sent has come, and no operation has made a step since the comparison before. Then
 * none will: the operations that are left lack a member.
 */
#include <stdio.h>

#include "base/log.h"
#include "ckpt_job.h"
#include "ckpt_restore.h"
#include "ckpt_wait.h"
#include "mpi/coll/coll_launch.h"
#include "mpi/coll/team.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_saved.h"
#include "mpi/p2p/request.h"
#include "mpi/rma/rma.h"

/* What a thread waits for inside a call is thrown away. */
static void must_be_alone(void)
{
	if (engine_alone())
		return;
	process_last_words();
	log_error("%s: another thread is inside an MPI call; all but one must stay out of MPI "
		  "while a line is restored",
		fail_call());
	process_die(MPI_ERR_OTHER);
}

/* All that has happened to this rank's operations. */
struct seen {
	uint64_t sent, arrived;
	struct coll_standing open;
};

static struct seen look(const struct coord *c)
{
	struct seen now = {0};

	engine_look();
	now.arrived = c->arrived;
	now.open = coll_open_standing();
	for (int i = 0; i < c->size; i++)
		now.sent += c->sent[i];
	return now;
}

static bool same(const struct seen *a, const struct seen *b)
{
	return a->sent == b->sent && a->arrived == b->arrived &&
	       a->open.unfinished == b->open.unfinished && a->open.rounds == b->open.rounds &&
	       a->open.messages == b->open.messages;
}

struct coming {
	const struct coord *c;
	uint64_t expected;
};

static bool have_come(void *arg)
{
	const struct coming *g = arg;

	return g->c->arrived >= g->expected && !p2p_receiving();
}

/* The first rank that waits says for what. */
static _Noreturn void lacks_a_member(const struct coll_standing *open)
{
	uint32_t mine = open->unfinished ? (uint32_t)team_rank() : UINT32_MAX;
	bool first = team_minimum(mine) == mine;
	int peer;

	process_last_words();
	if (first) {
		peer = request_expects(open->first->request);
		log_error("%s: %s of communicator %s does not end: it was begun before this call, "
			  "but not on all ranks (it waits for rank %d); begin it before on all of "
			  "them, or on all of them after",
			fail_call(), open->first->name, comm_label(open->first->run.c), peer);
	}
	team_all(true); /* it is said before the first rank ends */
	process_die(MPI_ERR_OTHER);
}

enum { GOES_ON, STANDS, ENDED };

static void end_operations(const struct coord *c)
{
	struct coming g = {.c = c};
	struct seen was = {0}, now;
	uint32_t least;
	bool stands;

	do {
		team_scatter_sum(c->sent, &g.expected);
		ckpt_wait(have_come, &g);
		now = look(c);
		stands = same(&was, &now);
		least = team_minimum(!now.open.unfinished ? ENDED : stands ? STANDS : GOES_ON);
		was = now;
	} while (least == GOES_ON || (least == STANDS && !team_all(stands)));
	if (least == STANDS)
		lacks_a_member(&now.open);
}

void ckpt_quiet(struct ckpt_job *j)
{
	engine_assert_held();
	must_be_alone();
	rma_wait_windows();
	end_operations(&j->coord);
	coll_open_leave();
}
