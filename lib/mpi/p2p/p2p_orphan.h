/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that were received, or are to be thrown away, as orphans of a line: what they contain.
 * For p2p_recv.c, p2p_anew.c and p2p_image.c alone. All need the engine lock. */
#ifndef FTMPI_MPI_P2P_ORPHAN_H
#define FTMPI_MPI_P2P_ORPHAN_H

#include "coord/coord.h"
#include "envelope.h"
#include "p2p_inside.h"

/* May what this receive has got become an orphan? */
static inline bool p2p_may_be_orphan(const struct request *r)
{
	return p2p.coord && coord_is_early(p2p.coord, r->stamp);
}

/* Then, before the receive is complete; right: its buffer has what was sent. */
void p2p_orphan_note(const struct request *r, bool right);

/* The same of one that waits for its receive. */
void p2p_orphan_note_unreceived(const struct match_msg *msg, const void *contents, uint64_t length);

/* An orphan comes again (coord_discards): where it goes, and when all of it is there. */
struct tp_place p2p_orphan_place(int peer, const struct envelope *e, uint64_t length);
void p2p_orphan_received(struct object *head, int rc);

/* Or it will not be there, as all pairs begin anew (p2p_anew.c). */
void p2p_orphan_unplace(struct object *head);

#endif
