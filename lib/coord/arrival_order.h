/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has arrived of one peer's messages (M4). A message begins to arrive, in the order of the
 * numbers: its envelope is here, and it is matched. Contents of a long one come later, perhaps
 * after all of messages behind it. After a broken connection the peer begins again with the first
 * message that is not here with its contents. Pure.
 */
#ifndef FTMPI_COORD_ARRIVAL_ORDER_H
#define FTMPI_COORD_ARRIVAL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arrival_order {
	uint64_t begun; /* the highest number that has begun */
	uint64_t *open; /* those whose contents are not here, ascending */
	size_t n, room;
};

enum arrival {
	ARRIVAL_NEW,	   /* the next one */
	ARRIVAL_AGAIN,	   /* it has begun, and its contents are not here: they belong there */
	ARRIVAL_DUPLICATE, /* it is here: throw it away */
	ARRIVAL_GAP,	   /* a message before it is missing: the peer breaks the protocol */
	ARRIVAL_NO_MEMORY,
};

void arrival_order_free(struct arrival_order *a);

/* It begins to arrive, once more perhaps; until arrival_order_end its contents are not here. */
enum arrival arrival_order_begin(struct arrival_order *a, uint64_t number);

/* Its contents are here. false: it was not open. */
bool arrival_order_end(struct arrival_order *a, uint64_t number);

/* Up to this number all are here. */
uint64_t arrival_order_got(const struct arrival_order *a);

#endif
