/* SPDX-License-Identifier: BSD-3-Clause */
/* What every file here may ask of lib/mpi at any time: to send bytes to a peer, to end the job. */
#include <stdlib.h>

#include "coord/lines.h"

void environment_fatal(const struct coord *c, const char *sentence)
{
	c->env->fatal(c->user, sentence);
	abort();
}

void environment_no_memory(const struct coord *c)
{
	environment_fatal(c, "no memory to count messages for checkpoints");
}

struct report environment_head(const struct coord *c, enum report_kind kind, uint32_t line)
{
	return (struct report){.kind = kind, .restores = c->restores, .line = line};
}

void environment_send(struct coord *c, int peer, uint8_t *bytes, size_t len)
{
	if (!bytes)
		environment_no_memory(c);
	if (!coord_is_silent(c))
		c->env->tell(c->user, peer, bytes, len);
	free(bytes);
}
