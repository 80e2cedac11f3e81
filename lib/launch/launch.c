/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch.h"

#include <stdlib.h>

#include "base/error.h"

int launch_alloc(struct launch *l, int size)
{
	size_t n = (size_t)size;

	l->size = size;
	l->addresses = calloc(n, sizeof *l->addresses);
	l->beat = calloc(n, sizeof *l->beat);
	l->hosts = calloc(n, sizeof *l->hosts);
	l->node = calloc(n, sizeof *l->node);
	l->cores = calloc(n, sizeof *l->cores);
	l->incarnations = calloc(n, sizeof *l->incarnations);
	if (l->addresses && l->beat && l->hosts && l->node && l->cores && l->incarnations)
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
	free(l->incarnations);
	l->addresses = l->beat = NULL;
	l->hosts = NULL;
	l->node = l->cores = NULL;
	l->incarnations = NULL;
	auth_wipe(l->secret, sizeof l->secret);
}
