/* SPDX-License-Identifier: BSD-3-Clause */
#include "foreign.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"

/* A variable with more than `most` means that there are several processes. The shell of a batch
 * script or of salloc has Slurm's SLURM_NTASKS and SLURM_PROCID=0, too; only srun sets
 * SLURM_STEP_*. A PMIx launcher gives no number of processes that can be read here, so its rank 0
 * goes unnoticed. */
static const struct {
	const char *variable;
	long most;
	const char *unless, *only_with, *launcher;
} signs[] = {
	{"OMPI_COMM_WORLD_SIZE", 1, NULL, NULL, "Open MPI's mpirun"},
	{"MV2_COMM_WORLD_SIZE", 1, NULL, NULL, "MVAPICH's launcher"},
	{"PMI_SIZE", 1, NULL, NULL, "a launcher with PMI (MPICH's, for one)"},
	{"SLURM_STEP_NUM_TASKS", 1, NULL, NULL, "srun"},
	{"SLURM_NTASKS", 1, "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", "srun"},
	{"SLURM_PROCID", 0, NULL, NULL, "srun"},
	{"PMIX_RANK", 0, NULL, NULL, "a launcher with PMIx"},
};

static bool is_more(const char *text, long most)
{
	char *end;
	long v = text ? strtol(text, &end, 10) : 0;

	return text && end != text && !*end && v > most;
}

int foreign_check(char *err, size_t errsize)
{
	const char *allowed = getenv("FTMPI_SINGLETON");

	if (allowed && strcmp(allowed, "1") == 0)
		return 0;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		const char *value = getenv(signs[i].variable);

		if (!is_more(value, signs[i].most) ||
			(signs[i].unless && getenv(signs[i].unless)) ||
			(signs[i].only_with && !getenv(signs[i].only_with)))
			continue;
		snprintf(err, errsize,
			"%s has started several processes (%s=%s), and each would be a job of one: "
			"start the program with ftmpirun in place of %s, or set FTMPI_SINGLETON=1 "
			"if that is meant",
			signs[i].launcher, signs[i].variable, shown(value).text, signs[i].launcher);
		return FT_EINVAL;
	}
	return 0;
}
