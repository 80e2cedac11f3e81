/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_check.h"

#include <stdint.h>

#include "api.h"

int coll_check_counts(const struct comm *c, const char *name, const int *counts)
{
	if (!counts)
		return api_fail(MPI_ERR_ARG, "the array of counts for %s is a null pointer", name);
	for (int i = 0; i < c->npeers; i++) {
		if (counts[i] < 0)
			return api_fail(MPI_ERR_COUNT,
				"the count for %s and rank %d is %d, less than 0", name, i,
				counts[i]);
	}
	return MPI_SUCCESS;
}

static int check_count(const char *name, int count)
{
	if (count < 0)
		return api_fail(MPI_ERR_COUNT, "the count for %s is %d, less than 0", name, count);
	return MPI_SUCCESS;
}

static bool side_empty(const struct comm *c, const struct coll_side *s)
{
	if (!s->counts)
		return s->count == 0 || s->type->size == 0;
	for (int i = 0; i < c->npeers; i++) {
		if (s->counts[i] > 0 && s->type->size > 0)
			return false;
	}
	return true;
}

/* MPI_BOTTOM makes sense with a type of absolute addresses only (MPI 5.0 section 5.1.12). */
static int check_buffer(const char *name, const void *buf, const struct type *t, bool empty)
{
	if (buf == MPI_IN_PLACE)
		return api_fail(MPI_ERR_BUFFER, "%s cannot be MPI_IN_PLACE here", name);
	if (buf == MPI_BOTTOM && !empty && t->contiguous)
		return api_fail(
			MPI_ERR_BUFFER, "%s is a null pointer and the count is not 0", name);
	return MPI_SUCCESS;
}

int coll_check_side(const struct comm *c, const struct coll_said *said, struct coll_side *out)
{
	struct coll_side s = {.buf = (void *)(uintptr_t)said->buf};
	int rc = type_lookup_committed(said->datatype, &s.type);

	if (rc != MPI_SUCCESS)
		return rc;
	rc = said->irregular ? coll_check_counts(c, said->name, said->counts)
			     : check_count(said->name, said->count);
	if (rc != MPI_SUCCESS)
		return rc;
	if (said->irregular && !said->displs)
		return api_fail(MPI_ERR_ARG, "the array of displacements for %s is a null pointer",
			said->name);
	if (said->irregular) {
		s.counts = said->counts;
		s.displs = said->displs;
	} else {
		s.count = (size_t)said->count;
	}
	rc = check_buffer(said->name, said->buf, s.type, side_empty(c, &s));
	if (rc == MPI_SUCCESS)
		*out = s;
	return rc;
}

struct coll_side coll_no_side(const struct coll_said *said)
{
	static const int none = 0;

	return (struct coll_side){.counts = said->irregular ? &none : NULL};
}

static int check_apart(const struct comm *c, const struct coll_side *a, const struct coll_side *b)
{
	if (a->buf != b->buf || a->buf == MPI_BOTTOM || side_empty(c, a) || side_empty(c, b))
		return MPI_SUCCESS;
	return api_fail(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same memory: give "
					"MPI_IN_PLACE instead of one of them");
}

int coll_check_sides(const struct comm *c, const struct coll_said *said_own, struct coll_side *own,
	const struct coll_said *said_other, struct coll_side *other)
{
	int rc = coll_check_side(c, said_other, other);

	if (rc != MPI_SUCCESS)
		return rc;
	if (said_own->buf == MPI_IN_PLACE) {
		*own = coll_no_side(said_own);
		own->buf = MPI_IN_PLACE;
		return MPI_SUCCESS;
	}
	rc = coll_check_side(c, said_own, own);
	return rc ? rc : check_apart(c, own, other);
}

static int check_vectors(const struct coll_said_reduction *said, const struct type *t)
{
	bool empty = said->count == 0 || t->size == 0;
	bool in_place = said->has_result && said->in == MPI_IN_PLACE;
	int rc = in_place ? MPI_SUCCESS : check_buffer("sendbuf", said->in, t, empty);

	if (rc == MPI_SUCCESS && said->has_result)
		rc = check_buffer("recvbuf", said->out, t, empty);
	if (rc == MPI_SUCCESS && said->has_result && said->in == said->out && !empty &&
		said->in != MPI_BOTTOM)
		rc = api_fail(MPI_ERR_BUFFER,
			"sendbuf and recvbuf are the same memory: give MPI_IN_PLACE as sendbuf");
	return rc;
}

int coll_check_reduction(const struct coll_said_reduction *said, struct coll_reduction *out)
{
	struct coll_reduction r = {.in = said->in, .out = said->out};
	int rc = check_count("the reduction", said->count);

	if (rc == MPI_SUCCESS)
		rc = type_lookup_committed(said->datatype, &r.type);
	if (rc == MPI_SUCCESS)
		rc = op_lookup(said->op, &r.op);
	if (rc == MPI_SUCCESS)
		rc = op_check(r.op, r.type);
	if (rc == MPI_SUCCESS)
		rc = check_vectors(said, r.type);
	if (rc != MPI_SUCCESS)
		return rc;
	r.count = (size_t)said->count;
	*out = r;
	return MPI_SUCCESS;
}
