/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/coord.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const struct coord_protocol *const protocols[] = {&coord_blocking};

const char *coord_names(void)
{
	return "blocking";
}

int coord_init(struct coord *c, const char *name, int size, const struct coord_env *env, void *user)
{
	*c = (struct coord){.env = env, .user = user, .size = size};
	for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
		if (strcmp(protocols[i]->name, name) == 0)
			c->protocol = protocols[i];
	if (!c->protocol)
		return FT_EINVAL;
	c->sent = calloc((size_t)size, sizeof *c->sent);
	return c->sent ? 0 : FT_ENOMEM;
}

void coord_fini(struct coord *c)
{
	free(c->sent);
	c->sent = NULL;
}

bool coord_checkpoint(struct coord *c)
{
	return c->protocol->checkpoint(c);
}

bool coord_restore(struct coord *c)
{
	return c->protocol->restore(c);
}
