/* SPDX-License-Identifier: BSD-3-Clause */
/* A process was started by the launcher, by hand, or alone. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "control.h"
#include "foreign.h"
#include "launch.h"
#include "manual_start.h"

/* A job of one. */
static int alone(struct launch *l)
{
	int rc = launch_alloc(l, 1);

	if (rc)
		return rc;
	settings_default(&l->settings);
	if (!getcwd(l->workdir, sizeof l->workdir))
		strcpy(l->workdir, ".");
	l->cores[0] = 1;
	gethostname(l->host, sizeof l->host - 1);
	memcpy(l->hosts[0], l->host, sizeof l->host);
	return 0;
}

/* By hand, or alone. MPI_Session_init is not given the arguments of main, so they are taken from
 * the start of the process. */
static int from_arguments(struct launch *l, int *argc, char ***argv, char *err, size_t errsize)
{
	char **own = NULL;
	int count, rc;

	if (!argc || !argv || !*argv) {
		own = manual_start_arguments(&count);
		if (!own)
			return FT_ENOMEM;
		argc = &count;
		argv = &own;
	}
	l->by_hand = manual_start_given(*argc, *argv);
	if (l->by_hand)
		rc = manual_start(l, argc, argv, err, errsize);
	else if ((rc = foreign_check(err, errsize)) == 0)
		rc = alone(l);
	free(own);
	return rc;
}

int launch_learn(struct launch *l, int *argc, char ***argv, char *err, size_t errsize)
{
	if (control_present())
		return control_start(l, err, errsize);
	return from_arguments(l, argc, argv, err, errsize);
}
