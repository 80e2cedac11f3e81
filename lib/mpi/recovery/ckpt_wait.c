/* SPDX-License-Identifier: BSD-3-Clause */
#include "ckpt_wait.h"

#include "base/log.h"
#include "mpi.h"
#include "mpi/engine/engine.h"
#include "mpi/handle/fail.h"
#include "mpi/handle/process.h"
#include "mpi/p2p/p2p_state.h"

struct enough {
	bool (*done)(void *arg);
	void *arg;
};

static bool enough(void *arg, int *expect)
{
	struct enough *e = arg;

	(void)expect;
	if (p2p_gone()) {
		process_last_words();
		log_error("%s: a rank is gone, and the others cannot agree", fail_call());
		process_die(MPI_ERR_PROC_ABORTED);
	}
	return e->done(e->arg);
}

void ckpt_wait(bool (*done)(void *arg), void *arg)
{
	struct enough e = {done, arg};

	engine_wait(enough, &e);
}
