/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What limits unauthenticated connections. Anybody can make them, so a listener holds only so many:
 * when there is one more, the one that it has held longest gives way. And it writes only so many
 * lines about those that it turns away. Not for several threads at a time.
 */
#ifndef FTMPI_BASE_ADMISSION_H
#define FTMPI_BASE_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

/* ---- how many are held ---- */

struct admission {
	struct link held; /* the oldest first */
	int count, most;
};

/* So many, but no more than one of `share` descriptors that this process may have, as the program
 * wants some too; at least 4. */
int admission_most(int most, unsigned share);

void admission_open(struct admission *a, int most);

/* The one that has to go before another enters; NULL: there is room. */
struct link *admission_surplus(const struct admission *a);

/* The one that is held longest; NULL: none is held. */
struct link *admission_oldest(const struct admission *a);

void admission_enter(struct admission *a, struct link *item);
void admission_leave(struct admission *a, struct link *item);

/* ---- how many lines are written about refusals ---- */

enum {
	REFUSALS_MS = 10000, /* in which at most */
	REFUSALS_LINES = 20, /* refusals have a line each */
};

struct refusals {
	uint64_t until;	    /* the end of these REFUSALS_MS */
	unsigned lines;	    /* written until then */
	unsigned long more; /* counted only */
};

/* True when the REFUSALS_MS are over and new ones begin: the caller then logs refusals_rest. */
bool refusals_renew(struct refusals *r, uint64_t now);

/* One more: does it get a line? It is counted where log_has_room says no; NULL: there is room. */
bool refusals_line(struct refusals *r, bool (*log_has_room)(void));

/* How many were counted only; they are forgotten. */
unsigned long refusals_rest(struct refusals *r);

#endif
