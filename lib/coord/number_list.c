/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/number_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *memory_of(const struct number_list *l)
{
	return l->gone ? l->v - l->gone : l->v;
}

void number_list_free(struct number_list *l)
{
	free(memory_of(l));
	*l = (struct number_list){0};
}

/* The places before v are room again. */
static void use_gone(struct number_list *l)
{
	uint64_t *v = memory_of(l);

	if (!l->gone)
		return;
	memmove(v, l->v, l->n * sizeof *v);
	l->v = v;
	l->room += l->gone;
	l->gone = 0;
}

/* All move, if they have to, to where half of the places are free: so many more are added before
 * they move again. */
bool number_list_reserve(struct number_list *l, size_t more)
{
	size_t all = l->gone + l->room, room = all ? all : 8;
	uint64_t *v;

	if (l->n + more <= l->room)
		return true;
	while (room < l->n + more || room / 2 < l->n)
		room *= 2;
	use_gone(l);
	if (room == all)
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
	if (at == 0) {
		l->v++;
		l->room--;
		l->gone++;
		if (l->n == 0) /* v would point behind its memory: to a leak checker that is lost */
			use_gone(l);
	} else {
		memmove(l->v + at, l->v + at + 1, (l->n - at) * sizeof *l->v);
	}
	return true;
}
