/* SPDX-License-Identifier: BSD-3-Clause */
/* What collective operations go by, of all communicators, across a recovery line. */
#include <stdlib.h>

#include "ckpt/section_numbers.h"
#include "comm_inside.h"
#include "mpi/handle/handle_table.h"

static struct section_numbers_bytes restored; /* of a line */

void comm_numbered_apply(struct comm *c)
{
	struct section_number n;

	if (!section_numbers_find(&restored, c->context, &n))
		return;
	c->coll_seq = n.next;
	c->crowded = n.crowded;
	c->near = n.near;
}

void comm_numbered_forget(void)
{
	free(restored.bytes);
	restored = (struct section_numbers_bytes){0};
}

static void write_number(struct comm *c, void *arg)
{
	struct section_number n = {c->coll_seq, c->crowded, c->near};

	if (c->context != COMM_NO_CONTEXT)
		section_numbers_write(arg, c->context, n);
}

static void take_number(struct comm *c, void *arg)
{
	(void)arg;
	comm_numbered_apply(c);
}

struct each {
	void (*visit)(struct comm *c, void *arg);
	void *arg;
};

static void visit_object(struct object *o, void *arg)
{
	struct each *e = arg;
	struct comm *c = (struct comm *)(void *)o;

	e->visit(c, e->arg);
	if (c->local)
		e->visit(c->local, e->arg);
}

/* Every communicator of the program, and those that stages of its intercommunicators go by. */
static void each_comm(void (*visit)(struct comm *c, void *arg), void *arg)
{
	struct each e = {visit, arg};

	visit(comm_world(), arg);
	visit(comm_self(), arg);
	handle_table_each(OBJECT_COMM, visit_object, &e);
}

static void write_again(uint64_t context, void *arg)
{
	struct section_number n;

	if (section_numbers_find(&restored, context, &n))
		section_numbers_write(arg, context, n);
}

bool comm_numbered_capture(
	void (*each_waiting)(void (*visit)(uint64_t context, void *arg), void *arg), uint8_t **out,
	size_t *len)
{
	struct section_numbers_bytes n = {0};

	each_comm(write_number, &n);
	if (each_waiting)
		each_waiting(write_again, &n);
	*out = n.bytes;
	*len = n.len;
	return !n.bad;
}

bool comm_numbered_take(const uint8_t *bytes, size_t len)
{
	if (!section_numbers_take(&restored, bytes, len))
		return false;
	each_comm(take_number, NULL);
	return true;
}
