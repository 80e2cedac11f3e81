/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/coord.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"

static const struct coord_protocol *const protocols[] = {&coord_blocking};

const char *coord_names(void)
{
	return "blocking";
}

int coord_init(struct coord *c, const char *name, int self, int size, const struct coord_env *env,
	void *user)
{
	*c = (struct coord){
		.env = env, .user = user, .self = self, .size = size, .concluded = true};
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

bool coord_choose(struct coord *c, const char *name)
{
	return strcmp(c->protocol->name, name) == 0;
}

/* ---- lines ---- */

bool coord_checkpoint(struct coord *c)
{
	return c->protocol->checkpoint(c);
}

/* C3: what was sent in the part of the program that is run again, and not received, is void. When
 * there is no line it is the beginning of a whole run, and stays. */
bool coord_restore(struct coord *c)
{
	fault_point("restore-begin");
	if (!c->env->find(c->user))
		return false;
	fault_point("restore-found");
	coord_drain(c);
	c->env->forget(c->user);
	fault_point("restore-drained");
	c->env->take(c->user);
	fault_point("restore-end");
	return true;
}

uint32_t coord_next(const struct coord *c, uint32_t after)
{
	(void)c;
	(void)after;
	return 0;
}

enum coord_fate coord_fate(const struct coord *c, uint32_t line, const struct coord_message *m)
{
	(void)c;
	(void)line;
	(void)m;
	return COORD_OUT;
}

uint64_t coord_injected(struct coord *c, int peer, uint64_t context, int32_t tag)
{
	(void)c;
	(void)peer;
	(void)context;
	(void)tag;
	return 0;
}

bool coord_save(struct coord *c, uint32_t line, uint8_t **out, size_t *len)
{
	(void)c;
	(void)line;
	*len = 4;
	*out = calloc(1, *len);
	return *out != NULL;
}

bool coord_valid(const uint8_t *bytes, size_t len, int size)
{
	(void)size;
	return len == 4 && memcmp(bytes, "\0\0\0\0", 4) == 0;
}

bool coord_load(struct coord *c, const uint8_t *bytes, size_t len)
{
	(void)c;
	(void)bytes;
	(void)len;
	return true;
}

void coord_written(struct coord *c, uint32_t line, const struct coord_part *part)
{
	(void)c;
	(void)line;
	(void)part;
}

void coord_committed(struct coord *c, uint32_t line, bool ok)
{
	(void)c;
	(void)line;
	(void)ok;
}

bool coord_control(struct coord *c, int peer, const uint8_t *bytes, size_t len)
{
	(void)c;
	(void)peer;
	(void)bytes;
	(void)len;
	return false;
}

bool coord_wait(struct coord *c)
{
	return c->concluded;
}

void coord_close(struct coord *c)
{
	(void)c;
}

bool coord_due(struct coord *c, bool elapsed)
{
	(void)c;
	return elapsed;
}
