/* SPDX-License-Identifier: BSD-3-Clause */
#include "coord/arrival_order.h"

void arrival_order_free(struct arrival_order *a)
{
	number_list_free(&a->open);
	number_list_free(&a->skipped);
	*a = (struct arrival_order){0};
}

static enum arrival begin_late(struct arrival_order *a, uint64_t number)
{
	if (number_list_has(&a->open, number))
		return ARRIVAL_AGAIN;
	if (!number_list_has(&a->skipped, number))
		return ARRIVAL_DUPLICATE;
	if (!number_list_reserve(&a->open, 1))
		return ARRIVAL_NO_MEMORY;
	number_list_remove(&a->skipped, number);
	number_list_add(&a->open, number);
	return ARRIVAL_NEW;
}

enum arrival arrival_order_begin(struct arrival_order *a, uint64_t number)
{
	uint64_t missing = number - 1 - a->begun;

	if (number && number <= a->begun)
		return begin_late(a, number);
	if (!number || missing > ARRIVAL_SKIPPED_MOST - a->skipped.n)
		return ARRIVAL_GAP;
	if (!number_list_reserve(&a->open, 1) || !number_list_reserve(&a->skipped, missing))
		return ARRIVAL_NO_MEMORY;
	while (++a->begun < number)
		number_list_append(&a->skipped, a->begun);
	number_list_append(&a->open, number);
	return ARRIVAL_NEW;
}

bool arrival_order_end(struct arrival_order *a, uint64_t number)
{
	return number_list_remove(&a->open, number);
}

/* The first of those that are not here; none: beyond all. */
static uint64_t first(const struct number_list *l)
{
	return l->n ? l->v[0] : UINT64_MAX;
}

uint64_t arrival_order_got(const struct arrival_order *a)
{
	uint64_t open = first(&a->open), skipped = first(&a->skipped);
	uint64_t missing = open < skipped ? open : skipped;

	return missing <= a->begun ? missing - 1 : a->begun;
}
