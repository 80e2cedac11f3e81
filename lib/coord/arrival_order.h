/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has arrived of one peer's messages (M4). A message begins to arrive: its envelope is here,
 * and it is matched. That happens in the order of the numbers, but for those that the peer's
 * nonblocking collective operations have reserved: they begin when the peer sends them, perhaps
 * after messages with higher numbers. Contents of a long message come later, perhaps after all of
 * messages behind it. After a broken connection the peer begins again with the first message that
 * is not here with its contents. Pure.
 *
 * Memory: a number for each message that has not begun while a later one has, of which there are
 * at most ARRIVAL_SKIPPED_MOST, and for each that has begun and has no contents.
 */
#ifndef FTMPI_COORD_ARRIVAL_ORDER_H
#define FTMPI_COORD_ARRIVAL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coord/number_list.h"

enum { ARRIVAL_SKIPPED_MOST = 1 << 16 };

struct arrival_order {
	uint64_t begun;		    /* the highest number that has begun */
	struct number_list open;    /* those whose contents are not here */
	struct number_list skipped; /* those below `begun` that have not begun */
};

enum arrival {
	ARRIVAL_NEW,	   /* it has not begun before */
	ARRIVAL_AGAIN,	   /* it has begun, and its contents are not here: they belong there */
	ARRIVAL_DUPLICATE, /* it is here: throw it away */
	ARRIVAL_GAP,	   /* too many before it are missing: the peer breaks the protocol */
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
