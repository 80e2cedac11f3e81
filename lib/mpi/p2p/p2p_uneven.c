/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives whose message has not the length that there is room for. */
#include "mpi/type/signature.h"
#include "p2p.h"
#include "request.h"

/* Basic elements of one byte are whole anyhow: MPI_BYTE, MPI_PACKED, characters. */
static bool ends_inside_element(const struct type *t, size_t bytes)
{
	return t->elements != t->size && signature_elements(t, bytes) == (size_t)-1;
}

/*
 * A receive of the program's may get less than it has room for, as long as it is whole elements:
 * else sender and receiver do not mean the same type (MPI 5.0 section 3.3.1). In a collective
 * operation what is sent and what is received are the same amount (section 6.1), and the schedules
 * keep to that.
 */
int p2p_uneven(const struct request *r, uint64_t room)
{
	if (r->length > room || r->m.plane == PLANE_COLL)
		return MPI_ERR_TRUNCATE;
	return ends_inside_element(r->m.type, (size_t)r->length) ? MPI_ERR_TYPE : MPI_SUCCESS;
}
