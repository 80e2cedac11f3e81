/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/number_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void number_list_free(struct number_list *l)
{
	free(l->v);
	*l = (struct number_list){0};
}

bool number_list_reserve(struct number_list *l, size_t more)
{
	size_t room = l->room ? l->room : 8;
	uint64_t *v;

	while (room < l->n + more)
		room *= 2;
	if (room == l->room)
		return true;
	v = realloc(l->v, room * sizeof *v);
	if (!v)
		return false;
	l->v = v;
	l->room = room;
	return true;
}

/* Of the first that is not below it. */
static size_t place(const struct number_list *l, uint64_t number)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->v[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void number_list_append(struct number_list *l, uint64_t number)
{
	assert(l->n < l->room && (!l->n || l->v[l->n - 1] < number));
	l->v[l->n++] = number;
}

void number_list_add(struct number_list *l, uint64_t number)
{
	size_t at = place(l, number);

	assert(l->n < l->room && (at == l->n || l->v[at] != number));
	memmove(l->v + at + 1, l->v + at, (l->n - at) * sizeof *l->v);
	l->v[at] = number;
	l->n++;
}

bool number_list_has(const struct number_list *l, uint64_t number)
{
	size_t at = place(l, number);

	return at < l->n && l->v[at] == number;
}

bool number_list_remove(struct number_list *l, uint64_t number)
{
	size_t at = place(l, number);

	if (at == l->n || l->v[at] != number)
		return false;
	l->n--;
	memmove(l->v + at, l->v + at + 1, (l->n - at) * sizeof *l->v);
	return true;
}
