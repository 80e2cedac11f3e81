/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of message logging share, and how a process ends that cannot go on. */
#include "base/log.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "p2p_log_inside.h"

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
		  "numbers, threads, files that change); it needs `-coord blocking`",
		fail_call());
	process_die(MPI_ERR_OTHER);
}
