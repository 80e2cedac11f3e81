/* SPDX-License-Identifier: BSD-3-Clause */
/* What every file here may need: the head of a control message, and ending the job. */
#include <stdlib.h>

#include "coord/lines.h"

void environment_fatal(const struct coord *c, const char *sentence)
{
	c->fatal(c->user, sentence);
	abort();
}

void environment_no_memory(const struct coord *c)
{
	environment_fatal(c, "no memory to count messages for checkpoints");
}

struct control_message environment_head(
	const struct coord *c, enum control_kind kind, uint32_t line)
{
	return (struct control_message){.kind = kind, .restores = c->restores, .line = line};
}
