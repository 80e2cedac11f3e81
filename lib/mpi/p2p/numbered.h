/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that are found by their message: its peer (r->peer) and its number (r->index), which
 * stay as they are meanwhile. Under message logging receives wait for a certain message, and
 * synchronous sends for what is said of theirs, any number of them and in any order. A list of
 * them gets an index when a search goes far (match_index.h), 64 bytes a request and its table.
 * Pure: no socket, no lock.
 */
#ifndef FTMPI_MPI_NUMBERED_H
#define FTMPI_MPI_NUMBERED_H

#include <stdint.h>

#include "match_index.h"

struct request;

/* It is in no matching list. */
void numbered_add(struct match_list *l, struct request *r);
void numbered_remove(struct match_list *l, struct request *r);

/* The one that was added first, left where it is; NULL: there is none. */
struct request *numbered_find(
	struct match_list *l, struct match_hooks *hooks, int peer, uint64_t number);

/* For list_for_each, over l->list. */
struct request *numbered_at(struct link *item);

#endif
