/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "api.h"

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

static inline int see_buffer(struct p2p_message *m)
{
	int rc;

	if (m->count < 0)
		return fail_with(MPI_ERR_COUNT, "count is %lld, less than 0", (long long)m->count);
	if (m->rank == MPI_PROC_NULL && m->datatype == MPI_DATATYPE_NULL)
		m->count = 0; /* nothing is sent or received, whatever its type */
	rc = type_lookup_for(m->datatype, m->count, &m->type);
	if (__builtin_expect(!rc && ((uint64_t)m->count | m->type->size) >> 24, false))
		rc = check_length(m);
	if (rc)
		return rc;
	if (m->buf == MPI_IN_PLACE)
		return fail_with(MPI_ERR_BUFFER, "MPI_IN_PLACE is for collective calls");
	if (m->buf == MPI_BOTTOM && m->count > 0 && m->type->size > 0 && m->type->contiguous)
		return fail_with(MPI_ERR_BUFFER, "the buffer is a null pointer and count is %lld",
			(long long)m->count);
	return MPI_SUCCESS;
}

int check_buffer(struct p2p_message *m)
{
	return see_buffer(m);
}

static inline int check_rank(const struct comm *c, int rank)
{
	if ((rank >= 0 && rank < c->npeers) || rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	return fail_with(MPI_ERR_RANK, "rank %d is not in %s %s of %d", rank,
		c->remote ? "the remote group of" : "communicator", comm_label(c), c->npeers);
}

int check_source(const struct comm *c, int source, int tag)
{
	if (tag < 0 && tag != MPI_ANY_TAG)
		return fail_with(MPI_ERR_TAG, "tag %d is neither MPI_ANY_TAG nor 0 or more", tag);
	return source == MPI_ANY_SOURCE ? MPI_SUCCESS : check_rank(c, source);
}

int check_send(struct p2p_message *m)
{
	int rc = comm_lookup(m->handle, &m->comm);

	if (rc == MPI_SUCCESS)
		rc = see_buffer(m);
	if (rc == MPI_SUCCESS && m->tag < 0)
		rc = fail_with(MPI_ERR_TAG, "tag %d is less than 0", m->tag);
	return rc ? rc : check_rank(m->comm, m->rank);
}

int check_recv(struct p2p_message *m)
{
	int rc = comm_lookup(m->handle, &m->comm);

	if (rc == MPI_SUCCESS)
		rc = see_buffer(m);
	return rc ? rc : check_source(m->comm, m->rank, m->tag);
}
