/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "api.h"
#include "mpi/type/type_table.h"

/* Below 2^48 bytes, which is what the transport carries, when both factors are below 2^24. */
static int check_length(const struct p2p_message *m)
{
	uint64_t bytes;

	if (!__builtin_mul_overflow((uint64_t)m->count, (uint64_t)m->type->size, &bytes) &&
		bytes <= CHECK_LONGEST)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_COUNT,
		"%lld elements of %zu bytes are more than the 2^48 bytes that a message can have",
		(long long)m->count, m->type->size);
}

/* Lengths that need a second look, and addresses that are none. */
static int check_place(const struct p2p_message *m)
{
	int rc = check_length(m);

	if (rc)
		return rc;
	if (m->buf == MPI_IN_PLACE)
		return fail_with(MPI_ERR_BUFFER, "MPI_IN_PLACE is for collective calls");
	if (m->buf == MPI_BOTTOM && m->count > 0 && m->type->size > 0 && m->type->contiguous)
		return fail_with(MPI_ERR_BUFFER, "the buffer is a null pointer and count is %lld",
			(long long)m->count);
	return MPI_SUCCESS;
}

/* The type is not predefined, or none. */
static int check_type(struct p2p_message *m)
{
	if (m->rank == MPI_PROC_NULL && m->datatype == MPI_DATATYPE_NULL)
		m->count = 0; /* nothing is sent or received, whatever its type */
	return type_lookup_for(m->datatype, m->count, &m->type);
}

static int check_rank(const struct comm *c, int rank)
{
	if ((rank >= 0 && rank < c->npeers) || rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_RANK, "rank %d is not in %s %s of %d", rank,
		c->remote ? "the remote group of" : "communicator", comm_label(c), c->npeers);
}

static int check_dest(const struct comm *c, int dest, int tag)
{
	if (tag < 0)
		return fail_with(MPI_ERR_TAG, "tag %d is less than 0", tag);
	return check_rank(c, dest);
}

int check_source(const struct comm *c, int source, int tag)
{
	if (tag < 0 && tag != MPI_ANY_TAG)
		return fail_with(MPI_ERR_TAG, "tag %d is neither MPI_ANY_TAG nor 0 or more", tag);
	return source == MPI_ANY_SOURCE ? MPI_SUCCESS : check_rank(c, source);
}

enum checked { SENT, RECEIVED, BUFFER_ALONE };

/* In this order: communicator, count, type, buffer, tag, rank. What is wrong is said apart, so that
 * what is right reads from top to bottom. */
static inline int check(struct p2p_message *m, enum checked what)
{
	int rc = what == BUFFER_ALONE ? MPI_SUCCESS : comm_lookup(m->handle, &m->comm);

	if (rc)
		return rc;
	if (m->count < 0)
		return fail_with(MPI_ERR_COUNT, "count is %lld, less than 0", (long long)m->count);
	m->type = type_predefined(m->datatype); /* these are committed */
	if (!m->type) {
		rc = check_type(m);
		if (rc)
			return rc;
	}
	if (__builtin_expect(((uint64_t)m->count | m->type->size) >> 24 || m->buf == MPI_IN_PLACE ||
				     m->buf == MPI_BOTTOM,
		    false)) {
		rc = check_place(m);
		if (rc)
			return rc;
	}
	if (what == BUFFER_ALONE || (m->tag >= 0 && m->rank >= 0 && m->rank < m->comm->npeers))
		return MPI_SUCCESS;
	return what == SENT ? check_dest(m->comm, m->rank, m->tag)
			    : check_source(m->comm, m->rank, m->tag);
}

int check_buffer(struct p2p_message *m)
{
	return check(m, BUFFER_ALONE);
}

int check_send(struct p2p_message *m)
{
	return check(m, SENT);
}

int check_recv(struct p2p_message *m)
{
	return check(m, RECEIVED);
}
