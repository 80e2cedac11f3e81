/* SPDX-License-Identifier: BSD-3-Clause */
/* What a message means to its receive: who sent it, and where it goes. */
#include "iov_cursor.h"
#include "p2p_inside.h"

int p2p_source_rank(const struct comm *c, int peer, int said)
{
	if (said >= 0 && said < c->npeers && comm_world_rank(c, said) == peer)
		return said;
	for (int i = 0; i < c->npeers; i++)
		if (comm_world_rank(c, i) == peer)
			return i;
	return MPI_ANY_SOURCE;
}

/* For a type that is not contiguous: its data lies in one piece somewhere else than at the
 * beginning of the buffer, or a cursor finds it. Without memory for that the message goes nowhere,
 * and the receive fails. */
struct tp_place p2p_scattered_place(struct request *r)
{
	struct tp_place place = {.room = p2p_room(&r->m), .cookie = r};

	place.buf = type_piece(r->m.type, r->m.buf, (size_t)r->m.count);
	if (place.buf)
		return place;
	r->packed = place.cursor = iov_cursor_in(r->m.type, r->m.buf, (size_t)r->m.count);
	if (r->packed)
		return place;
	r->error = MPI_ERR_NO_MEM;
	place.room = 0;
	return place;
}
