/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/arrival_order.h"

#include <stdlib.h>
#include <string.h>

void arrival_order_free(struct arrival_order *a)
{
	free(a->open);
	*a = (struct arrival_order){0};
}

static bool reserve(struct arrival_order *a)
{
	size_t room = a->room ? 2 * a->room : 8;
	uint64_t *open;

	if (a->n < a->room)
		return true;
	open = realloc(a->open, room * sizeof *open);
	if (!open)
		return false;
	a->open = open;
	a->room = room;
	return true;
}

/* a->n: it is not open. */
static size_t place(const struct arrival_order *a, uint64_t number)
{
	size_t at = 0;

	while (at < a->n && a->open[at] != number)
		at++;
	return at;
}

enum arrival arrival_order_begin(struct arrival_order *a, uint64_t number)
{
	if (number && number <= a->begun)
		return place(a, number) < a->n ? ARRIVAL_AGAIN : ARRIVAL_DUPLICATE;
	if (number - 1 != a->begun)
		return ARRIVAL_GAP;
	if (!reserve(a))
		return ARRIVAL_NO_MEMORY;
	a->open[a->n++] = a->begun = number;
	return ARRIVAL_NEW;
}

bool arrival_order_end(struct arrival_order *a, uint64_t number)
{
	size_t at = place(a, number);

	if (at == a->n)
		return false;
	a->n--;
	memmove(a->open + at, a->open + at + 1, (a->n - at) * sizeof *a->open);
	return true;
}

uint64_t arrival_order_got(const struct arrival_order *a)
{
	return a->n ? a->open[0] - 1 : a->begun;
}
