/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a type, and of its contents, which hold other types: the one ends with the other. */
#include <stdlib.h>

#include "type.h"
#include "type_contents.h"
#include "layout.h"

void type_release_contents(struct contents *c)
{
	if (!c || --c->refs > 0)
		return;
	for (size_t i = 0; i < c->ntypes; i++)
		type_release(c->types[i]);
	free(c->ints);
	free(c->addresses);
	free(c->larges);
	free(c->types);
	free(c);
}

/* A type holds those it was made of, in chains as long as the program likes: so they go one after
 * the other, not one inside the other. */
static struct {
	struct type *first;
	bool going;
} doomed;

static void free_type(struct type *t)
{
	t->head.kind = OBJECT_FREED;
	attr_forget_all(&t->attrs);
	type_release_contents(t->contents);
	layout_release(t->layout);
	free(t->name);
	free(t);
}

void type_release_last(struct type *t)
{
	t->next = doomed.first;
	doomed.first = t;
	if (doomed.going)
		return;
	doomed.going = true;
	while ((t = doomed.first)) {
		doomed.first = t->next;
		free_type(t);
	}
	doomed.going = false;
}
