/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of ftmpi.h that speak of the protocol by which lines are made. */
#include <string.h>

#include "api_ckpt.h"
#include "ftmpi.h"
#include "mpi/engine/engine.h"
#include "mpi/recovery/ckpt_alone_data.h"
#include "mpi/recovery/ckpt_drive.h"
#include "mpi/recovery/ckpt_job.h"

int FTMPI_CKPT_Wait(void)
{
	bool committed;

	if (!api_ckpt_enter("FTMPI_CKPT_Wait"))
		return FTMPI_CKPTERROR;
	committed =
		ckpt_alone_data_is_used(ckpt_job()) ? ckpt_alone_data_wait() : ckpt_drive_wait();
	engine_leave();
	return committed ? FTMPI_CHECKPOINTED : FTMPI_CKPTERROR;
}

/* What a program may ask for; the launcher has more, for tests. */
static bool is_known(const char *name)
{
	static const char *const names[] = {"blocking", "eventlog", "tagging"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

int FTMPI_CKPT_Set_coordination(const char *name)
{
	struct ckpt_job *j = ckpt_job();
	bool decided;

	if (!name || !is_known(name))
		return MPI_ERR_ARG;
	if (!api_ckpt_enter("FTMPI_CKPT_Set_coordination"))
		return MPI_ERR_OTHER;
	/* what was said at launch is not the program's to change */
	decided = strcmp(j->launch->settings.coord, "auto") != 0 || coord_choose(&j->coord, name);
	engine_leave();
	return decided ? MPI_SUCCESS : MPI_ERR_OTHER;
}
