/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "foreign.h"

int launch_alloc(struct launch *l, int size)
{
	size_t n = (size_t)size;

	l->size = size;
	l->addresses = calloc(n, sizeof *l->addresses);
	l->beat = calloc(n, sizeof *l->beat);
	l->hosts = calloc(n, sizeof *l->hosts);
	l->node = calloc(n, sizeof *l->node);
	l->cores = calloc(n, sizeof *l->cores);
	if (l->addresses && l->beat && l->hosts && l->node && l->cores)
		return 0;
	launch_free(l);
	return FT_ENOMEM;
}

void launch_free(struct launch *l)
{
	free(l->addresses);
	free(l->beat);
	free(l->hosts);
	free(l->node);
	free(l->cores);
	l->addresses = l->beat = NULL;
	l->hosts = NULL;
	l->node = l->cores = NULL;
	auth_wipe(l->secret, sizeof l->secret);
}

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

/* By hand, or alone. What the call is not given is known all the same: MPI_Session_init is given
 * nothing. */
static int from_arguments(struct launch *l, int *argc, char ***argv, char *err, size_t errsize)
{
	char **own = NULL;
	int count, rc;

	if (!argc || !argv || !*argv) {
		own = byhand_arguments(&count);
		if (!own)
			return FT_ENOMEM;
		argc = &count;
		argv = &own;
	}
	l->by_hand = byhand_present(*argc, *argv);
	if (l->by_hand)
		rc = byhand_start(l, argc, argv, err, errsize);
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
