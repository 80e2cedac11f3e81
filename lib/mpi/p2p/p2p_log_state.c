/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of message logging share, and how a process ends that cannot go on, or would wait
 * in vain. */
#include "base/log.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "p2p_log_inside.h"
#include "request.h"

struct msglog *p2p_msglog;
bool p2p_log_leaving;
struct p2p_log_behind p2p_log_behind;

void p2p_log_leave(void)
{
	engine_assert_held();
	p2p_log_leaving = true;
}

_Noreturn void p2p_log_end(int errclass, const char *why, int peer)
{
	process_last_words();
	log_error("message logging: %s (rank %d): this process cannot go on", why, peer);
	process_die(errclass);
}

_Noreturn void p2p_log_no_memory(int peer)
{
	p2p_log_end(MPI_ERR_NO_MEM, "there is no memory", peer);
}

_Noreturn void p2p_log_strange(void)
{
	process_last_words();
	log_error("%s: the program runs again after a failure, and asks for something else than "
		  "before: it depends on what message logging does not see (the time, random "
		  "numbers, threads, files that change), and needs `-coord blocking`; or, behind "
		  "FTMPI_Restore, it has not begun again what was open (doc/msglog.md)",
		fail_call());
	process_die(MPI_ERR_OTHER);
}

/* One that was cancelled got none. One from any source of which nothing is known had none by the
 * next choice, which the program made without waiting for it. */
void p2p_log_awaits(const struct request *r)
{
	const struct outcomes *o = &p2p_msglog->outcomes;
	uint64_t number;
	uint32_t peer;

	if (r->state != REQUEST_POSTED || !r->post)
		return;
	switch (expected_receives_fate(&o->expected, r->post, &peer, &number)) {
	case FATE_CANCELLED:
		p2p_log_strange();
	case FATE_OPEN:
		if (r->match.peer == MPI_ANY_SOURCE && outcomes_expected(o))
			p2p_log_strange();
		return;
	case FATE_MESSAGE:
		return;
	}
}
